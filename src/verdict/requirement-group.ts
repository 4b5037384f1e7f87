import type { Requirement } from '../../schemas/contract/requirements.ts';

/**
 * Returns the heading under which reports list a requirement: `http`, `parameters`, `rules`, or the object that contains its field,
 * such as `data.card`; `envelope` for a field at the top level of the body.
 */
export function findReportHeading({ kind, pointer }: Pick<Requirement, 'kind' | 'pointer'>): string {
  if (kind === 'parameter' || kind === 'rule') return `${kind}s`;
  if (pointer === 'http') return pointer;
  // `/data/card/limits/*/period` has the parent `data.card.limits[]`.
  const parentSteps = pointer.split('/').slice(1, -1);
  return parentSteps.join('.').replaceAll('.*', '[]') || 'envelope';
}
