import type { Operation } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import type { SweptList } from '../operations/operation-file.ts';
import { requestOf } from '../operations/request.ts';
import type { Observation, Request } from '../redact/observation.ts';
import type { Confirmed } from '../relations/confirm.ts';
import { observationOf } from '../relations/findings.ts';
import type { PageRequest } from './paging.ts';
import { type SweptCounts, sumOfBroken } from './summary.ts';

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
  const broken: SweptCounts['broken'] = {};
  for (const { contradiction, conclusion } of confirmed) {
    if (conclusion !== 'broken') continue;
    const { rule, second } = contradiction;
    // The place of the later record in the list, from 1.
    const place = second.source.request.position + second.index + 1;
    broken[rule.address] = sumOfBroken(broken[rule.address], { records: 1, first: [place], pages: 1 });
  }
  return { broken, observations };
}
