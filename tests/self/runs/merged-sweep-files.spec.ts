import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { derivedReports } from '../../../reports/merge/derived-reports.ts';
import { hasSweeps, mergedSweep } from '../../../reports/merge/merge-sweeps.ts';
import { readShardResults } from '../../../reports/merge/shard-results.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readStoredResults } from '../../run/results.ts';
import type { SweepResult } from '../../sweep/results/result.ts';
import { folderOf, left, merge, type SweptShards, sweepInTwo, total } from './swept-shards.ts';

let shards: SweptShards;

test.beforeAll(async () => {
  shards = await sweepInTwo();
});

test('observations of another run than the report beside them are rejected', async () => {
  const { one, other } = shards;
  const folder = folderOf();
  const read = (odd: object) => () =>
    readShardResults(loadContract(), [left('s1'), folder], [one, { ...other, ...odd }]);
  const others = [{ startedAt: 'x' }, { target: 'x' }, { contract: 'x' }, { requests: 1 }, { sweeps: [] }];
  for (const odd of [...others, { shard: { current: 2, total: 3 } }, { requestsMade: [] }])
    expect(read(odd), JSON.stringify(odd)).toThrow(
      `the observations in ${folder} are not of the run whose report stands beside them`,
    );
  const shard = { ...other.shard, complete: false };
  expect(read({ startedAt: 'x', shard })()[1]).toBeUndefined();
  const [first] = other.requirements;
  const violated = [{ ...first, verdict: 'violation' }, ...other.requirements.slice(1)];
  await expect(async () =>
    merge([one, { ...other, requirements: violated } as Conformance], folder),
  ).rejects.toThrow(
    `the report in ${folder} says something else of ${first?.address} than the observations beside it`,
  );
});

test('reports that no longer say that they have swept are rejected', () => {
  const { one, other } = shards;
  const reports = [one, other].map(({ sweeps: _, ...report }) => report);
  expect(() => derivedReports(loadContract(), [left('s1'), left('s2')], reports)).toThrow(
    `the observations in ${left('s1')} are not of the run whose report stands beside them`,
  );
});

test('what no run leaves is rejected in one sentence, with its file, and no pipe is opened', async () => {
  const folder = folderOf();
  const reports = [shards.one, shards.other];
  const at = (...names: string[]) => path.join(folder, ...names);
  const isRejected = (file: string) =>
    expect(async () => merge(reports, folder)).rejects.toThrow(`${file} is `);
  const run = readFileSync(at('observations', 'run.json'), 'utf8');
  const unfinished = { ...shards.other, shard: { current: 2, total, complete: false } };
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
    const read = readShardResults(loadContract(), [left('s1'), folder], [shards.one, unfinished]);
    expect(read[1]).toBeUndefined();
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
  const drawn = ['s1', 's2'].map(folderOf);
  for (const [seed, one] of drawn.entries()) {
    const file = path.join(one, 'observations', 'run.json');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('"mode": "all"', `"mode": "sample", "seed": ${seed}`),
    );
  }
  const read = () => readShardResults(loadContract(), drawn, [shards.one, shards.other]);
  expect(read).toThrow('(listCustomers customers sample 0, and listCustomers customers sample 1)');
});
