import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { identifiers } from '../../../mock/seed.ts';
import { type Alter, startMock } from '../../../mock/server.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { runSuite, targetOf, type WholeRun } from '../harness/whole-run.ts';

/** A violation, a deviation, an operation that is down, and undeclared fields. */
const alter: Alter = inTurn(
  altering('getCard', set('data/card/expiration_date', 7)),
  altering('getCard', set('data/card/colour', 'red')),
  altering('getFeeRules', set('data/fee_rules/0/fixed_fee', 1)),
  altering('getCustomer', (answer) => ({ ...answer, status: 503 })),
);

/** What a report says whichever of several requests was answered first. */
function lasting({ conformance }: WholeRun) {
  const { verdict, notes, requests, requirements = [], findings = [], coverage } = conformance ?? {};
  const judged = requirements.map(({ since, ...requirement }) => requirement);
  const found = findings.map((finding) => JSON.stringify(finding)).sort();
  return { verdict, notes, requests, coverage, judged, found };
}

/** One record of each, so that the first place of a finding is the same in each run. */
const [CARD_IDS = '', USER_IDS = ''] = [identifiers.CARD_IDS[0], identifiers.USER_IDS[0]];

/** Lines of the closing summary but for the place of the reports, and of the failure. */
const linesOf = ({ output }: WholeRun) =>
  output
    .slice(output.indexOf('  FAIL'))
    .split('\n')
    .filter((line) => !line.startsWith('  reports:'));

test('a run in this process gives the same results as one in a process of its own', async () => {
  const mock = await startMock({ alter });
  const below = (name: string) => ({
    ...targetOf(mock.url),
    CARD_IDS,
    USER_IDS,
    REPORTS_DIR: test.info().outputPath(name),
  });
  const one = await runInProcess(below('one'));
  const other = await runSuite(below('other')).finally(mock.close);
  expect(one.code).toBe(other.code);
  expect(lasting(one)).toEqual(lasting(other));
  expect(linesOf(one)).toEqual(linesOf(other));
  const [named, others] = [one, other].map((run) =>
    run
      .files()
      .map(({ name }) => name)
      .sort(),
  );
  expect(others).toEqual(expect.arrayContaining(named ?? []));
  for (const { output } of [one, other]) expect(output).toMatch(/place +\/data\/card\/expiration_date/);
});

/** As a process that is started now would see it. */
const environment = async () => (await promisify(execFile)('env')).stdout.split('\n').sort();

test('a run in this process leaves its environment and its output as they were', async () => {
  const write = process.stdout.write;
  const before = await environment();
  const { code, output } = await runInProcess({ BASE_URL: 'foo', PROFILE: 'z' });
  expect({ code, said: output.includes('PROFILE must be one of') }).toEqual({ code: 1, said: true });
  expect(await environment()).toEqual(before);
  expect(process.stdout.write).toBe(write);
});
