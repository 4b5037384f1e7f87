import type { Operation } from '../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import type { SweptList } from '../operations/operation-file.ts';
import type { Observation } from '../redact/observation.ts';
import { Relations } from '../relations/relations.ts';
import { JournalError, readJournal } from './journal.ts';
import { addCounts, type SweepResult } from './summary.ts';
import type { SweptLine } from './sweep.ts';
import { createSweptPage, type SweptPage, summarizeSharedKeys } from './uniqueness.ts';

export interface SweptShard {
  result: SweepResult;
  folder: string;
}

/**
 * Adds up the results of the shards of one sweep. A record that two shards received counts twice, unless `mergeShardSweeps`
 * corrects it.
 */
export function sumSweeps(shards: SweepResult[]): SweepResult {
  const sum = structuredClone(shards[0] as SweepResult);
  for (const shard of shards.slice(1)) {
    addCounts(sum, shard);
    // Each shard counts the whole list, but only its own lines of a file.
    sum.counted = sum.list ? Math.max(sum.counted, shard.counted) : sum.counted + shard.counted;
    if (shard.stopped !== undefined) sum.stopped ??= shard.stopped;
  }
  return sum;
}

/**
 * Merges the sweeps of a list by several shards. Counts a record once if several shards received it, and reports keys that
 * different records of two shards share.
 * @throws {JournalError} if the shards swept different targets, so that the hashes of their records cannot be compared
 */
export async function mergeShardSweeps(
  entries: LedgerEntry[],
  operation: Operation,
  list: SweptList,
  shards: SweptShard[],
): Promise<{ result: SweepResult; observations: Observation[] }> {
  const result = sumSweeps(shards.map((shard) => shard.result));
  // The shards have hashed their records already: no secret is needed.
  const relations = new Relations<SweptPage>([operation], { secret: '' });
  const comparisons = (await readPages(shards)).map(({ records, ...page }) =>
    relations.replay(operation, records, createSweptPage(operation, list, page)),
  );
  // Each shard has confirmed its own contradictions. Merging sends no request, so that one across shards counts without repetition.
  const concluded = relations.contradictions
    .all()
    .filter(({ first, second }) => first.source.shard !== second.source.shard)
    .map((contradiction) => ({ contradiction, conclusion: 'broken' as const, requests: [] }));
  const { broken, observations } = summarizeSharedKeys(concluded, entries);
  // Each shard has counted its own duplicates.
  const duplicates =
    comparisons.reduce((sum, comparison) => sum + comparison.duplicates, 0) - result.repeated;
  addCounts(result, { judged: -duplicates, repeated: duplicates, broken });
  return { result, observations };
}

interface JournalPage extends Required<Pick<SweptLine, 'request'>> {
  /** Index of the shard, from 0. */
  shard: number;
  records: NonNullable<SweptLine['shown']>;
}

/**
 * Reads the pages in the journals of all shards, in the order of the list.
 * @throws {JournalError} if the shards swept different targets
 */
async function readPages(shards: SweptShard[]): Promise<JournalPage[]> {
  const pages: JournalPage[] = [];
  const targets = new Set<string>();
  for (const [shard, { result, folder }] of shards.entries())
    for await (const line of readJournal<SweptLine>(folder, result.journal)) {
      if (line.target) targets.add(line.target);
      if (line.request && line.shown) pages.push({ request: line.request, shard, records: line.shown });
    }
  if (targets.size > 1)
    throw new JournalError(
      'the shards were swept at different addresses, so that no identifier can be compared across them: run all with the same TARGET_NAME and BASE_URL',
    );
  return pages.sort((a, b) => a.request.position - b.request.position);
}
