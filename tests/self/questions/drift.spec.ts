import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { MockResponse } from '../../../mock/responses.ts';
import type { Alter } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { ProbeAnswer } from '../../../src/questions/answers.ts';
import {
  findDrift,
  markChangedAnswers,
  type RecordedAnswers,
  readRecordedAnswers,
  writeRecordedAnswers,
} from '../../../src/questions/drift.ts';
import { altering, set } from '../harness/edits.ts';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { answerQuestions, listDrift } from '../harness/observing.ts';
import { createRecordedFolder } from '../harness/whole-run.ts';

test.setTimeout(120_000);

const createAnswer = (
  id: string,
  answer: string,
  confidence: ProbeAnswer['confidence'] = 'certain',
): ProbeAnswer => ({
  id,
  answer,
  confidence,
  section: '1',
  question: 'Is it?',
  asked: 'It is.',
  evidence: [],
});

const shape = 'a string of 5 characters, shaped "Aaaaa"';
const accented = 'a string of 5 characters, shaped "A?aaa"';

const [states, presence, unit] = ['token-states', 'credit-card-presence', 'offset-unit'] as const;
const changes: [name: string, id: string, now: string, before: string | undefined, drifts: boolean][] = [
  ['the same answer', unit, 'records', 'records', false],
  ['another answer', unit, 'pages', 'records', true],
  ['a question that was never recorded', unit, 'pages', undefined, false],
  ['an answer that cannot be inferred today', unit, 'unknown', 'records', false],
  ['a code that is withheld', 'limit-zero', 'refused as (code withheld)', 'refused as 400', false],
  ['a code that was withheld', 'limit-zero', 'refused as 400', 'refused as (code withheld)', false],
  ['another treatment beside a withheld code', 'limit-zero', 'an empty list', 'refused as 400', true],
  ['fewer values than before', states, 'A', 'A, B', false],
  ['a value that is new', states, 'A, C', 'A, B', true],
  ['a value that was withheld', states, 'Failed, Valid', `Failed, ${shape}`, false],
  ['a value that is withheld', states, `Failed, ${shape}`, 'Failed, Valid', false],
  ['a value of another shape', states, `Failed, ${accented}`, `Failed, ${shape}`, false],
  ['a withheld value with commas', states, `Failed, ${shape.replace('aaa', '", aa')}`, 'Failed', false],
  ['a text after one that was withheld', 'success-message', 'OK, Success', 'OK, shaped "Aaaa"', false],
  ['a withheld text with commas', 'success-message', 'OK, shaped "Aa, 00"', 'OK', false],
  ['a value beside one that is withheld', states, `Failed, New, ${shape}`, 'Failed, Valid', true],
  ['a value of another type', states, 'Failed, null', 'Failed', true],
  ['a kind with fewer observations', presence, 'A always, B never', 'A sometimes, B sometimes', false],
  ['a kind with more observations', presence, 'A sometimes', 'A always', true],
  ['a wait after HTTP 429', 'rate-limit-headers', 'retry-after', 'none', false],
  [
    'a limit beside a wait after HTTP 429',
    'rate-limit-headers',
    'ratelimit-limit, retry-after',
    'none',
    true,
  ],
  ['a list of few values', 'card-types', 'A', 'more than 12 different values', false],
];

for (const [name, id, answer, before, drifts] of changes) {
  test(`${name} is ${drifts ? 'a' : 'no'} change`, () => {
    const recorded: RecordedAnswers = before === undefined ? {} : { [id]: before };
    const now = createAnswer(id, answer, answer === 'unknown' ? 'unknown' : 'certain');
    expect(findDrift(markChangedAnswers([now], recorded, loadContract().questions))).toHaveLength(
      drifts ? 1 : 0,
    );
  });
}

test('an answer that cannot be inferred today stays recorded, and a removed question does not', () => {
  const file = test.info().outputPath('observed/mock.json');
  const answersToday = [createAnswer('b', 'unknown', 'unknown'), createAnswer('a', 'x')];
  writeRecordedAnswers(file, answersToday, { b: 'before', gone: 'z' });
  expect(readFileSync(file, 'utf8')).toBe('{\n  "a": "x",\n  "b": "before"\n}\n');
  // A process that opened the file before the atomic rename still reads the complete file.
  const linkedFile = `${file}.opened`;
  linkSync(file, linkedFile);
  writeRecordedAnswers(file, [], {});
  expect(readFileSync(linkedFile, 'utf8')).toContain('"before"');
});

test('a target without responses does not change the record and does not drift', async () => {
  const answersFile = test.info().outputPath('record.json');
  const before = '{ "offset-unit": "pages" }';
  writeFileSync(answersFile, before);
  const downProvider = {
    network: true,
    alter: (answer: MockResponse) => ({ ...answer, abort: 'before' as const }),
  };
  const run = await answerQuestions(
    downProvider,
    { recordsAnswers: true, answersFile },
    readRecordedAnswers(answersFile),
  );
  const unrecorded = 'nothing: no response was a documented success';
  expect(run).toMatchObject({ notes: [], unrecorded, extraCount: 0, findings: [] });
  expect(readFileSync(answersFile, 'utf8')).toBe(before);
  expect(
    listDrift(await answerQuestions(downProvider, { failOn: ['drift'] }, readRecordedAnswers(answersFile))),
  ).toEqual([]);
});

test('a file without recorded answers is rejected before a request is sent', async () => {
  const file = test.info().outputPath('record.json');
  for (const text of ['{', '[]', '{"a":1}', 'null']) {
    writeFileSync(file, text);
    expect(() => readRecordedAnswers(file), text).toThrow(
      /^observed\/<TARGET_NAME>.json holds no recorded answers/,
    );
  }
  const run = await runInProcess(createRecordedFolder('[]').callerEnv);
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'error', requests: 0 } });
  expect(run.output).toContain('observed/<TARGET_NAME>.json holds no recorded answers');
  // A run that judges recorded traffic does not read the file.
  const TRAFFIC = path.resolve('tests/self/traffic/recordings/mitmproxy-conforming.har');
  const { callerEnv } = createRecordedFolder('[]', 'recorded-traffic');
  const trafficRun = await runInProcess({ ...callerEnv, TRAFFIC });
  expect(trafficRun.conformance?.traffic?.judged).toBeGreaterThan(0);
});

test('runs with and without probes are compared without drift, also if errors have headers of their own', async () => {
  const createUnknownState = altering(
    'listCustomers',
    set('data/customers/0/default_payment_token/state', 'Valid'),
  );
  // Many frameworks answer an unknown identifier with a body like this.
  const alter: Alter = (answer, request) =>
    answer.status === 404
      ? { ...answer, headers: { 'cache-control': 'no-store' }, body: { detail: 'Not found.' } }
      : createUnknownState(answer, request);
  const mock = { alter };
  const { file, callerEnv } = createRecordedFolder(undefined, 'staging');
  const env = { ...callerEnv, TARGET_NAME: 'staging' };
  const recording = await runInProcessAgainst(mock, { ...env, PROBES: 'record' });
  const probed = readRecordedAnswers(file);
  const ordinary = await runInProcessAgainst(mock, { ...env, PROBES: 'off', FAIL_ON: 'drift' });
  expect([recording.code, ordinary.code]).toEqual([0, 0]);
  expect(probed['token-states']).toContain('Valid');
  writeRecordedAnswers(file, ordinary.conformance?.observed ?? [], {});
  const probedAgain = await runInProcessAgainst(mock, { ...env, PROBES: 'on', FAIL_ON: 'drift' });
  expect(probedAgain).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
});

test('a whole run records and compares answers, and has no drift gate while it records', async () => {
  const { file, callerEnv } = createRecordedFolder();
  const first = await runInProcess({ PROBES: 'record', ...callerEnv });
  expect(first).toMatchObject({ code: 0, conformance: { verdict: 'pass', findings: [] } });
  const text = readFileSync(file, 'utf8');
  expect(text).not.toMatch(/20\d\d-\d\d|\d\d:\d\d|[0-9a-f]{8}-[0-9a-f]{4}/);
  writeFileSync(file, text.replace('"offset-unit": "records"', '"offset-unit": "pages"'));
  const changed = await runInProcess(callerEnv);
  expect(changed).toMatchObject({ code: 0, conformance: { verdict: 'pass', findings: [{ kind: 'drift' }] } });
  expect(changed.output).toContain('offset-unit: was "pages", is "records"');
  // Probes are on by default for the embedded mock.
  const answers = new Map(changed.conformance?.observed.map(({ id, answer }) => [id, answer]));
  expect(answers.get('limit-zero')).toBe('an empty list');
  const markdown = changed.files().find(({ name }) => name === 'conformance.md')?.text;
  expect(markdown).toContain('offset-unit: was "pages", is "records"');
  const recordedAgain = await runInProcess({ PROBES: 'record', ...callerEnv, FAIL_ON: 'drift' });
  expect(recordedAgain.conformance?.gates?.map(({ address }) => address)).not.toContain('run/drift');
  expect(readFileSync(file, 'utf8')).toBe(text);
});
