import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { JSONReport, JSONReportSpec } from '@playwright/test/reporter';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { addFailedGates } from '../../../reports/allure-report.ts';
import { altering } from '../harness/edits.ts';
import {
  type Environment,
  readFilesBelow,
  runAgainst,
  runSuite,
  type WholeRun,
} from '../harness/whole-run.ts';
import { listSpecs } from './json-report.ts';

test.describe.configure({ mode: 'default' });

type JSONReportResult = JSONReportSpec['tests'][number]['results'][number];

async function runAndReadResults(
  run: (env: Environment, args: string[]) => Promise<WholeRun>,
  pattern: string,
): Promise<{ finishedRun: WholeRun; results: Map<string, JSONReportResult> }> {
  const file = test.info().outputPath('results.json');
  const args = ['--grep', pattern, '--add-reporter=json'];
  const finishedRun = await run({ PLAYWRIGHT_JSON_OUTPUT_FILE: file }, args);
  const report: JSONReport = JSON.parse(readFileSync(file, 'utf8'));
  const results = new Map<string, JSONReportResult>();
  for (const { tags, tests } of report.suites.flatMap(listSpecs)) {
    const lastTag = tags.at(-1) ?? '';
    results.set(lastTag, tests[0]?.results[0] as JSONReportResult);
  }
  return { finishedRun, results };
}

interface AllureStep {
  name: string;
  steps: AllureStep[];
}

const listSteps = (steps: AllureStep[] = []): string[] =>
  steps.flatMap(({ name, steps: children }) => [name, ...listSteps(children)]);

const readAllureResults = (run: WholeRun): AllureStep[] =>
  run
    .files()
    .filter(({ name }) => name.endsWith('-result.json'))
    .map(({ text }) => JSON.parse(text));

const readExchanges = ({ attachments }: JSONReportResult) =>
  attachments.map(({ body = '' }) => JSON.parse(Buffer.from(body, 'base64').toString()));

test('a run against the embedded mock shows whole exchanges, and how often a requirement that passes was judged', async () => {
  const { results, finishedRun } = await runAndReadResults(
    (env, args) => runSuite({ ...env, BASE_URL: 'mock' }, args),
    '@(getCard/(requests|message)|questions)$',
  );
  const exchanges = readExchanges(results.get('getCard/requests') as JSONReportResult);
  expect(exchanges[0]).toMatchObject({
    request: { method: 'GET', url: expect.stringContaining('/cards/') },
    response: { status: 200, headers: { 'content-type': expect.stringContaining('application/json') } },
  });
  const cards = exchanges.map(({ response }) => response.body.data.card.id);
  expect(new Set(cards)).toEqual(new Set(knownIdentifiers.CARD_IDS));
  const { request, response } = exchanges[0];
  // The list belongs to the first request of each run.
  expect(finishedRun.conformance?.mockExchanges?.[0]).toEqual({ operation: 'getCard', request, response });
  const rejections = finishedRun.conformance?.mockExchanges?.filter(({ response }) => response.status >= 400);
  const body = { code: 404, message: expect.any(String), data: null };
  expect(rejections?.[0]).toMatchObject({ operation: 'getCard', response: { status: 404, body } });
  const page = finishedRun.files().find(({ name }) => name === 'contract.html');
  expect(page?.text).toContain('Exchange with the embedded mock');
  expect(page?.text).toContain('Error response in an exchange with the embedded mock');
  const message = readAllureResults(finishedRun).find(({ name }) => name === '`message` is a string');
  expect(listSteps(message?.steps)).toEqual([
    'judged: 8 places of 8 responses',
    ...(knownIdentifiers.CARD_IDS ?? [])
      .slice(0, 5)
      .map((_, index) => expect.stringMatching(`CARD_IDS\\[${index}\\].*: 1 place$`)),
    'and 3 more requests',
  ]);
});

test('a run against the embedded mock with configured identifiers shows redacted exchanges', async () => {
  const { results, finishedRun } = await runAndReadResults(
    (env, args) =>
      runSuite({ ...env, BASE_URL: 'mock', CARD_IDS: knownIdentifiers.CARD_IDS?.[0] ?? '' }, args),
    '@getCard/requests$',
  );
  const exchanges = readExchanges(results.get('getCard/requests') as JSONReportResult);
  expect(exchanges.length).toBeGreaterThan(0);
  for (const exchange of exchanges)
    expect(Object.keys(exchange)).toEqual(['request', 'response', 'found', 'note']);
  expect(finishedRun.conformance?.mockExchanges).toBeUndefined();
});

test('a gate that merged shards do not pass is a failed test in their Allure results', () => {
  const reportsDir = test.info().outputPath('merged');
  const gate = { section: 'docs/ci.md', expected: 'a judged response', actual: 'none' };
  mkdirSync(path.join(reportsDir, 'allure-results'), { recursive: true });
  addFailedGates(reportsDir, [
    { ...gate, address: 'run/target', statement: 'the target is reached', verdict: 'pass' },
    { ...gate, address: 'run/judged', statement: 'each operation was judged', verdict: 'error' },
  ]);
  const results = readFilesBelow(reportsDir).map(({ text }) => JSON.parse(text));
  expect(results).toMatchObject([{ name: 'each operation was judged', status: 'failed' }]);
  expect(results[0].statusDetails.message).toMatch(
    /^FailedGate: the gate run\/judged expected a judged response; got none/,
  );
});

test('the first blocked requirement fails its test, and the other blocked tests are skipped', async () => {
  const alter = altering('getCard', (response) => ({ ...response, status: 503 }));
  const { results, finishedRun } = await runAndReadResults(
    (env, args) => runAgainst({ alter }, env, args),
    '@getCard/data/card/(status|title|id)$',
  );
  const statuses = [...results.values()].map(({ status }) => status);
  expect(statuses.sort()).toEqual(['failed', 'skipped', 'skipped']);
  expect(finishedRun.conformance?.verdict).toBe('error');
  expect(finishedRun.conformance?.requirements.map(({ verdict }) => verdict)).toEqual([
    'blocked',
    'blocked',
    'blocked',
  ]);
});
