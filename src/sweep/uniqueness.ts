import type { Operation } from '../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import type { SweptList } from '../operations/operation-file.ts';
import { describeRequest } from '../operations/request.ts';
import type { Observation, Request } from '../redact/observation.ts';
import type { Confirmed } from '../relations/confirm.ts';
import { describeContradiction } from '../relations/findings.ts';
import type { PageRequest } from './paging.ts';
import { addBroken, type SweptCounts } from './summary.ts';

/** Page of a swept list that has shown records. */
export interface SweptPage {
  request: PageRequest;
  /** Index, from 0, of the shard that requested a page; undefined unless the sweeps of shards are merged. */
  shard?: number;
  /** Request for a page, as reports show it. */
  observation: Request;
}

/**
 * Creates a page of a swept list. Computes its `observation` on access, because a sweep may keep more than 10,000 pages in memory.
 * @param curl `curl` command that requests an address of the target; default: `plainCurl`
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
 * Summarizes the contradictions of a swept list, such as two customers with one `uuid`. `broken` counts the confirmed ones, keyed
 * by the address of the uniqueness rule. `observations` describes the confirmed and the undecided ones. Leaves out settled ones, in
 * which the list only changed.
 * @param entries ledger entries, one of which may tolerate a contradiction
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
