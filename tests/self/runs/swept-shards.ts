import { cpSync } from 'node:fs';
import path from 'node:path';
import { test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { mergeShards } from '../../../reports/merge/merge-shards.ts';
import { withSweepsMerged } from '../../../reports/merge/merge-sweeps.ts';
import { readShardResults } from '../../../reports/merge/shard-results.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { askInProcess } from '../harness/in-process-run.ts';
import { type Environment, targetOf } from '../harness/whole-run.ts';

export const total = 2;

/** Two shards of a sweep, and another second one, which has not swept. Each leaves its reports in a folder of its own. */
export async function sweepInTwo() {
  const mock = await startMock({ population: { customers: 60 } });
  const env = { ...targetOf(mock.url), SWEEP: 'all' };
  const shards = {
    one: await shardOf(1, { ...env, REPORTS_DIR: left('s1') }),
    other: await shardOf(2, { ...env, REPORTS_DIR: left('s2') }),
    unswept: await shardOf(2, { ...env, REPORTS_DIR: left('unswept'), SWEEP: 'off' }),
  };
  await mock.close();
  return shards;
}

export type SweptShards = Awaited<ReturnType<typeof sweepInTwo>>;

/** The folder of a shard: `s1`, `s2` or `unswept`. */
export const left = (name: string) =>
  path.join(test.info().project.outputDir, `swept-shards-${test.info().workerIndex}`, name);

async function shardOf(current: number, env: Environment): Promise<Conformance> {
  const shard = { current, total };
  const select = (all: string[]) => all.filter((_, index) => index % total === current - 1);
  const { conformance } = await askInProcess(env, (judge) => judge({ shard, select }), { shard });
  return conformance as Conformance;
}

/** A folder of this test with what a second shard has left. */
export function folderOf(name = 's2'): string {
  const folder = test.info().outputPath(name);
  cpSync(left(name), folder, { recursive: true });
  return folder;
}

/** What the first shard and one in a folder come to together. */
export const merge = (reports: Conformance[], folder: string) =>
  withSweepsMerged(
    loadContract(),
    mergeShards(loadContract(), reports),
    readShardResults(loadContract(), [left('s1'), folder], reports),
    reports,
  );
