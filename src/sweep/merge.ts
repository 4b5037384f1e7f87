import type { Operation } from '../../schemas/contract/contract.ts';
import type { SweptList } from '../operations/operation-file.ts';
import type { Observation } from '../redact/observation.ts';
import { Relations } from '../relations/relations.ts';
import { JournalError, readJournal } from './journal.ts';
import { addSweptCounts, type SweepResult } from './summary.ts';
import type { SweptLine } from './sweep.ts';
import { createSweptPage, type SweptPage, summarizeContradictions } from './uniqueness.ts';

export interface SweptShard {
  result: SweepResult;
  folder: string;
}

export function sumSweeps(shards: SweepResult[]): SweepResult {
  const sum = structuredClone(shards[0] as SweepResult);
  for (const shard of shards.slice(1)) {
    // A record that two shards received counts twice.
    addSweptCounts(sum, shard);
    if (shard.stopped !== undefined) sum.stopped ??= shard.stopped;
  }
  return { ...sum, ...sumPopulations(sum, shards) };
}

function sumPopulations(
  { list }: SweepResult,
  shards: SweepResult[],
): Pick<SweepResult, 'populationSize' | 'smallestPopulation'> {
  // A sweep of a list without a division was not planned, so that it has counted no records.
  const plannedShards = shards.filter(({ division }) => division !== undefined);
  const sizes = plannedShards.map(({ populationSize }) => populationSize);
  // Each shard counts all records of a list, but only its own lines of a file of identifiers.
  if (!list) return { populationSize: sizes.reduce((sum, size) => sum + size, 0) };
  const populationSize = Math.max(0, ...sizes);
  const smallestPopulation = Math.min(...sizes);
  return smallestPopulation < populationSize ? { populationSize, smallestPopulation } : { populationSize };
}

/**
 * Merges the results of shards that swept one list. Compares the records of the shards with each other.
 * @returns `observations` has a violation for each contradiction between two shards
 * @throws {JournalError} if the shards swept different targets
 */
export async function mergeShardSweeps(
  operation: Operation,
  list: SweptList,
  shards: SweptShard[],
): Promise<{ result: SweepResult; observations: Observation[] }> {
  const result = sumSweeps(shards.map((shard) => shard.result));
  // No secret is needed, because the shards have hashed their records already.
  const relations = new Relations<SweptPage>([operation], { secret: '' });
  let duplicateCount = 0;
  for (const { records, ...page } of await readPages(shards)) {
    const sweptPage = createSweptPage(operation, list, page);
    duplicateCount += relations.replay(operation, records, sweptPage).duplicates;
  }
  const contradictionsAcrossShards = relations.contradictions
    .all()
    .filter(({ earlier, later }) => earlier.source.shard !== later.source.shard);
  const concludedContradictions = contradictionsAcrossShards.map((contradiction) => ({
    contradiction,
    conclusion: 'broken' as const,
    // A merge sends no requests.
    requests: [],
  }));
  const { brokenRecords, observations } = summarizeContradictions(concludedContradictions);
  // If two shards received the same record, both counted it as judged. Now it counts once as judged, and once as duplicate.
  const duplicatesAcrossShards = duplicateCount - result.duplicates;
  addSweptCounts(result, {
    judged: -duplicatesAcrossShards,
    duplicates: duplicatesAcrossShards,
    brokenRecords,
  });
  return { result, observations };
}

interface JournalPage extends Required<Pick<SweptLine, 'request'>> {
  shard: number;
  records: NonNullable<SweptLine['shown']>;
}

async function readPages(shards: SweptShard[]): Promise<JournalPage[]> {
  const pages: JournalPage[] = [];
  const targetHashes = new Set<string>();
  for (const [shardIndex, { result, folder }] of shards.entries())
    for await (const { target, request, shown: records } of readJournal<SweptLine>(folder, result.journal)) {
      // Only the first line of a journal has a target.
      if (target) targetHashes.add(target);
      if (request && records) pages.push({ request, shard: shardIndex, records });
    }
  assertSameTarget(targetHashes);
  return pages.sort((a, b) => a.request.position - b.request.position);
}

function assertSameTarget(targetHashes: Set<string>): void {
  if (targetHashes.size > 1)
    throw new JournalError(
      'the shards were swept at different addresses, so that no identifier can be compared across them: run all with the same TARGET_NAME and BASE_URL',
    );
}
