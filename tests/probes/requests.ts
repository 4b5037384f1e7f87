import { loadContract } from '../../schemas/contract.ts';
import type { RequestOverrides } from '../client/http-client.ts';
import type { Target } from '../client/target.ts';

/** A request whose answer the contract leaves open, named after the question that it is sent for. */
export interface Probe {
  id: string;
  /** As it stands on the wire. */
  path: string;
  overrides?: RequestOverrides;
  /** The path as it may be written, where all of it is this suite's own. */
  shown?: string;
}

/** Tells requests apart. */
export const keyOf = (path: string, overrides: RequestOverrides = {}) =>
  `${path} ${JSON.stringify(overrides)}`;

/** Identifiers that nobody has. */
const invented = { unknown: '00000000-0000-4000-8000-000000000000', malformed: 'not-a-uuid' };

/** Path of an operation with an identifier and a query. */
export function pathTo(operationId: string, query = '', id = ''): string {
  const operation = loadContract().operations.find((one) => one.id === operationId);
  const route = (operation?.path ?? '').replace(/\{\w+\}/, encodeURIComponent(id));
  return query ? `${route}?${query}` : route;
}

/** Long enough for buffers of usual size to be filled, short enough for every server's whole request. */
const longValue = 'a'.repeat(7000);

const lists: [id: string, query: string][] = [
  ['limit-honoured', 'limit=1'],
  ['long-page', 'limit=100'],
  ['longest-page', 'limit=1000'],
  ['longest-page-moved', 'limit=1000&offset=1'],
  ['longest-page-of-users', 'limit=1000&linked_source_type=User'],
  ['longest-page-of-stores', 'limit=1000&linked_source_type=Store'],
  ['beyond-the-end', 'offset=1000000'],
  ['repeated-parameter', 'limit=1&limit=2'],
  ['unknown-parameter', 'conformance_probe=1'],
  ['long-request', `conformance_probe=${longValue}`],
  ['unknown-source', 'linked_source_type=Nobody'],
  ['source-letter-case', 'linked_source_type=store'],
  ['empty-source', 'linked_source_type='],
  ['limit-zero', 'limit=0'],
  ['limit-negative', 'limit=-1'],
  ['limit-not-numeric', 'limit=many'],
  ['limit-huge', 'limit=99999999999999999999'],
  ['offset-negative', 'offset=-1'],
  ['offset-not-numeric', 'offset=many'],
];

const rules: [id: string, query: string][] = [
  ['missing-type', ''],
  ['unknown-type', 'type=nobody'],
  ['type-letter-case', 'type=Business'],
  ['empty-user-id', 'type=user&user_id='],
  ['unknown-user', `type=user&user_id=${invented.unknown}`],
];

const records: [id: string, operation: string, record: string][] = [
  ['unknown-card', 'getCard', invented.unknown],
  ['malformed-card', 'getCard', invented.malformed],
  ['unknown-customer', 'getCustomer', invented.unknown],
  ['malformed-customer', 'getCustomer', invented.malformed],
];

const business = pathTo('getFeeRules', 'type=business');

/** Every probe of a target, each a request of its own. */
export function probesFor(target: Target): Probe[] {
  const user = encodeURIComponent(target.identifiers.USER_IDS?.[0] ?? invented.unknown);
  return [
    ...inventedProbes(target).map((probe) => ({ ...probe, shown: shortened(probe.path) })),
    { id: 'user-id-with-business', path: `${business}&user_id=${user}` },
  ];
}

/** A path whose long value is cut. */
export const shortened = (path: string) => path.replace(/=([^&=]{8})[^&=]{33,}/g, '=$1…');

/** Probes that send nothing but what this suite has made up. */
function inventedProbes(target: Target): Probe[] {
  return [
    ...lists.map(([id, query]) => ({ id, path: pathTo('listCustomers', query) })),
    ...rules.map(([id, query]) => ({ id, path: pathTo('getFeeRules', query) })),
    ...records.map(([id, operation, record]) => ({ id, path: pathTo(operation, '', record) })),
    { id: 'missing-user-id', path: pathTo('getFeeRules', 'type=user') },
    { id: 'trailing-slash', path: `${pathTo('listCustomers')}/` },
    { id: 'accept-any', path: business, overrides: { accept: '*/*' } },
    { id: 'accept-other', path: business, overrides: { accept: 'text/html' } },
    ...(hasCredentials(target)
      ? [{ id: 'no-credentials', path: business, overrides: { anonymous: true } } as const]
      : []),
  ];
}

/** Whether there is anything to leave out of a request without credentials. */
export function hasCredentials({ headers, authModule, baseUrl }: Target): boolean {
  const named = baseUrl !== undefined && new URL(baseUrl).username !== '';
  return Object.keys(headers).length > 0 || authModule !== undefined || named;
}
