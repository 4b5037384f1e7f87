import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { startMock } from '../../../mock/server.ts';
import { buildReport } from '../../../reports/build-report.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { writeReports } from '../../../reports/write.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration, type Target } from '../../configuration/target.ts';
import { askAndJudge } from '../../run/ask-and-judge.ts';
import { takeLock } from '../../run/lock-file.ts';
import { keepPrevious, previousProblems } from '../../run/previous.ts';
import { requestLine } from '../../run/requests-made.ts';
import { type Results, readResults, writeResults } from '../../run/results.ts';
import { writeFailure, writeWhole } from '../../run/whole-file.ts';
import { verdictSentence } from '../../verdict/sentence.ts';
import { concludeRun } from '../../verdict/verdict.ts';
import { exampleTarget, json, of, rejecting, resultsOf } from '../harness/examples.ts';
import { requirementCount } from '../harness/requirement-count.ts';

const contract = loadContract();

const folder = () => {
  const created = test.info().outputPath('reports');
  mkdirSync(created, { recursive: true });
  return created;
};

test('a lock is one run’s, shared by its processes, and taken over from a process that has ended', () => {
  const file = path.join(folder(), 'run.lock');
  const first = takeLock(file, 'one');
  expect(() => takeLock(file, 'two')).toThrow(`another run (process ${process.pid})`);
  expect(takeLock(file, 'one')).toMatchObject({ shared: true });
  first.release();
  const ended = spawnSync(process.execPath, ['-e', '']);
  takeLock(file, 'one').release();
  const owner = { pid: process.pid, machine: '0'.repeat(16), run: 'elsewhere' };
  writeFileSync(file, JSON.stringify(owner));
  expect(() => takeLock(file, 'two')).toThrow('another run');
  utimesSync(file, new Date(0), new Date(0));
  takeLock(file, 'two').release();
  const lock = takeLock(file, 'dead');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"pid":\d+/, `"pid":${ended.pid}`));
  expect(lock.isHeld()).toBe(false);
  takeLock(file, 'two').release();
  expect(readdirSync(path.dirname(file))).toEqual([]);
  lock.release();
});

test('a file is written whole or not at all', () => {
  const file = path.join(folder(), 'conformance.md');
  mkdirSync(path.join(file, 'in the way'), { recursive: true });
  expect(() => writeWhole(file, 'text')).toThrow();
  try {
    writeWhole(file, 'text');
  } catch (error) {
    expect(writeFailure(error)).toMatch(/in the way/);
  }
  expect(readdirSync(path.dirname(file))).toEqual(['conformance.md']);
});
test('reports that cannot be written whole leave none that passes', async () => {
  const reportsDir = folder();
  mkdirSync(path.join(reportsDir, 'contract.html', 'x'), { recursive: true });
  const results = await resultsOf((_, usual) => usual);
  const report = buildReport(inputOf(results), new Date());
  expect(() => writeReports(contract, report, { reportsDir })).toThrow();
  expect(readdirSync(reportsDir)).not.toContain('conformance.json');
});

/** A run of which every requirement was selected. */
function inputOf(results: Results, addresses = results.requirementResults.map(({ address }) => address)) {
  const startedAt = new Date('2026-01-01T00:00:00.000Z');
  return {
    contract,
    target: exampleTarget(),
    results,
    addresses,
    failed: new Set<string>(),
    problems: [],
    startedAt,
  };
}

test('results of another run are not judged', async () => {
  const target = exampleTarget({ reportsDir: folder() });
  writeResults(target, 'one', await resultsOf((_, usual) => usual));
  const own = readResults(contract, target, 'one');
  expect(concludeRun(inputOf(own)).verdict).toBe('pass');
  for (const id of ['two', undefined]) {
    const foreign = readResults(contract, target, id);
    expect(foreign).toMatchObject({ run: undefined, observations: [] });
    const report = buildReport(inputOf(foreign), new Date());
    expect(report).toMatchObject({
      verdict: 'error',
      notes: ['the results in REPORTS_DIR are of another run'],
    });
  }
});

test('a run without results has no note on what was empty in them', () => {
  const results: Results = { run: undefined, observations: [], requirementResults: [], problem: 'why' };
  const target = exampleTarget({ identifiers: { CARD_IDS: [] } });
  expect(concludeRun({ ...inputOf(results), target }, []).notes).toEqual(['why']);
});

const down = rejecting(503, of('listCustomers'));
const wrong = (replaced: unknown) => ({ asked: of('getCard'), reply: json(200, replaced) });

test('the verdict on some requirements does not depend on the others', async () => {
  const results = await resultsOf(down);
  const some = inputOf(results, ['getCard/code', 'getCard/http/status']);
  const sentence = (input: typeof some) => verdictSentence(concludeRun(input));
  expect(sentence(some)).toContain(`PASS of 2 selected requirements of ${requirementCount}: `);
  expect(sentence(inputOf(results))).toMatch(/^ERROR: .*the target answered HTTP 503/);
  const { asked, reply } = wrong({ code: 200, message: 7, data: {} });
  const violating = await resultsOf((one, usual) => (asked(one) ? reply : usual));
  expect(sentence(inputOf(violating))).toMatch(/^FAIL: .*: violation of getCard\/message and 1 more$/);
  expect(sentence(inputOf(violating, []))).toMatch(/^ERROR: .*: nothing was judged$/);
});

test('asking and judging takes a configuration and gives results, with nothing else read or written', async () => {
  const mock = await startMock({ alter: altering('getCard', set('data/card/expiration_date', 7)) });
  const { target: usual } = readConfiguration({}, '/nonexistent');
  const target: Target = { ...usual, baseUrl: mock.url, reportsDir: '/nonexistent', probes: false };
  const { run, observations, requests = [] } = await askAndJudge(contract, target);
  await mock.close();
  expect(run).toMatchObject({ target: 'mock', requests: mock.requests.length });
  expect(observations.flatMap(({ findings }) => findings)[0]).toMatchObject({ pointer: expect.any(String) });
  expect(requests).toHaveLength(mock.requests.length);
  for (const request of requests)
    expect(requestLine(request)).toMatch(/^GET \/.+ → HTTP \d{3}, \d+ bytes, \d+ ms(, asked again)?$/);
  const lines = requests.map(requestLine).join('\n');
  for (const id of Object.values(target.identifiers).flat()) expect(lines).not.toContain(id);
});

const requirement = { address: 'getCard/code', verdict: 'pass', since: '2026-01-01T00:00:00.000Z' };
const comparable = {
  schemaVersion: 1,
  target: 'mock',
  profile: 'observed',
  contract: '0123456789ab',
  startedAt: '2026-01-01T00:00:00.000Z',
  verdict: 'pass',
  requirements: [requirement],
};

/** What `PREVIOUS` may not be. */
const odd: Record<string, unknown> = {
  nothing: null,
  'a list': [comparable],
  'a target that is a number': { ...comparable, target: 7 },
  'a time that is none': { ...comparable, startedAt: 'yesterday' },
  'a verdict that is none': { ...comparable, verdict: { toString: 1 } },
  'requirements that are none': { ...comparable, requirements: { length: 200 } },
  'a requirement that is null': { ...comparable, requirements: [requirement, null] },
  'an unknown verdict': { ...comparable, requirements: [requirement, { address: 'x', verdict: 'green' }] },
  'since when that is no time': { ...comparable, requirements: [{ ...requirement, since: 7 }] },
  'nothing judged': { ...comparable, requirements: [{ ...requirement, verdict: 'blocked' }] },
};

test('an odd PREVIOUS is one sentence for any mistake', () => {
  const previous = path.join(folder(), 'earlier.json');
  const target = { ...exampleTarget({ reportsDir: folder() }), previous };
  const problems = () => {
    keepPrevious(contract, target);
    return previousProblems(target);
  };
  writeFileSync(previous, JSON.stringify(comparable));
  expect(problems()).toEqual([]);
  for (const [name, report] of Object.entries(odd)) {
    writeFileSync(previous, JSON.stringify(report));
    expect(problems(), name).toEqual([expect.stringMatching(/^PREVIOUS must name the conformance\.json/)]);
  }
  writeFileSync(previous, '{"schemaVersion":1');
  expect(problems()).toHaveLength(1);
  rmSync(previous);
  expect(problems()).toHaveLength(1);
  mkdirSync(previous);
  expect(problems()).toHaveLength(1);
});

test('an odd report of an earlier run in REPORTS_DIR is no report to compare with', () => {
  const target = exampleTarget({ reportsDir: folder() });
  for (const report of [...Object.values(odd), 'x'] as Partial<Conformance>[]) {
    writeFileSync(path.join(target.reportsDir, 'conformance.json'), JSON.stringify(report));
    keepPrevious(contract, target);
    expect(readdirSync(target.reportsDir)).toEqual(['conformance.json']);
  }
});
