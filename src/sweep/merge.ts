import type { Operation } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import type { SweptList } from '../operations/operation-file.ts';
import type { Observation } from '../redact/observation.ts';
import { Relations } from '../relations/relations.ts';
import { JournalError, readJournal } from './journal.ts';
import { addCounts, type SweepResult } from './summary.ts';
import type { SweptLine } from './sweep.ts';
import { type SweptPage, sharedKeys, sweptPage } from './uniqueness.ts';

/** What a shard says of a sweep, and its `REPORTS_DIR`. */
export interface SweptShard {
  result: SweepResult;
  folder: string;
}

/** The sums of several shards. What only their records together show is added by `acrossShards`. */
export function sumOfSweeps(shards: SweepResult[]): SweepResult {
  const sum = structuredClone(shards[0] as SweepResult);
  for (const more of shards.slice(1)) {
    addCounts(sum, more);
    // A file is counted by the lines of each shard, and a list as a whole.
    sum.counted = sum.list ? Math.max(sum.counted, more.counted) : sum.counted + more.counted;
    if (more.stopped !== undefined) sum.stopped ??= more.stopped;
  }
  return sum;
}

/**
 * The sweeps of a list by shards, as one: records that several of them were shown are counted once, and a key that records of two
 * of them share breaks the rule about it, as observations say.
 * @throws {JournalError} when journals cannot be read, or their hashes cannot be compared.
 */
export async function acrossShards(
  entries: Entry[],
  operation: Operation,
  list: SweptList,
  shards: SweptShard[],
): Promise<{ result: SweepResult; observations: Observation[] }> {
  const result = sumOfSweeps(shards.map((shard) => shard.result));
  const relations = new Relations<SweptPage>([operation], { secret: '' });
  const seen = (await keptPages(shards)).map(({ shown, ...page }) =>
    relations.replay(operation, shown, sweptPage(operation, list, page)),
  );
  const across = relations.contradictions
    .all()
    .filter(({ first, second }) => first.source.shard !== second.source.shard);
  const confirmed = across.map((one) => ({ contradiction: one, conclusion: 'broken' as const, sent: [] }));
  const { broken, observations } = sharedKeys(confirmed, entries);
  const repeated = seen.reduce((sum, one) => sum + one.repeated, 0) - result.repeated;
  addCounts(result, { judged: -repeated, repeated, broken });
  return { result, observations };
}

/** A page, and the hashes of its records, as a journal has them. */
type KeptPage = Required<Pick<SweptLine, 'request' | 'shown'>> & { shard: number };

/** The pages of all shards in the order of the list. */
async function keptPages(shards: SweptShard[]): Promise<KeptPage[]> {
  const pages: KeptPage[] = [];
  const targets = new Set<string>();
  for (const [shard, { result, folder }] of shards.entries())
    for await (const { target, request, shown } of readJournal<SweptLine>(folder, result.journal)) {
      if (target) targets.add(target);
      if (request && shown) pages.push({ request, shard, shown });
    }
  if (targets.size > 1)
    throw new JournalError(
      'the shards were swept at different addresses, so that no identifier can be compared across them: run all with the same TARGET_NAME and BASE_URL',
    );
  return pages.sort((one, other) => one.request.position - other.request.position);
}
