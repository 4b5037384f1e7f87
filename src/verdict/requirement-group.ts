import type { Requirement } from '../../schemas/contract/requirements.ts';

/**
 * Returns the heading under which reports list a requirement. For a field, the heading is the object that contains the field: `data.card`
 * for `/data/card/id`. For the whole body or a top-level field, the heading is `envelope`. Other headings are `http`, `parameters` and
 * `rules`.
 */
export function findReportHeading({ kind, pointer }: Pick<Requirement, 'kind' | 'pointer'>): string {
  if (kind === 'parameter') return 'parameters';
  if (kind === 'rule') return 'rules';
  if (pointer === 'http') return 'http';
  const parentSteps = pointer.split('/').slice(1, -1);
  const isTopLevelField = parentSteps.length === 0;
  if (isTopLevelField) return 'envelope';
  // The parent of `/data/card/limits/*/period` is `data.card.limits[]`.
  return parentSteps.join('.').replaceAll('.*', '[]');
}
