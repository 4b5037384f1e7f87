import type { Requirement } from '../../schemas/contract/requirements.ts';

/**
 * Names the group under which reports show a requirement: `http`, `parameters`, `rules`, or the object that holds its field,
 * `data.card` for `/data/card/status`, and `data.card.limits[]` for a field of a card limit. A member of the body itself is in
 * `envelope`.
 */
export function findGroup({ kind, place }: Pick<Requirement, 'kind' | 'place'>): string {
  if (kind === 'parameter' || kind === 'rule') return `${kind}s`;
  if (place === 'http') return place;
  const parentSteps = place.split('/').slice(1, -1);
  return parentSteps.join('.').replaceAll('.*', '[]') || 'envelope';
}
