import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { markdownOf } from '../../../reports/markdown.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { requirementsOf } from '../../../schemas/contract/requirements.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { keepPrevious, previousProblems, readPrevious } from '../../run/previous.ts';
import { withChanges } from '../../verdict/changes.ts';
import { verdictSentence } from '../../verdict/sentence.ts';
import { monday, runOf, tuesday, wednesday } from '../harness/plain-runs.ts';

test('a verdict shows since when it holds, over several runs, and the summary what has changed', () => {
  const first = withChanges(runOf(monday, { code: 'violation', data: 'pass' }), undefined);
  const second = withChanges(runOf(tuesday, { code: 'violation', data: 'pass' }), first);
  const third = withChanges(runOf(wednesday, { code: 'violation', data: 'violation' }), second);
  expect(third.requirements.map(({ since }) => since)).toEqual([monday, wednesday]);
  expect(first.changes).toBeUndefined();
  expect(markdownOf(second)).toContain('### Changes since staging');
  expect(markdownOf(third)).toContain('broken: `getCard/data`');
});

test('a run of a part of the contract takes the place of no whole one', () => {
  const folder = test.info().outputPath('reports');
  mkdirSync(folder, { recursive: true });
  const env = { REPORTS_DIR: folder, BASE_URL: 'https://x.example', TARGET_NAME: 'staging' };
  const { target } = readConfiguration(env, '/nonexistent');
  const { hash: contract } = loadContract();
  const whole = Object.fromEntries(
    requirementsOf(loadContract()).map(({ address }) => [address, 'pass' as const]),
  );
  for (const run of [runOf(monday, whole), runOf(tuesday, { code: 'pass' })]) {
    writeFileSync(path.join(folder, 'conformance.json'), JSON.stringify({ ...run, contract }));
    keepPrevious(loadContract(), target);
  }
  expect(readPrevious(target)?.startedAt).toBe(monday);
});

test('a run that fails for nothing in the contract does not say that the contract is broken', () => {
  const run = { ...runOf(monday, { code: 'pass' }), verdict: 'fail' as const };
  expect(verdictSentence(run)).toMatch(/^FAIL: no requirement is violated/);
  expect(verdictSentence({ ...runOf(monday, { code: 'violation' }), verdict: 'fail' })).toMatch(
    /does not keep/,
  );
});

test('the last run that judged anything is kept, of the same target only unless PREVIOUS names it', () => {
  const folder = test.info().outputPath('reports');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'conformance.json');
  const settings = { REPORTS_DIR: folder, BASE_URL: 'https://x.example', TARGET_NAME: 'staging' };
  const targetOf = (env = {}) => readConfiguration({ ...settings, ...env }, '/nonexistent').target;
  const keep = (run: Conformance, env = {}) => {
    writeFileSync(file, JSON.stringify(run));
    keepPrevious(loadContract(), targetOf(env));
    return previousProblems(targetOf(env));
  };
  keep(runOf(monday, { code: 'pass' }));
  keep(runOf(tuesday, { code: 'blocked' }));
  expect(readPrevious(targetOf())?.startedAt).toBe(monday);
  expect(readPrevious(targetOf({ TARGET_NAME: 'production' }))).toBeUndefined();
  expect(readPrevious(targetOf({ PROFILE: 'documented' }))).toBeUndefined();
  const named = { TARGET_NAME: 'production', PREVIOUS: file };
  expect(keep(runOf(wednesday, { code: 'pass' }), named)).toEqual([]);
  expect(readPrevious(targetOf(named))?.startedAt).toBe(wednesday);
  expect(keep(runOf(wednesday, {}), named)).toEqual([expect.stringContaining('PREVIOUS')]);
});

test('the last whole run of each target and profile is kept, with any runs in between', () => {
  const folder = test.info().outputPath('reports');
  mkdirSync(folder, { recursive: true });
  const settings = { REPORTS_DIR: folder, BASE_URL: 'https://x.example' };
  const targetOf = (env = {}) => readConfiguration({ ...settings, ...env }, '/nonexistent').target;
  const keep = (startedAt: string, target: string, run: Partial<Conformance> = {}) => {
    const report = { ...runOf(startedAt, { code: 'pass' }), target, ...run };
    writeFileSync(path.join(folder, 'conformance.json'), JSON.stringify(report));
    keepPrevious(loadContract(), targetOf({ TARGET_NAME: target }));
  };
  keep(monday, 'a/b');
  keep(monday, 'staging');
  keep(tuesday, 'a-b');
  keep(tuesday, 'staging', { profile: 'documented' });
  keep(wednesday, 'staging', { selection: { selected: 1, total: 117 } });
  const startOf = (env: Record<string, string>) => {
    const target = targetOf(env);
    keepPrevious(loadContract(), target);
    return readPrevious(target)?.startedAt;
  };
  expect(startOf({ TARGET_NAME: 'staging' })).toBe(monday);
  expect(startOf({ TARGET_NAME: 'staging', PROFILE: 'documented' })).toBe(tuesday);
  expect(startOf({ TARGET_NAME: 'a/b' })).toBe(monday);
  expect(startOf({ TARGET_NAME: 'a-b' })).toBe(tuesday);
  expect(startOf({ TARGET_NAME: 'production' })).toBeUndefined();
});
