import type { Requirement } from '../../schemas/contract/requirements.ts';

/** Names the group of a requirement: `http`, `parameters`, `rules`, or its parent field, `data.card` for `/data/card/status`. */
export function findGroup({ kind, place }: Pick<Requirement, 'kind' | 'place'>): string {
  if (kind === 'parameter' || kind === 'rule') return `${kind}s`;
  if (place === 'http') return place;
  return place.split('/').slice(1, -1).join('.').replaceAll('.*', '[]') || 'envelope';
}
