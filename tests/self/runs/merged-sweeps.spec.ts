import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { type Mock, startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { readLeft } from '../../../reports/merge/left.ts';
import { mergeShards } from '../../../reports/merge/merge-shards.ts';
import { withSweepsMerged } from '../../../reports/merge/merge-sweeps.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { askInProcess } from '../harness/in-process-run.ts';
import { type Environment, targetOf } from '../harness/whole-run.ts';

const total = 2;
let mock: Mock;

test.beforeAll(async () => {
  mock = await startMock({ population: { customers: 60 } });
});
test.afterAll(() => mock.close());

/** One of two shards of a run: its report, in the folder that it has left. */
async function shardOf(current: number, env: Environment = {}): Promise<Conformance> {
  const shard = { current, total };
  const own = { ...targetOf(mock.url), SWEEP: 'all', REPORTS_DIR: folderOf(current), ...env };
  const select = (all: string[]) => all.filter((_, index) => index % total === current - 1);
  const { conformance } = await askInProcess(own, (judge) => judge({ shard, select }), { shard });
  return conformance as Conformance;
}

const folderOf = (current: number) => test.info().outputPath(`s${current}`);

const merge = (reports: Conformance[]) =>
  withSweepsMerged(
    loadContract(),
    mergeShards(loadContract(), reports),
    readLeft(loadContract(), [folderOf(1), folderOf(2)], reports),
    reports,
  );

test('shards of a sweep come to an error where one did not come to its end, or a test of it failed', async () => {
  const [one, other] = [await shardOf(1), await shardOf(2)];
  expect(await merge([one, other])).toMatchObject({ verdict: 'pass', sweeps: [{ judged: 60 }] });
  const [first] = other.requirements;
  const failed = { ...other, requirements: [{ ...first, verdict: 'error' }, ...other.requirements.slice(1)] };
  expect((await merge([one, failed as Conformance])).verdict).toBe('error');
  const shard = { current: 2, total, complete: false };
  const cut: Conformance = {
    ...other,
    shard,
    requests: 0,
    requirements: [],
    notes: ['timed out'],
    verdict: 'error',
  };
  const said = { verdict: 'error', notes: ['shard 2: timed out'] };
  expect(await merge([one, cut])).toMatchObject(said);
  rmSync(path.join(folderOf(2), 'observations'), { recursive: true });
  expect(await merge([one, cut])).toMatchObject(said);
});

test('observations of another run than the report beside them are rejected', async () => {
  const [one, other] = [await shardOf(1), await shardOf(2)];
  await expect(async () => merge([one, { ...other, startedAt: '2026-01-01T00:00:00Z' }])).rejects.toThrow(
    `the observations in ${folderOf(2)} are not of the run whose report stands beside them`,
  );
  const [first] = other.requirements;
  const violated = [{ ...first, verdict: 'violation' }, ...other.requirements.slice(1)];
  await expect(async () => merge([one, { ...other, requirements: violated } as Conformance])).rejects.toThrow(
    `the observations in ${folderOf(2)} do not show of ${first?.address} what the report beside them says`,
  );
});

test('shards of which only some have swept are rejected', async () => {
  const [one, other] = [await shardOf(1), await shardOf(2, { SWEEP: 'off' })];
  await expect(async () => merge([one, other])).rejects.toThrow(
    'shard 1 was to judge run/sweep, and shard 2',
  );
  for (const { shard } of [one, other]) delete shard?.selected;
  await expect(async () => merge([one, other])).rejects.toThrow(
    /have swept different things \(listCustomers customers all, and nothing\): run all with the same SWEEP/,
  );
});
