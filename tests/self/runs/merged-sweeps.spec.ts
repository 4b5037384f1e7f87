import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { mergeShards } from '../../../reports/merge/merge-shards.ts';
import { hasSweeps, mergedSweep, withSweepsMerged } from '../../../reports/merge/merge-sweeps.ts';
import { withMergedChanges } from '../../../reports/merge/merged-changes.ts';
import { readShardResults } from '../../../reports/merge/shard-results.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readStoredResults } from '../../run/results.ts';
import type { SweepResult } from '../../sweep/results/result.ts';
import { askInProcess } from '../harness/in-process-run.ts';
import { type Environment, targetOf } from '../harness/whole-run.ts';

const total = 2;
/** Two shards of a sweep, and another second one, which has not swept. */
let shards: { one: Conformance; other: Conformance; unswept: Conformance };

test.beforeAll(async () => {
  const mock = await startMock({ population: { customers: 60 } });
  const env = { ...targetOf(mock.url), SWEEP: 'all' };
  shards = {
    one: await shardOf(1, { ...env, REPORTS_DIR: left('s1') }),
    other: await shardOf(2, { ...env, REPORTS_DIR: left('s2') }),
    unswept: await shardOf(2, { ...env, REPORTS_DIR: left('unswept'), SWEEP: 'off' }),
  };
  await mock.close();
});

const left = (name: string) =>
  path.join(test.info().project.outputDir, `merged-sweeps-${test.info().workerIndex}`, name);

async function shardOf(current: number, env: Environment): Promise<Conformance> {
  const shard = { current, total };
  const select = (all: string[]) => all.filter((_, index) => index % total === current - 1);
  const { conformance } = await askInProcess(env, (judge) => judge({ shard, select }), { shard });
  return conformance as Conformance;
}

/** A folder of this test with what a second shard has left. */
function folderOf(name = 's2'): string {
  const folder = test.info().outputPath(name);
  cpSync(left(name), folder, { recursive: true });
  return folder;
}

const merge = (reports: Conformance[], folder: string) =>
  withSweepsMerged(
    loadContract(),
    mergeShards(loadContract(), reports),
    readShardResults(loadContract(), [left('s1'), folder], reports),
    reports,
  );

test('shards of a sweep come to an error where one did not come to its end, or a test of it failed', async () => {
  const { one, other } = shards;
  const folder = folderOf();
  expect(await merge([one, other], folder)).toMatchObject({ verdict: 'pass', sweeps: [{ judged: 60 }] });
  const [first] = other.requirements;
  const failed = { ...other, requirements: [{ ...first, verdict: 'error' }, ...other.requirements.slice(1)] };
  expect((await merge([one, failed as Conformance], folder)).verdict).toBe('error');
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
  expect(await merge([one, cut], folder)).toMatchObject(said);
  rmSync(path.join(folder, 'observations'), { recursive: true });
  expect(await merge([one, cut], folder)).toMatchObject(said);
});

test('what has changed, and since when, is said as of a whole run', async () => {
  const { one, other } = shards;
  const broken = one.requirements[0]?.address ?? '';
  const earlier = '2026-01-01T00:00:00.000Z';
  const folder = folderOf();
  const was = await merge([one, other], folder);
  const requirements = was.requirements.map((requirement) => ({
    ...requirement,
    since: earlier,
    ...(requirement.address === broken ? { verdict: 'violation' } : {}),
  }));
  const { target, profile, contract, verdict } = was;
  const since = { target, profile, startedAt: '2026-01-02T00:00:00.000Z', contract, verdict };
  const all = requirements.map(({ address }) => address);
  const changes = { since, broken: [], mended: [], newlyExercised: [], noLongerExercised: all };
  const compared = [one, other].map((report) => ({ ...report, changes }));
  const sinceIn = (merged: Conformance) =>
    new Set(merged.requirements.map((requirement) => requirement.since));
  expect(sinceIn(was)).toEqual(new Set([was.startedAt]));
  const unknown = await merge(compared, folder);
  expect(unknown.changes).toMatchObject({ since, noLongerExercised: [] });
  const keep = (run: object) => writeFileSync(path.join(folder, 'previous.json'), JSON.stringify(run));
  keep({ ...was, ...since, requirements, startedAt: earlier });
  expect(await merge(compared, folder)).toEqual(unknown);
  keep({ ...was, ...since, requirements });
  const merged = await merge(compared, folder);
  expect(merged.changes).toMatchObject({ since, mended: [broken], noLongerExercised: [] });
  expect(sinceIn(merged)).toEqual(new Set([merged.startedAt, earlier]));
  const odd = { ...other, changes: { ...changes, since: { ...since, startedAt: earlier } } };
  const first = compared[0] as Conformance;
  const own = [{ address: broken, verdict: 'violation', since: earlier }, ...first.requirements.slice(1)];
  const apart = withMergedChanges(was, [{ ...first, requirements: own } as Conformance, odd], [folder]);
  expect(sinceIn(apart)).not.toContain(earlier);
});

test('a merged sweep has the notes that all shards have, and says that they are of different days', async () => {
  const reports = [shards.one, shards.other].map((report) => ({ ...report, notes: ['of both'] }));
  const results = readShardResults(loadContract(), [left('s1'), left('s2')], reports);
  Object.assign(reports[0] ?? {}, { startedAt: '2026-01-01T00:00:00.000Z', notes: ['of both', 'of one'] });
  const all = mergeShards(loadContract(), reports);
  const { notes } = await withSweepsMerged(loadContract(), all, results, reports);
  expect(notes.join()).toMatch(
    /^the shards are of different days: shard 1 on 2026-01-01, .*,of both(?!.*of one)/,
  );
});

test('observations of another run than the report beside them are rejected', async () => {
  const { one, other } = shards;
  const folder = folderOf();
  await expect(async () =>
    merge([one, { ...other, startedAt: '2026-01-01T00:00:00Z' }], folder),
  ).rejects.toThrow(`the observations in ${folder} are not of the run whose report stands beside them`);
  const [first] = other.requirements;
  const violated = [{ ...first, verdict: 'violation' }, ...other.requirements.slice(1)];
  await expect(async () =>
    merge([one, { ...other, requirements: violated } as Conformance], folder),
  ).rejects.toThrow(
    `the report in ${folder} says something else of ${first?.address} than the observations beside it`,
  );
});

test('what no run leaves is rejected in one sentence, with its file, and no pipe is opened', async () => {
  const folder = folderOf();
  const reports = [shards.one, shards.other];
  const at = (...names: string[]) => path.join(folder, ...names);
  const isRejected = (file: string) =>
    expect(async () => merge(reports, folder)).rejects.toThrow(`${file} is `);
  const run = readFileSync(at('observations', 'run.json'), 'utf8');
  const broken: [name: string, text: string][] = [
    ['requests.json', '[null]'],
    ['run.json', run.replace(/"journal": "/, '$&../')],
    ['observed.json', '[]'],
    ['000-getCard.json', 'null'],
  ];
  for (const [name, text] of broken) {
    const file = at('observations', name);
    const whole = existsSync(file) ? readFileSync(file) : undefined;
    writeFileSync(file, text);
    await isRejected(file);
    rmSync(file);
    if (whole) writeFileSync(file, whole);
  }
  // A journal that has lost what breaks the contract.
  const one = { records: 1, first: [1], states: {}, pages: 1 };
  const withBroken = run.replace('"broken": {}', `"broken": ${JSON.stringify({ 'getCard/body': one })}`);
  writeFileSync(at('observations', 'run.json'), withBroken);
  await isRejected(at('sweep', 'listCustomers.ndjson'));
  writeFileSync(at('observations', 'run.json'), run);
  const requests = readFileSync(at('observations', 'requests.json'));
  for (const name of [
    'sweep/listCustomers.prints',
    'sweep/listCustomers.ndjson',
    'observations/requests.json',
  ]) {
    rmSync(at(name));
    execFileSync('mkfifo', [at(name)]);
    await isRejected(at(name));
  }
  rmSync(at('observations/requests.json'));
  writeFileSync(at('observations/requests.json'), requests);
  const [sweep] = readStoredResults(folder).sweeps ?? [];
  const ofIdentifiers = { sweep: { ...(sweep as SweepResult), pointer: '' }, folder };
  await expect(mergedSweep(loadContract(), [ofIdentifiers])).rejects.toThrow(
    'listCustomers.ndjson is missing',
  );
});

test('shards of which only some have swept are rejected', async () => {
  const reports = structuredClone([shards.one, shards.unswept]);
  const folder = folderOf('unswept');
  await expect(async () => merge(reports, folder)).rejects.toThrow(
    'shard 1 was to judge run/sweep, and shard 2',
  );
  expect([hasSweeps(reports), hasSweeps(reports.slice(1))]).toEqual([true, false]);
  for (const { shard } of reports) delete shard?.selected;
  await expect(async () => merge(reports, folder)).rejects.toThrow(
    /have swept different things \(listCustomers customers all, and nothing\): run all with the same SWEEP/,
  );
});
