import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { MockAnswer } from '../../../mock/answers.ts';
import type { MockOptions } from '../../../mock/server.ts';
import { readRecorded } from '../../probes/drift.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { briefBehaviourOf, drifted } from '../harness/observing.ts';
import { defaultAnswers } from './default-answers.ts';

test.describe.configure({ mode: 'parallel' });

const failing = (answer: MockAnswer, status: number): MockAnswer => ({
  ...answer,
  status,
  body: { code: status, message: 'no', data: null },
});

/** Every list of customers is answered with a status. */
const customersFailWith = (status: number): MockOptions => ({
  alter: (answer, { operation }) => (operation === 'listCustomers' ? failing(answer, status) : answer),
});

/** Questions that only lists of customers answer. */
const ofLists = [
  'default-page-size',
  'limit-honoured',
  'offset-unit',
  'next-page',
  'limit-zero',
  'omitted-source',
];

for (const status of [401, 403, 429, 502, 503, 504])
  test(`lists answered with ${status} answer no question, replace no answer, and are no change`, async () => {
    const recordFile = test.info().outputPath('recorded.json');
    writeFileSync(recordFile, JSON.stringify(defaultAnswers));
    const recorded = readRecorded(recordFile);
    const run = await briefBehaviourOf(customersFailWith(status), { record: true, recordFile }, recorded);
    for (const id of ofLists) expect(run.answers[id], id).toBe('unknown');
    expect(run.answers['unknown-card']).toBe('refused as 404');
    expect(readRecorded(recordFile)).toMatchObject(
      Object.fromEntries(ofLists.map((id) => [id, defaultAnswers[id]])),
    );
    const compared = await briefBehaviourOf(customersFailWith(status), {}, recorded);
    expect(drifted(compared)).toEqual([]);
    expect(run.findings).toEqual([]);
  });

test('one response of a bad moment answers nothing, and what is compared with it neither', async () => {
  const alter: MockOptions['alter'] = (answer, { operation, path }) =>
    operation === 'listCustomers' && !path.includes('?') ? failing(answer, 503) : answer;
  const { answers } = await briefBehaviourOf({ alter });
  expect(answers).toMatchObject({
    'offset-unit': 'unknown',
    'unknown-parameter': 'unknown',
    'next-page': 'unknown',
  });
  expect(answers['limit-not-numeric']).toBe('refused as 400');
});

test('a run without access says that no question was answered', async () => {
  const run = await runInProcessAgainst({ alter: (answer) => failing(answer, 401) }, { PROBES: 'on' });
  expect(run.output).toMatch(/observed: 0 of 63 open questions answered/);
});

test('a 500 to an ordinary request is an answer, and no server error on bad input', async () => {
  const alter: MockOptions['alter'] = (answer, { path }) =>
    /limit=(1|100)$/.test(path) ? failing(answer, 500) : answer;
  const { answers, findings } = await briefBehaviourOf({ alter });
  expect(answers['limit-honoured']).toBe('server error 500');
  expect(findings).toEqual([]);
});

test('answers of a moment that an earlier version has recorded are none to compare with', () => {
  const file = test.info().outputPath('recorded.json');
  const momentary = { a: 'server error 503', b: 'refused as 429', c: 'no answer' };
  writeFileSync(file, JSON.stringify({ ...momentary, d: 'server error 500', e: 'refused as 40012' }));
  expect(readRecorded(file)).toEqual({ d: 'server error 500', e: 'refused as 40012' });
  expect(readFileSync(file, 'utf8')).toContain('503');
});
