import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { keepWholeRun, lastWholeRun } from '../../../reports/read-conformance.ts';
import { withChanges } from '../../../src/verdict/changes.ts';
import { altering, set } from '../harness/edits.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { monday, runOf, tuesday, wednesday } from '../harness/plain-runs.ts';

function folderOfTest(): string {
  const folder = test.info().outputPath('reports');
  mkdirSync(folder, { recursive: true });
  return folder;
}

test('a verdict shows since when it holds, over several runs', () => {
  const first = withChanges(runOf(monday, { code: 'violation', data: 'pass' }), undefined);
  const second = withChanges(runOf(tuesday, { code: 'violation', data: 'pass' }), first);
  const third = withChanges(runOf(wednesday, { code: 'violation', data: 'violation' }), second);
  expect(third.requirements.map(({ since }) => since)).toEqual([monday, wednesday]);
  expect(first.changes).toBeUndefined();
});

test('the last whole run of each target and profile that judged anything is kept, with any runs in between', () => {
  const folder = folderOfTest();
  const keep = (startedAt: string, change: Partial<Conformance> = {}, verdict: 'pass' | 'blocked' = 'pass') =>
    keepWholeRun({ ...runOf(startedAt, { code: verdict }), ...change }, folder);
  keep(monday, { target: 'a/b' });
  keep(monday, { target: 'x'.repeat(300) });
  keep(monday);
  keep(tuesday, { target: 'a-b' });
  keep(tuesday, { profile: 'documented' });
  keep(wednesday, { selection: { selected: 1, total: 117 } });
  keep(wednesday, { shard: { current: 1, total: 2 } });
  keep(wednesday, {}, 'blocked');
  const startOf = (target: string, profile: 'observed' | 'documented' = 'observed') =>
    lastWholeRun({ target, profile }, folder)?.startedAt;
  expect(startOf('staging')).toBe(monday);
  expect(startOf('staging', 'documented')).toBe(tuesday);
  expect(startOf('a/b')).toBe(monday);
  expect(startOf('x'.repeat(300))).toBe(monday);
  expect(startOf('a-b')).toBe(tuesday);
  expect(startOf('production')).toBeUndefined();
  writeFileSync(path.join(folder, 'previous/staging-observed.json'), '{"schemaVersion":4');
  expect(startOf('staging')).toBeUndefined();
});

test('a run is compared with the last whole one', async () => {
  const env = { REPORTS_DIR: folderOfTest(), TARGET_NAME: 'staging' };
  const odd = { alter: altering('getFeeRules', set('code', 7)) };
  const first = await runInProcessAgainst({}, env);
  const broken = await runInProcessAgainst(odd, env);
  const [was, is] = [first.conformance, broken.conformance];
  expect(is?.changes).toMatchObject({ since: { startedAt: was?.startedAt }, broken: ['getFeeRules/code'] });
});
