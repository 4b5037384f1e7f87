import type { Operation } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { requestOf } from '../ask/request.ts';
import type { SweptList } from '../ask/session.ts';
import type { Observation, Request } from '../redact/observation.ts';
import type { Confirmed } from '../relations/confirm.ts';
import { observationOf } from '../relations/findings.ts';
import { indexIn } from '../relations/shown.ts';
import type { PageRequest } from './paging.ts';
import { maxPlaces, type SweptCounts } from './summary.ts';

/** A page that has shown records, and its request as it may be shown. */
export interface SweptPage {
  request: PageRequest;
  /** The shard that has requested it, where several are merged. */
  shard?: number;
  observation: Request;
}

/** There may be as many pages as memory has room for: what may be shown of a request is made once it is needed. */
export const sweptPage = (
  operation: Operation,
  { page }: SweptList,
  { request, shard }: Omit<SweptPage, 'observation'>,
  curl?: string,
): SweptPage => ({
  request,
  ...(shard === undefined ? {} : { shard }),
  get observation() {
    return requestOf(operation, page(request.limit, request.offset), curl);
  },
});

/** What is said of records that share a key: how many do, and observations of what only two pages together show. */
export function sharedKeys(
  confirmed: Confirmed<SweptPage>[],
  entries: Entry[],
): Pick<SweptCounts, 'broken'> & { observations: Observation[] } {
  const observations = confirmed.flatMap((one) => observationOf(one, entries) ?? []);
  const shared = confirmed.filter(({ conclusion }) => conclusion === 'broken');
  const [address] = shared.map(({ contradiction }) => contradiction.rule.address);
  if (!address) return { broken: {}, observations };
  const seconds = shared.map(({ contradiction }) => contradiction.second);
  const positions = seconds.map(({ source }) => source.request.position);
  // The place of the later record in the list, from 1.
  const places = seconds.map(({ pointer }, n) => (positions[n] ?? 0) + indexIn(pointer) + 1);
  const first = places.sort((a, b) => a - b).slice(0, maxPlaces);
  const pages = new Set(positions).size;
  return { broken: { [address]: { records: shared.length, first, pages } }, observations };
}
