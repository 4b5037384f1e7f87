import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { markdownOf } from '../../../reports/markdown.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { requirementsOf } from '../../../schemas/contract/requirements.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { keepPrevious, previousProblems, readPrevious } from '../../run/previous.ts';
import { type Changes, changesOfAll, withChanges } from '../../verdict/changes.ts';
import { verdictSentence } from '../../verdict/sentence.ts';
import type { SweepSummary } from '../../verdict/swept.ts';
import type { Verdict } from '../../verdict/verdicts.ts';

/** A run with requirements `getCard/<name>` of these verdicts. */
function runOf(startedAt: string, all: Record<string, Verdict>): Conformance {
  const share = { exercised: 1, total: 1, percentage: 100, missing: [] };
  return {
    schemaVersion: 2,
    target: 'staging',
    profile: 'observed',
    startedAt,
    durationMs: 1,
    requests: 1,
    verdict: 'pass',
    notes: [],
    contract: '0123456789ab',
    findings: [],
    coverage: { nodes: share, states: share, seen: {} },
    observed: [],
    requirements: Object.entries(all).map(([name, verdict]) => ({
      address: `getCard/${name}`,
      operation: 'getCard',
      level: 'MUST' as const,
      statement: name,
      source: '2.2',
      exercised: 1,
      verdict,
    })),
  };
}

const monday = '2026-03-02T08:00:00.000Z';
const tuesday = '2026-03-03T08:00:00.000Z';
const wednesday = '2026-03-04T08:00:00.000Z';

const verdicts: [name: string, was: Verdict, is: Verdict, changes: string[]][] = [
  ['kept', 'pass', 'pass', []],
  ['broken', 'pass', 'violation', ['broken']],
  ['newly tolerated', 'pass', 'deviation', ['newlyTolerated']],
  ['fixed', 'violation', 'pass', ['mended']],
  ['fixed by the target of an entry', 'deviation', 'pass', ['mended']],
  ['tolerated, not fixed', 'violation', 'deviation', ['newlyTolerated']],
  ['no longer tolerated', 'deviation', 'violation', ['broken']],
  ['found deviating', 'not exercised', 'deviation', ['newlyTolerated', 'newlyExercised']],
  ['lasting', 'violation', 'violation', []],
  ['found', 'not exercised', 'pass', ['newlyExercised']],
  ['found broken', 'blocked', 'violation', ['broken', 'newlyExercised']],
  ['lost', 'pass', 'not exercised', ['noLongerExercised']],
  ['blocked', 'violation', 'blocked', ['noLongerExercised']],
];

for (const [name, was, is, expected] of verdicts) {
  test(`${name}: from ${was} to ${is}`, () => {
    const { changes } = withChanges(runOf(tuesday, { [name]: is }), runOf(monday, { [name]: was }));
    const { since, ...kinds } = changes ?? { since: undefined };
    expect(since?.startedAt).toBe(monday);
    const reported = Object.entries(kinds).filter(([, addresses]) => addresses.length > 0);
    expect(reported).toEqual(expected.map((kind) => [kind, [`getCard/${name}`]]));
  });
}

const sweepOf = (changed: Partial<SweepSummary> = {}): SweepSummary => ({
  ...{ operation: 'listCustomers', noun: 'customers', mode: 'all', judged: 20_000, lookedUp: 100, pages: 20 },
  ...{ blocked: [], moved: { repeated: 0, gaps: 0 }, ...changed },
});

/** A run in which a list, and what was looked up, have a verdict, a sweep beside. */
function sweptRun(startedAt: string, verdict: Verdict, sweeps?: SweepSummary[]): Conformance {
  const run = runOf(startedAt, { code: verdict });
  const [card] = run.requirements as [Conformance['requirements'][number]];
  const requests = sweeps ? 100 : 3;
  const lookup = { ...card, address: 'getCustomer/code', operation: 'getCustomer', requests };
  const swept = {
    judged: sweeps?.[0]?.judged ?? 0,
    broken: verdict === 'pass' ? 0 : 2,
    records: 'customers',
  };
  const list = { ...card, address: 'listCustomers/phone', operation: 'listCustomers', requests };
  return {
    ...run,
    requirements: [{ ...card, requests: 3 }, lookup, { ...list, ...(sweeps ? { swept } : {}) }],
    ...(sweeps ? { sweeps } : {}),
  };
}

const sample = (seed: number) => sweepOf({ mode: 'sample', judged: 500, seed });
const part = sweepOf({ part: { current: 1, total: 2 } });

const sweepsNow: [name: string, was: SweepSummary, now: SweepSummary | undefined, seen: boolean][] = [
  ['no sweep', sweepOf(), undefined, false],
  ['a sample', sweepOf(), sample(1), false],
  ['another sample', sample(1), sample(2), false],
  ['the same sample', sample(1), sample(1), true],
  ['a part of a sweep', sweepOf(), part, false],
  ['a sweep that stopped', sweepOf(), sweepOf({ stopped: 'no response' }), false],
  ['a sweep of a list that is shorter now', sweepOf(), sweepOf({ judged: 19_998 }), true],
];

for (const [name, was, now, seen] of sweepsNow) {
  test(`after a sweep that found violations, ${name} ${seen ? 'says what is fixed' : 'calls nothing fixed that it did not look at'}`, () => {
    const before = sweptRun(monday, 'violation', [was]);
    const { changes } = withChanges(sweptRun(tuesday, 'pass', now && [now]), before);
    const unsure = now ? ['listCustomers/phone'] : ['getCustomer/code', 'listCustomers/phone'];
    expect(changes?.notLookedAtAgain).toEqual(seen ? [] : unsure);
    expect(changes?.mended.length).toBe(3 - (seen ? 0 : unsure.length));
    expect(changes?.mended[0]).toBe('getCard/code');
  });
}

test('shards that have divided a sweep say together what is fixed', () => {
  const alone = withChanges(sweptRun(tuesday, 'pass', [part]), sweptRun(monday, 'violation', [sweepOf()]));
  const changes = alone.changes as Changes;
  const of = (verdict: Verdict, ...sweeps: SweepSummary[]) =>
    changesOfAll(changes, sweptRun(tuesday, verdict, sweeps));
  expect(changes.notLookedAtAgain).toEqual(['listCustomers/phone']);
  expect(of('pass', sweepOf())).toMatchObject({ notLookedAtAgain: [], mended: { length: 3 } });
  expect(of('pass', part)).toEqual(changes);
  expect(of('violation', sweepOf())).toMatchObject({ notLookedAtAgain: [], mended: [] });
});

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
