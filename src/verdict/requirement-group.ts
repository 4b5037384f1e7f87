import type { Requirement } from '../../schemas/contract/requirements.ts';

/**
 * Returns the heading under which reports list a requirement: `http`, `parameters`, `rules`, `envelope` for a member of the body
 * itself, or the object that has the field, such as `data.card.limits[]`.
 */
export function findGroup({ kind, pointer }: Pick<Requirement, 'kind' | 'pointer'>): string {
  if (kind === 'parameter' || kind === 'rule') return `${kind}s`;
  if (pointer === 'http') return pointer;
  const parentSteps = pointer.split('/').slice(1, -1);
  return parentSteps.join('.').replaceAll('.*', '[]') || 'envelope';
}
