import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { describeUnchecked } from '../../../reports/pages/history.ts';
import { keepWholeRun, readLastWholeRun } from '../../../reports/read-conformance.ts';
import { addChanges } from '../../../src/verdict/changes.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { judgeMock } from '../harness/judge-mock.ts';
import { createRunReport, monday, tuesday, wednesday } from '../harness/plain-runs.ts';

const inFolder = (name = '') => test.info().outputPath('reports', name);
const text = (name: string) => readFileSync(inFolder(name), 'utf8');
const render = () => runCommand('reports/render.ts', [], { REPORTS_DIR: inFolder() });

function writeToFolder(name: string, content: unknown): void {
  mkdirSync(path.dirname(inFolder(name)), { recursive: true });
  writeFileSync(inFolder(name), typeof content === 'string' ? content : JSON.stringify(content));
}

test('a verdict names the first run since which it holds', () => {
  const first = addChanges(createRunReport(monday, { code: 'violation', data: 'pass' }), undefined);
  const second = addChanges(createRunReport(tuesday, { code: 'violation', data: 'pass' }), first);
  const third = addChanges(createRunReport(wednesday, { code: 'violation', data: 'violation' }), second);
  expect(third.requirements.map(({ since }) => since)).toEqual([monday, wednesday]);
  expect(first.changes).toBeUndefined();
});

test('the reason why a target could not be checked is one sentence', () => {
  const publishedRun = {
    verdict: 'error',
    suite: '1',
    contract: 'c',
    ledger: '',
    configuration: '',
  } as const;
  const judgeMock = { ...publishedRun, startedAt: monday };
  const describeReason = (reason: string) =>
    describeUnchecked([judgeMock, { ...publishedRun, startedAt: tuesday, unjudged: `ERROR: ${reason}` }]);
  expect(describeReason('is BASE_URL right?')).toContain(': is BASE_URL right? The results');
  expect(describeReason('HTTP 401')).toContain(': HTTP 401. The results');
});

const traffic = { sources: ['[1] ….har'], exchanges: 1, judged: 1, skipped: {}, broken: [] };

/** Start and changed fields of each run, and the verdict of its requirement `code` (default: `pass`); the oldest run first. */
const runs: [startedAt: string, change: Partial<Conformance>, verdict?: 'blocked'][] = [
  [monday, { target: 'a/b' }],
  [monday, { target: 'x'.repeat(300) }],
  [monday, {}],
  [tuesday, { target: 'a-b' }],
  [tuesday, { profile: 'documented' }],
  [wednesday, { traffic }],
  // `keepWholeRun` ignores partial runs, shards, incomplete runs and runs that judged nothing.
  [wednesday, { selection: { selected: 1, total: 117 } }],
  [wednesday, { shard: { current: 1, total: 2 } }],
  [wednesday, { incomplete: true }],
  [wednesday, {}, 'blocked'],
];
test('the last whole run of each target and profile that judged anything is kept, and of recorded traffic, whatever runs come in between', () => {
  writeToFolder('empty', '');
  for (const [startedAt, change, verdict = 'pass'] of runs)
    keepWholeRun({ ...createRunReport(startedAt, { code: verdict }), ...change }, inFolder());
  const startOf = (target: string, profile: 'observed' | 'documented' = 'observed') =>
    readLastWholeRun({ target, profile }, inFolder())?.startedAt;
  const targets = ['staging', 'a/b', 'x'.repeat(300), 'a-b', 'production'];
  expect(targets.map((target) => startOf(target))).toEqual([monday, monday, monday, tuesday, undefined]);
  expect(startOf('staging', 'documented')).toBe(tuesday);
  const recordedRun = { target: 'staging', profile: 'observed', traffic } as const;
  expect(readLastWholeRun(recordedRun, inFolder())?.startedAt).toBe(wednesday);
  writeToFolder('previous/staging-observed.json', '{"schemaVersion":5');
  expect(startOf('staging')).toBeUndefined();
});

test('rendering a partial run keeps badge and page of the whole run, and a run that cannot be rendered is rejected in one sentence', async () => {
  const whole = await judgeMock({}, { name: 'production' });
  const rejected = async (messagePattern: RegExp) =>
    expect(await render()).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(messagePattern) });
  writeToFolder('nothing', '');
  await rejected(/^render: \S+ holds no conformance\.json: [^\n]*\n$/);
  writeToFolder('conformance.json', { ...whole, requirements: [null] });
  await rejected(
    /^render: .* not a conformance\.json that this suite can read: [^\n]*requirements\/0 must be[^\n]*\n$/,
  );
  expect(existsSync(inFolder('badge.svg'))).toBe(false);

  const requirements = whole.requirements.slice(0, 1);
  const selection = { selected: 1, total: whole.requirements.length };
  writeToFolder('conformance.json', { ...whole, requirements, selection, gates: [] });
  writeToFolder('allure-report/index.html', '');
  expect(await render()).toMatchObject({ status: 0 });
  expect(text('contract.html')).toContain('allure-report');
  expect(text('badge.svg')).toContain(' of 1 selected ');
  const last = 'previous/production-observed.json';
  writeToFolder(last, whole);
  expect(await render()).toMatchObject({ status: 0 });
  expect(text('badge.svg')).not.toContain(' of 1 selected ');
  expect(text('contract.html')).toContain(last);
  expect(text('contract.html')).not.toContain('allure-report');
  expect(text('conformance.md')).toContain('of 1 selected requirement');
});
