import type { HttpResponse } from '../../../schemas/judge/judgement.ts';
import type { Blocked } from '../../client/http-client.ts';
import { json } from '../harness/examples.ts';
import { list, type Pages } from './paging-provider.ts';

type Oddity = (usual: () => unknown[], random: () => number) => HttpResponse | Blocked;

const statuses = [301, 400, 401, 403, 404, 418, 429, 500, 503];
const oneOf = <T>(some: T[], random: () => number) => some[Math.floor(random() * some.length)] as T;
const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

const oddRecords: unknown[] = [
  null,
  7,
  [],
  {},
  { uuid: 7 },
  { uuid: '..' },
  { uuid: '\ud800' },
  { uuid: 'x'.repeat(5000) },
  { uuid: { toString: 1 }, default_payment_token: { token_type: { toString: 1, toJSON: 1 } } },
  { uuid: 'cus-token', default_payment_token: { token_type: { toString: 1 } } },
  JSON.parse('{"__proto__":{"uuid":"cus-proto"},"constructor":1,"hasOwnProperty":1}'),
  { uuid: 'cus-deep', a: nested(900) },
  { a: nested(900) },
];

/** What comes instead of the usual page, now and then. */
const oddities: Oddity[] = [
  (_, random) => json(oneOf(statuses, random), { code: 1 }),
  () => ({ blocked: 'no complete answer within 1 ms' }),
  (usual) => json(200, { code: 500, message: 'no', data: { customers: usual() } }),
  () => json(200, { code: 500, data: { customers: [1] } }),
  () => json(200, { code: 200, message: 'ok', data: { customers: { length: 9 } } }),
  () => json(200, { code: 200, message: 'ok', data: null }),
  () => ({ ...json(200, null), body: Buffer.from('[') }),
  (usual) => list([...usual(), ...usual()]),
  (usual, random) => list(usual().filter(() => random() < 0.5)),
  (usual, random) => list(usual().toSorted(() => random() - 0.5)),
  (usual, random) => list([...usual(), oneOf(oddRecords, random)]),
  () => list(oddRecords),
  (_, random) => list([{ uuid: `${random()}`, dial_code: '+1', reference_number: 'r', [`${random()}`]: 1 }]),
];

/** Pages of which some are replaced by something odd, another time by something else. */
export function oddPages(pages: Pages, share: number, random: () => number): Pages {
  return (query) => {
    const usual = pages(query);
    if (random() >= share) return usual;
    return oneOf(oddities, random)(() => ('blocked' in usual ? [] : customersOf(usual)), random);
  };
}

function customersOf({ body }: HttpResponse): unknown[] {
  const text = Buffer.from(body).toString();
  return text.startsWith('{') ? (JSON.parse(text).data?.customers ?? []) : [];
}
