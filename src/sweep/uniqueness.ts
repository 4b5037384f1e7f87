import type { Operation } from '../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import type { SweptList } from '../operations/operation-file.ts';
import { describeRequest } from '../operations/request.ts';
import type { Observation, Request } from '../redact/observation.ts';
import type { Confirmed } from '../relations/confirm.ts';
import { describeContradiction } from '../relations/findings.ts';
import type { PageRequest } from './paging.ts';
import { addBroken, type SweptCounts } from './summary.ts';

/** Page of a sweep that has shown records, with its request as reports show it. */
export interface SweptPage {
  request: PageRequest;
  /** Index of the shard that has requested the page; only if the sweeps of shards are merged. */
  shard?: number;
  observation: Request;
}

/**
 * Creates a page whose `observation` is computed on access, because a sweep may keep more than 10,000 pages in memory.
 * @param curl command that requests an address of the target; default: `plainCurl`
 */
export const createSweptPage = (
  operation: Operation,
  { page }: SweptList,
  { request, shard }: Omit<SweptPage, 'observation'>,
  curl?: string,
): SweptPage => ({
  request,
  ...(shard === undefined ? {} : { shard }),
  get observation() {
    return describeRequest(operation, page(request.limit, request.offset), curl);
  },
});

/**
 * Counts the broken uniqueness rules, keyed by the address of the rule, and describes each contradiction as an observation. Settled
 * contradictions are left out; undecided ones are described, not counted.
 */
export function summarizeSharedKeys(
  confirmed: Confirmed<SweptPage>[],
  entries: LedgerEntry[],
): Pick<SweptCounts, 'broken'> & { observations: Observation[] } {
  const observations = confirmed.flatMap((result) => describeContradiction(result, entries) ?? []);
  const broken: SweptCounts['broken'] = {};
  for (const { contradiction, conclusion } of confirmed) {
    if (conclusion !== 'broken') continue;
    const { rule, second } = contradiction;
    // Place of the later record in the list, from 1.
    const place = second.source.request.position + second.index + 1;
    addBroken(broken, rule.address, { records: 1, first: [place], pages: 1 });
  }
  return { broken, observations };
}
