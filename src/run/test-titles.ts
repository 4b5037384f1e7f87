import type { Requirement } from '../../schemas/contract/requirements.ts';

/** The test of an operation whose steps are its requests. */
export const requestsTitle = 'requests made';

/** Heading of a requirement in reports: `http`, `parameters`, `rules`, or the field that holds the one it is about. */
export function groupOf({ kind, place }: Requirement): string {
  if (kind === 'parameter' || kind === 'rule') return `${kind}s`;
  if (place === 'http') return place;
  return place.split('/').slice(1, -1).join('.').replaceAll('.*', '[]') || 'envelope';
}
