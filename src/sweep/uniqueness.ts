import type { Operation } from '../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import type { SweptList } from '../operations/operation-file.ts';
import { describeRequest } from '../operations/request.ts';
import type { DescribedRequest, Observation } from '../redact/observation.ts';
import type { ConcludedContradiction } from '../relations/confirm.ts';
import { createContradictionObservation } from '../relations/findings.ts';
import type { PageRequest } from './paging.ts';
import { addBroken, type SweptCounts } from './summary.ts';

export interface SweptPage {
  request: PageRequest;
  /** Index, from 0, of the shard that requested the page. Only set while the results of shards are merged. */
  shard?: number;
  observation: DescribedRequest;
}

/**
 * Describes a swept page. Computes `observation` only when it is read, to save memory: a sweep may keep more than 10,000 pages.
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
 * Summarizes the contradictions in a swept list, such as two customers with one `uuid`. `broken` counts those that are confirmed;
 * `observations` describe these and the undecided ones.
 */
export function summarizeSharedKeys(
  concluded: ConcludedContradiction<SweptPage>[],
  entries: LedgerEntry[],
): Pick<SweptCounts, 'broken'> & { observations: Observation[] } {
  const observations = concluded.flatMap((result) => createContradictionObservation(result, entries) ?? []);
  const broken: SweptCounts['broken'] = {};
  for (const { contradiction, conclusion } of concluded) {
    if (conclusion !== 'broken') continue;
    const { rule, later } = contradiction;
    // Position of the later record in the list, from 1.
    const position = later.source.request.position + later.index + 1;
    addBroken(broken, rule.address, { records: 1, first: [position], pages: 1 });
  }
  return { broken, observations };
}
