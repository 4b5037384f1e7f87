import type { Requirement } from '../../schemas/contract/requirements.ts';

/**
 * Returns the heading under which reports list a requirement. The heading of a field is the path of its parent, such as `data.card`
 * for `/data/card/id`. Other headings are `parameters`, `rules`, `http` (status, media type and JSON) and `envelope` (whole body
 * and top-level fields).
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
