import type { Operation } from '../../schemas/contract/contract.ts';
import type { SweptList } from '../operations/operation-file.ts';
import { describeRequest } from '../operations/request.ts';
import type { DescribedRequest, Observation } from '../redact/observation.ts';
import type { ConcludedContradiction } from '../relations/confirm.ts';
import { createContradictionObservation } from '../relations/findings.ts';
import type { PageRequest } from './paging.ts';
import { addBroken, type SweptCounts } from './summary.ts';

export interface SweptPage {
  request: PageRequest;
  /** Index of the shard, from 0. Set only if shards are merged. */
  shard?: number;
  observation: DescribedRequest;
}

/**
 * Creates a swept page. The `observation` of the page describes the request, for example as
 * `GET /…/customers?limit=100&offset=200`.
 * @param curlStart beginning of the curl command, up to the URL. The default sends only the header `Accept`.
 */
export const createSweptPage = (
  operation: Operation,
  { createPageArguments }: SweptList,
  { request, shard }: Omit<SweptPage, 'observation'>,
  curlStart?: string,
): SweptPage => ({
  request,
  ...(shard === undefined ? {} : { shard }),
  // A getter saves memory, because a sweep may keep more than 10,000 pages.
  get observation() {
    return describeRequest(operation, createPageArguments(request.limit, request.offset), curlStart);
  },
});

/**
 * Creates the observations of contradictions in a swept list, such as two customers with one `uuid`. A contradiction that later
 * responses have settled gets no observation.
 * @returns `brokenRecords` counts only confirmed contradictions. `observations` also contains unconfirmed contradictions.
 */
export function summarizeContradictions(
  concluded: ConcludedContradiction<SweptPage>[],
): Pick<SweptCounts, 'brokenRecords'> & { observations: Observation[] } {
  const brokenRecords: SweptCounts['brokenRecords'] = {};
  for (const { contradiction, conclusion } of concluded) {
    if (conclusion !== 'broken') continue;
    const { rule, later: laterRecord } = contradiction;
    // `position` is the index of the first record on the page. The number of a record in the list begins with 1.
    const indexInList = laterRecord.source.request.position + laterRecord.index;
    const recordNumber = indexInList + 1;
    addBroken(brokenRecords, rule.address, { records: 1, first: [recordNumber], pages: 1 });
  }
  const observations = concluded.flatMap(
    (concludedContradiction) => createContradictionObservation(concludedContradiction) ?? [],
  );
  return { brokenRecords, observations };
}
