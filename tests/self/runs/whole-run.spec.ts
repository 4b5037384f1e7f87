import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { type Alter, type Mock, startMock } from '../../../mock/server.ts';
import { altering, applyInOrder, set } from '../harness/edits.ts';
import { addressesOf, configureTarget, runSuite, type WholeRun } from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';

const alter: Alter = applyInOrder(
  altering('getCard', set('data/card/expiration_date', undefined)),
  altering('getCard', set('data/card/colour', 'red')),
  altering('getCard', (response) => ({ ...response, delayMs: cardDelayMs })),
  altering('getFeeRules', set('data/fee_rules/0/fixed_fee', 1)),
  altering('getCustomer', (response) => ({ ...response, status: 503 })),
);

interface AllureStep {
  name: string;
  start: number;
  stop: number;
  steps: AllureStep[];
}

const CARD_IDS = knownIdentifiers.CARD_IDS?.slice(0, 3).join() ?? '';
const USER_IDS = knownIdentifiers.USER_IDS?.[0] ?? '';
const requestIntervalMs = 250;

const cardDelayMs = 200;

test.describe('a run in a separate process with every reporter of the suite, -x, a foreign DEBUG and annotations', () => {
  test.describe.configure({ mode: 'default' });
  const canaries = new Canaries();
  let folder: string;
  let mock: Mock;
  let run: WholeRun;

  test.beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'in-process-run-'));
    mock = await startMock({ alter });
    const env = {
      ...configureTarget(mock.url),
      CARD_IDS,
      USER_IDS,
      CUSTOMER_IDS: canaries.getCode('customer'),
      API_HEADERS: JSON.stringify({ 'X-Api-Key': canaries.getTextToEncode('key') }),
      REPORTS_DIR: path.join(folder, 'reports'),
      MAX_RPS: String(1000 / requestIntervalMs),
      REQUEST_ID: 'off',
      DEBUG: 'my:thing',
      GITHUB_ACTIONS: 'true',
    };
    run = await runSuite(env, ['-x']);
  });

  test.afterAll(async () => {
    await mock.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the reports are complete although -x stopped the run at its first failed test', () => {
    expect(addressesOf(run, 'violation')).toEqual(['getCard/data/card/expiration_date']);
    // Operations after the failed test are not requested.
    expect(mock.requests.every(({ path: requestPath }) => !requestPath.includes('fee_rule'))).toBe(true);
    expect(addressesOf(run, 'not exercised').length).toBeGreaterThan(20);
    expect(run.output).toMatch(/place +\/data\/card\/expiration_date/);
  });

  test('the step of a request begins when the request is sent, and lasts as long as the request', () => {
    const tests = run.files().filter(({ name }) => /allure-results.*-result\.json$/.test(name));
    const results = tests.map(({ text }) => JSON.parse(text));
    const steps: AllureStep[] = results.flatMap((result) =>
      result.name === 'requests made' ? result.steps : [],
    );
    const requests = steps.filter(({ name }) => name.startsWith('GET /svc/ts/'));
    expect(requests.length).toBeGreaterThan(2);
    const [first = 0, , third = 0] = requests
      .map(({ start }) => start)
      .sort((earlier, later) => earlier - later);
    // Two intervals, less one, because a busy machine may show the first step late.
    expect(third - first).toBeGreaterThan(requestIntervalMs);
    for (const {
      name,
      start,
      stop,
      steps: [response],
    } of requests) {
      const responseMs = Number(/, (\d+) ms/.exec(response?.name ?? '')?.[1]);
      // Half of the time, because a busy machine may show a step late.
      expect(stop - start, name).toBeGreaterThan(cardDelayMs / 2);
      expect(stop - start, name).toBeLessThan(responseMs + 1000);
    }
  });

  test('no canary leaks, and each failure is one annotation', () => {
    expect(canaries.findLeaks([...run.files(), { name: 'the terminal', text: run.output }])).toEqual([]);
    expect(run.output.split('\n').filter((line) => line.startsWith('::error'))).toEqual([
      expect.stringMatching(/^::error title=getCard\/data\/card\/expiration_date::`.*%0A {2}place +\/data/),
    ]);
    // Playwright attaches a prompt to each failed test.
    expect(run.output).not.toContain('error-context');
  });
});
