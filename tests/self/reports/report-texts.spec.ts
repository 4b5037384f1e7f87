import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { type Conformance, failedReport } from '../../../reports/conformance.ts';
import { errorPage } from '../../../reports/pages/contract-page.ts';
import { checkConformance } from '../../../reports/read-conformance.ts';
import { sarifOf } from '../../../reports/sarif.ts';
import { writeReports } from '../../../reports/write.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { withChanges } from '../../../src/verdict/changes.ts';
import { verdictSentence } from '../../../src/verdict/sentence.ts';
import { nothingSelected } from '../../../src/verdict/verdict.ts';
import { exampleTarget, json, of, type Reply, rejecting, replying } from '../harness/examples.ts';
import { requirementCount, requirementsOfOperation } from '../harness/requirement-count.ts';
import { broken, changing, markedUp, outputsOf, reportOf, usual } from './report-outputs.ts';

const withoutCards = { identifiers: { CARD_IDS: [] } };
const empty = replying(json(200, { code: 200, data: { customers: [] } }), of('listCustomers'));
const created: Reply = ({ operation }, answer) =>
  operation === 'getCard' ? { ...answer, status: 201 } : answer;
const undeclared = changing('getCard', (body) => ({ ...body, more: 1 }));
const shapely = changing(
  'getCard',
  ({ data }) => Object.assign(data.card ?? {}, { expiration_date: '2027-11' }) && undefined,
);

/** A provider, with what the terminal, the Markdown and the page all say of it. */
const rows: [name: string, run: () => Promise<Conformance>, says: (string | RegExp)[], not?: RegExp][] = [
  [
    'a part of the contract',
    () => reportOf(usual, {}, ['getCard/code']),
    [`PASS of 1 selected requirement of ${requirementCount}: nothing that was selected is violated`],
  ],
  [
    'a shard',
    async () => ({ ...(await reportOf()), shard: { current: 2, total: 3 } }),
    ['PASS of shard 2 of 3: nothing that this shard judged is violated; '],
  ],
  [
    'a filter that selects nothing',
    () => reportOf(usual, {}, [], [nothingSelected]),
    [/ERROR of 0 selected requirements of \d+: .*: no test was selected: npm run/],
  ],
  [
    'undeclared fields that make a run fail',
    () => reportOf(undeclared, { undeclaredFields: 'fail' }),
    [
      'FAIL: the target has fields that the contract does not name (FAIL_ON=undeclared): violation of getCard/',
      'the contract does not rule out fields that it does not name',
    ],
  ],
  [
    'a red run without a broken rule: the gate, its variable, what it found, where to read on',
    () => reportOf(usual, { minCoverage: 100, ...withoutCards }),
    [
      /no requirement is violated, but the gate run\/coverage \(MIN_COVERAGE\) expected at least 100 % .*; got [\d.]+ %; not exercised: getCard/,
    ],
  ],
  [
    'a run of which much was not exercised',
    () => reportOf(empty, { identifiers: { CARD_IDS: [], CUSTOMER_IDS: [], USER_IDS: [] } }),
    [/PASS: nothing is violated; \d+ of \d+ requirements were exercised/],
    /keeps the contract/,
  ],
  [
    'a requirement that is broken in many places: one entry with its extent',
    () => reportOf(broken),
    ['in 4 of 6 places, in 2 of 2 requests', /elsewhere got null|<p>null<\/p>/],
  ],
  ['a broken status: its request', () => reportOf(created), [/expected HTTP 200; got HTTP 201/, /GET \//]],
  ['what is blocked', () => reportOf(rejecting(401)), [/blocked/], /Tolerated: /],
];
for (const [name, run, says, not] of rows)
  test(`each output tells of ${name}`, async () => {
    for (const [output, text] of Object.entries(outputsOf(await run()))) {
      for (const one of says) expect(text.replaceAll('\\', ''), output).toMatch(asPattern(one));
      if (not) expect(text, output).not.toMatch(not);
    }
  });

const asPattern = (text: string | RegExp) =>
  typeof text === 'string' ? new RegExp(text.replace(/[()[\]{}*+?.^$|\\]/g, '\\$&')) : text;

test('each output names the version of the suite and the edition of the contract, and the badge its day', async () => {
  const run = await reportOf(broken);
  const { edition, hash } = loadContract();
  const { junit, badge } = markedUp(run);
  const sarif = JSON.stringify(sarifOf(loadContract(), run));
  for (const [output, text] of Object.entries({ ...outputsOf(run), junit, sarif }))
    for (const one of [run.suite, edition, hash]) expect(text, output).toContain(one);
  expect(junit).toContain(`<property name="suite" value="${run.suite}"/>`);
  expect(badge).toContain(', 2026-01-01');
});

test('JUnit has a failure for a violation, an error for what is blocked, a reason for what is skipped, and nothing that XML cannot hold', async () => {
  const { junit } = markedUp(await reportOf(replying(json(503, {}), of('getCustomer')), withoutCards));
  const [, errors] = /<testsuite name="getCustomer"[^>]* failures="0" errors="(\d+)"/.exec(junit) ?? [];
  expect(Number(errors)).toBe(requirementsOfOperation('getCustomer'));
  expect(junit).toMatch(/<error message="blocked: the target answered HTTP 503: [^"]+"\/>/);
  expect(junit).toMatch(/<skipped message="not exercised: no request of getCard was sent: [^"]+"\/>/);
  const violated = markedUp(await reportOf(broken)).junit;
  expect(violated).toMatch(/<testsuites [^>]* failures="1" errors="0" skipped="\d+">/);
  expect(violated).toMatch(
    /<failure message="expected a decimal[^"]*; got a number">[\s\S]* in 4 of 6 places/,
  );
  const run = await reportOf();
  Object.assign(run.requirements[0] ?? {}, {
    verdict: 'blocked',
    reason: 'a \u0000 \u001b[31m <b> & "c" \ud800',
  });
  expect(markedUp(run).junit).toContain('a  [31m &lt;b&gt; &amp; &quot;c&quot; ');
});

test('JUnit passes exactly where the run does; it and the badge say what was judged', async () => {
  const part = markedUp(await reportOf(usual, {}, ['getCard/code']));
  expect(part.badge).toContain(`pass of 1 of ${requirementCount} requirements`);
  expect(part.junit).toContain(`: 1 selected requirement of ${requirementCount}"`);
  const run = await reportOf();
  const missing = { ...run, mock: true, verdict: 'error' as const, notes: ['shard 2 of 3 is missing'] };
  const low = await reportOf(usual, { minCoverage: 100, ...withoutCards });
  for (const one of [run, low, missing, failedReport(exampleTarget(), ['why'], new Date(0))])
    expect(/<testsuites [^>]*failures="0" errors="0"/.test(markedUp(one).junit)).toBe(one.verdict === 'pass');
  expect(markedUp(missing).junit).toContain(`lookup API conformance of ${run.target} (MOCK)"`);
  expect(markedUp(missing).junit).toMatch(/<error message="ERROR[^"]*shard 2 of 3 is missing"\/>/);
});

test('of many undeclared fields a few are listed, and the others counted', async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`extra_${index}`, index]));
  const run = await reportOf(changing('getCard', (body) => ({ ...body, ...many })));
  const { terminal, markdown } = outputsOf(run);
  for (const text of [terminal, markdown]) {
    expect(text.match(/^.*extra_\d.*$/gm)?.length).toBeLessThan(7);
    expect(text).toContain(' more undeclared fields');
  }
});

test('what is newly tolerated is not fixed, and every report names entry, last day and link', async () => {
  const before = await reportOf(broken);
  const after = { ...structuredClone(before), verdict: 'pass' as const };
  const address = 'getCard/data/card/limits/*/limit_amount';
  for (const one of after.requirements) if (one.address === address) one.verdict = 'deviation';
  const ledger = { line: 30, until: '2026-12-31', link: 'https://example.com/7' };
  for (const finding of after.findings)
    Object.assign(finding, { kind: 'deviation', because: 'known', ledger });
  const run = withChanges(after, before);
  expect(run.changes).toMatchObject({ mended: [], newlyTolerated: [address] });
  checkConformance(JSON.parse(JSON.stringify(run)), 'it');
  for (const [name, text] of Object.entries(outputsOf(run))) {
    expect(text, name).toContain('spec/ledger.yaml, line 30, until 2026-12-31, https://example.com/7');
    expect(text, name).toMatch(/newly tolerated[\s\S]*ledger.yaml, line 30, until 2026-12-31/);
    expect(text, name).not.toContain('fixed:');
    expect(text, name).toContain('except for 1 deviation that the ledger tolerates; ');
  }
});

test('a shape is said to be one, and a field of another name is not said to be seen', async () => {
  const note = 'In a shape, A and a stand for a letter, 0 for a digit';
  const { markdown, page } = outputsOf(await reportOf(shapely));
  for (const text of [markdown, page]) expect(text).toContain(note);
  const usualPage = outputsOf(await reportOf()).page;
  for (const text of [note, 'never present']) expect(usualPage).not.toContain(text);
  const rule = { fixed_fee: '1', percentage_fee: '2', p_user_id: 'usr' };
  const run = await reportOf(changing('getFeeRules', (body) => ({ ...body, data: { fee_rules: [rule] } })));
  expect(run.coverage.fields?.neverPresent).toEqual(['getFeeRules/data/fee_rules/*/user_id']);
  const renamed = outputsOf(run).page;
  expect(renamed).toContain('), 1 of them never present.');
  expect(renamed).not.toContain('present 0 times');
});

test('the page says the reason of what is blocked once, and that nothing needs a look only of a pass', async () => {
  const blocked = await reportOf(rejecting(401));
  const { page } = outputsOf(blocked);
  for (const { address, reason = '' } of blocked.requirements) {
    const row = page.slice(page.indexOf(`<tr role="row" id="${address}"`)).split('</tr>')[0];
    expect(row?.split(reason.slice(0, 30)), address).toHaveLength(2);
  }
  const run = await reportOf();
  for (const requirement of run.requirements) requirement.verdict = 'pass';
  for (const verdict of ['pass', 'fail', 'error'] as const)
    expect(outputsOf({ ...run, verdict }).page.includes('Nothing: each requirement passes.')).toBe(
      verdict === 'pass',
    );
});

test('a run that could not begin leaves a page and a report that say why', () => {
  const reportsDir = test.info().outputPath('reports');
  mkdirSync(reportsDir, { recursive: true });
  writeFileSync(path.join(reportsDir, 'conformance.json'), '{"verdict":"pass"}');
  const run = failedReport(exampleTarget(), ['It is wrong:\n  - this\n  - that'], new Date(0));
  expect(run.notes).toEqual(['It is wrong: this; that']);
  expect(verdictSentence(run)).toMatch(/: It is wrong: this; that$/);
  expect(errorPage(run)).toContain('ERROR: nothing sure can be said of the target: It is wrong: this; that');
  expect(outputsOf(run).terminal.trim().split('\n')).toHaveLength(2);
  writeReports(loadContract(), run, { reportsDir });
  const written: unknown = JSON.parse(readFileSync(path.join(reportsDir, 'conformance.json'), 'utf8'));
  expect(checkConformance(written, 'it')).toMatchObject({ verdict: 'error', notes: run.notes });
  expect(readFileSync(path.join(reportsDir, 'contract.html'), 'utf8')).toContain('It is wrong');
});
