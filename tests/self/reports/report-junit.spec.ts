import { expect, test } from '@playwright/test';
import { failedReport } from '../../../reports/build-report.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { junitOf } from '../../../reports/junit.ts';
import { exampleTarget, json, of, replying } from '../harness/examples.ts';
import { requirementsOfOperation } from '../harness/requirement-count.ts';
import { broken, reportOf, usual } from './report-outputs.ts';

const withoutCards = { ...exampleTarget().identifiers, CARD_IDS: [] };

test('JUnit has a failure for a violation, an error for what is blocked, and a reason for what is skipped', async () => {
  const run = await reportOf(replying(json(503, {}), of('getCustomer')), { identifiers: withoutCards });
  const text = junitOf(run);
  const [, errors] = /<testsuite name="getCustomer"[^>]* failures="0" errors="(\d+)"/.exec(text) ?? [];
  expect(Number(errors)).toBe(requirementsOfOperation('getCustomer'));
  expect(text).toMatch(/<error message="blocked: the target answered HTTP 503: [^"]+"\/>/);
  expect(text).toMatch(/<skipped message="not exercised: no request of getCard was sent: [^"]+"\/>/);
  const violated = junitOf(await reportOf(broken));
  expect(violated).toMatch(/<testsuites [^>]* failures="1" errors="0" skipped="\d+">/);
  expect(violated).toMatch(/<failure message="expected a decimal[^"]*; got a number">/);
});

const stated = (run: Conformance) => /<testsuites [^>]*failures="0" errors="0"/.test(junitOf(run));

test('JUnit passes exactly where the run does', async () => {
  const low = { minCoverage: 100, identifiers: withoutCards };
  for (const run of [await reportOf(usual, low), failedReport(exampleTarget(), ['why'], new Date(0))])
    expect(stated(run)).toBe(false);
  const missing = { ...(await reportOf()), verdict: 'error' as const, notes: ['shard 2 of 3 is missing'] };
  expect(junitOf(missing)).toMatch(/<error message="ERROR: [^"]*shard 2 of 3 is missing"\/>/);
  expect(stated(await reportOf())).toBe(true);
});

test('JUnit holds nothing that XML cannot', async () => {
  const run = await reportOf();
  const [first] = run.requirements;
  Object.assign(first ?? {}, { verdict: 'blocked', reason: 'a \u0000 \u001b[31m <b> & "c" \ud800' });
  expect(junitOf(run)).toContain('a  [31m &lt;b&gt; &amp; &quot;c&quot; ');
});

test('JUnit marks a run on the embedded mock', async () => {
  const run = await reportOf();
  const nameOf = (mock: boolean) => /<testsuites name="([^"]*)"/.exec(junitOf({ ...run, mock }))?.[1];
  expect(nameOf(true)).toBe(`lookup API conformance of ${run.target} (MOCK)`);
  expect(nameOf(false)).toBe(`lookup API conformance of ${run.target}`);
});
