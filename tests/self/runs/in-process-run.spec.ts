import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { identifiers } from '../../../mock/seed.ts';
import { type Alter, type Mock, startMock } from '../../../mock/server.ts';
import { altering, set } from '../harness/edits.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { type Environment, runSuite, targetOf, type WholeRun } from '../harness/whole-run.ts';
import { inTurn } from '../proof/variants/variant.ts';
import { Canaries } from '../redaction/canaries.ts';

/** A field that is missing, a deviation, an operation that is down, and undeclared fields. */
const alter: Alter = inTurn(
  altering('getCard', set('data/card/expiration_date', undefined)),
  altering('getCard', set('data/card/colour', 'red')),
  altering('getFeeRules', set('data/fee_rules/0/fixed_fee', 1)),
  altering('getCustomer', (answer) => ({ ...answer, status: 503 })),
);

/** What a report says whichever of several requests was answered first. */
function lasting({ conformance }: WholeRun) {
  const { verdict, notes, requests, requirements = [], findings = [], coverage, gates } = conformance ?? {};
  const judged = requirements.map(({ since, ...requirement }) => requirement);
  const found = findings.map((finding) => JSON.stringify(finding)).sort();
  return { verdict, notes, requests, coverage, gates, judged, found };
}

/** One record of each, so that the first place of a finding is the same in each run. */
const [CARD_IDS = '', USER_IDS = ''] = [identifiers.CARD_IDS[0], identifiers.USER_IDS[0]];

/** Lines of the closing summary but for the place of the reports, and of the failure. Annotations may follow. */
const linesOf = ({ output }: WholeRun) =>
  (output.slice(output.indexOf('  FAIL')).split('::')[0] ?? '')
    .trimEnd()
    .replace(/\d\d:\d\d UTC/g, 'then')
    .split('\n')
    .filter((line) => !line.startsWith('  reports:'));

test.describe('a run in a process of its own, with every reporter of the suite, -x, DEBUG of something else and annotations', () => {
  test.describe.configure({ mode: 'default' });
  const canaries = new Canaries();
  const provider = { alter };
  let folder: string;
  let mock: Mock;
  let run: WholeRun;

  const below = (name: string): Environment => ({
    ...targetOf(mock.url),
    CARD_IDS,
    USER_IDS,
    CUSTOMER_IDS: canaries.of('customer'),
    API_HEADERS: JSON.stringify({ 'X-Api-Key': canaries.text('key') }),
    REPORTS_DIR: path.join(folder, name),
    REQUEST_ID: 'off',
  });

  test.beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'in-process-run-'));
    mock = await startMock({ alter: (answer, request) => provider.alter(answer, request) });
    const env = { ...below('own'), DEBUG: 'my:thing', GITHUB_ACTIONS: 'true' };
    run = await runSuite(env, ['-x']);
  });

  test.afterAll(async () => {
    await mock.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a run in this process gives the same results, though -x has stopped the other at its first failed test', async () => {
    const one = await runInProcess(below('here'));
    expect(one.code).toBe(run.code);
    expect(lasting(one)).toEqual(lasting(run));
    expect(linesOf(one)).toEqual(linesOf(run));
    const [named, others] = [one, run].map((some) => some.files().map(({ name }) => name));
    expect(others).toEqual(expect.arrayContaining(named ?? []));
    for (const { output } of [one, run]) expect(output).toMatch(/place +\/data\/card\/expiration_date/);
  });

  test('the step of a request takes as long as the request took', () => {
    const tests = run.files().filter(({ name }) => /allure-results.*-result\.json$/.test(name));
    const steps: { name: string; start: number; stop: number }[] = tests.flatMap(
      ({ text }) => JSON.parse(text).steps,
    );
    const taken = steps.filter(({ name }) => name.endsWith(' ms'));
    expect(taken.length).toBeGreaterThan(0);
    for (const { name, start, stop } of taken) expect(name).toContain(`, ${stop - start} ms`);
  });

  test('nothing leaks, and each failure is one annotation', () => {
    expect(canaries.leaksIn([...run.files(), { name: 'the terminal', text: run.output }])).toEqual([]);
    expect(run.output.split('\n').filter((line) => line.startsWith('::error'))).toEqual([
      expect.stringMatching(/^::error title=getCard\/data\/card\/expiration_date::`.*%0A {2}place +\/data/),
    ]);
    // Playwright attaches a prompt to each failed test.
    expect(run.output).not.toContain('error-context');
  });
});
