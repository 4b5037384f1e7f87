import type { Operation } from '../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import type { SweptList } from '../operations/operation-file.ts';
import { describeRequest } from '../operations/request.ts';
import type { DescribedRequest, Observation } from '../redact/observation.ts';
import type { ConcludedContradiction } from '../relations/confirm.ts';
import { describeContradiction } from '../relations/findings.ts';
import type { PageRequest } from './paging.ts';
import { addBroken, type SweptCounts } from './summary.ts';

export interface SweptPage {
  request: PageRequest;
  /** Index of the shard that requested the page, from 0; undefined unless shards are merged. */
  shard?: number;
  observation: DescribedRequest;
}

/**
 * Creates a page of a swept list. Computes `observation` on access, because a sweep may keep more than 10,000 pages in memory.
 * @param curl start of the `curl` command for the target; default: `plainCurl`
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
 * Counts and describes contradictions in a swept list, such as two customers with one `uuid`. `broken` counts the confirmed ones,
 * and `observations` also describes the undecided ones. Leaves out those that a change of the list explains.
 * @param entries ledger entries, one of which may accept a contradiction
 */
export function summarizeSharedKeys(
  concluded: ConcludedContradiction<SweptPage>[],
  entries: LedgerEntry[],
): Pick<SweptCounts, 'broken'> & { observations: Observation[] } {
  const observations = concluded.flatMap((result) => describeContradiction(result, entries) ?? []);
  const broken: SweptCounts['broken'] = {};
  for (const { contradiction, conclusion } of concluded) {
    if (conclusion !== 'broken') continue;
    const { rule, second } = contradiction;
    // Place of the later record in the list, from 1.
    const place = second.source.request.position + second.index + 1;
    addBroken(broken, rule.address, { records: 1, first: [place], pages: 1 });
  }
  return { broken, observations };
}
