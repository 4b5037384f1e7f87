import type { Requirement } from '../../schemas/contract/requirements.ts';

/** The test of an operation whose steps are its requests. */
export const requestsTitle = 'requests made';

/** Headings of what is judged of no place in the body. */
const headings: Partial<Record<Requirement['kind'], string>> = {
  status: 'http',
  'media-type': 'http',
  json: 'http',
  parameter: 'parameters',
  rule: 'rules',
};

/** Heading of a requirement in reports: `http`, `request`, or the field that holds the one it is about. */
export function groupOf({ kind, place }: Requirement): string {
  const heading = headings[kind];
  if (heading) return heading;
  const parent = place.split('/').slice(1, -1).join('.').replaceAll('.*', '[]');
  return parent || 'envelope';
}
