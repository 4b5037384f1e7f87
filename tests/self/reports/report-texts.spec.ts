import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { badgeOf } from '../../../reports/badge.ts';
import { failedReport } from '../../../reports/build-report.ts';
import { junitOf } from '../../../reports/junit.ts';
import { markdownOf } from '../../../reports/markdown.ts';
import { contractPage } from '../../../reports/pages/contract-page.ts';
import { errorPage } from '../../../reports/pages/error-page.ts';
import { checkConformance } from '../../../reports/read-conformance.ts';
import { summaryOf } from '../../../reports/summary.ts';
import { writeReports } from '../../../reports/write.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Entry } from '../../../schemas/contract/ledger.ts';
import type { Finding } from '../../redaction/observation.ts';
import { withChanges } from '../../verdict/changes.ts';
import { verdictSentence } from '../../verdict/sentence.ts';
import { exampleTarget, json, type Reply } from '../harness/examples.ts';
import { requirementCount } from '../harness/requirement-count.ts';
import { broken, outputsOf, reportOf, usual } from './report-outputs.ts';

test('a part of the contract passes as a part, in all outputs', async () => {
  const run = await reportOf(usual, {}, ['getCard/code']);
  for (const [name, text] of Object.entries(outputsOf(run)))
    expect(text, name).toContain(`PASS of 1 selected requirement of ${requirementCount}`);
  expect(badgeOf(run)).toContain(`pass of 1 of ${requirementCount} requirements`);
  expect(summaryOf(run, 'reports')).toContain(`1 of ${requirementCount} requirements selected, 1 pass`);
  expect(junitOf(run)).toContain(
    `conformance of ${run.target}: 1 selected requirement of ${requirementCount}"`,
  );
});

test('a shard passes as a shard, in all outputs', async () => {
  const run = { ...(await reportOf()), shard: { current: 2, total: 3 } };
  for (const [name, text] of Object.entries(outputsOf(run)))
    expect(text, name).toContain('PASS of shard 2 of 3: nothing that this shard judged is violated; ');
  expect(badgeOf(run)).toContain('pass of shard 2 of 3');
  expect(junitOf(run)).toContain(`conformance of ${run.target}: shard 2 of 3"`);
});

test('a shard that exercised nothing says so, and that the verdict is still to come, in all outputs', async () => {
  const whole = await reportOf(usual, { identifiers: { CARD_IDS: [] } });
  const requirements = whole.requirements.filter(({ verdict }) => verdict === 'not exercised');
  const run = { ...whole, shard: { current: 1, total: 4 }, requirements };
  const share = `0 of ${requirements.length} requirements were exercised`;
  expect(requirements.length).toBeGreaterThan(1);
  for (const [name, text] of Object.entries(outputsOf(run)))
    expect(text, name).toContain(
      `PASS of shard 1 of 4: nothing to judge before the shards are merged (${share})`,
    );
});

test('undeclared fields are no breach of the contract, even where they make a run fail', async () => {
  const undeclared: Reply = ({ operation }, answer) =>
    operation === 'getCard'
      ? json(200, { ...JSON.parse(Buffer.from(answer.body).toString()), more: 1 })
      : answer;
  const run = await reportOf(undeclared, { undeclaredFields: 'fail' });
  for (const [name, text] of Object.entries(outputsOf(run))) {
    expect(text, name).toContain(
      'FAIL: the target has fields that the contract does not name (UNDECLARED_FIELDS=fail): violation of getCard/',
    );
    expect(text, name).toContain('the contract does not rule out fields that it does not name');
  }
});

test('badge and page of a whole run are not replaced by a run of a part', async () => {
  const reportsDir = test.info().outputPath('reports');
  const whole = await reportOf();
  const part = await reportOf(usual, {}, ['getCard/code']);
  const read = (name: string) => readFileSync(path.join(reportsDir, name), 'utf8');
  writeReports(
    loadContract(),
    part,
    { reportsDir },
    { conformance: whole, file: 'previous/mock-observed.json' },
  );
  expect(read('badge.svg')).toBe(badgeOf(whole));
  expect(read('contract.html')).toContain('PASS: nothing is violated; ');
  expect(read('contract.html')).toContain('href="previous/mock-observed.json"');
  expect(read('conformance.md')).toContain(`PASS of 1 selected requirement of ${requirementCount}`);
  writeReports(loadContract(), part, { reportsDir });
  expect(read('badge.svg')).toBe(badgeOf(part));
});

test('a requirement that is broken in many places is one entry, with its extent, in every report', async () => {
  const run = await reportOf(broken);
  const address = 'getCard/data/card/limits/*/limit_amount';
  const extent = 'in 4 of 6 places, in 2 of 2 requests; first';
  expect(run.findings.filter(({ requirement }) => requirement === address).length).toBeGreaterThan(2);
  const { terminal, markdown } = outputsOf(run);
  for (const text of [terminal, markdown, junitOf(run)]) {
    expect(text.split(extent)).toHaveLength(2);
    expect(text).toContain('elsewhere got null');
  }
  expect(markdown).toContain(
    `- **\`${address}\`**: \`limit_amount\` is a decimal number written as a string (contract section 2.3, MUST)`,
  );
});

test('of many undeclared fields a few are listed, and the others counted', async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`extra_${index}`, index]));
  const reply: Reply = ({ operation }, answer) =>
    operation === 'getCard'
      ? json(200, { ...JSON.parse(String(Buffer.from(answer.body))), ...many })
      : answer;
  const run = await reportOf(reply);
  for (const text of [summaryOf(run, 'reports'), markdownOf(run)])
    expect(text.split('\n').filter((line) => /extra_\d/.test(line)).length).toBeLessThan(7);
});

test('a red run without a broken rule names the gate, its variable, what it found, and where to read on', async () => {
  const run = await reportOf(usual, { minCoverage: 100, identifiers: { CARD_IDS: [] } });
  const sentence =
    /FAIL: no requirement is violated, but the gate run\/coverage \(MIN_COVERAGE\) expected at least 100 % of schema nodes exercised; got [\d.]+ %; not exercised: getCard\/.*See docs\/configuration\.md\./;
  expect(verdictSentence(run)).toMatch(sentence);
  for (const text of Object.values(outputsOf(run)))
    expect(text).toContain('(MIN_COVERAGE) expected at least');
});

const tolerated: Pick<Finding, 'kind' | 'because' | 'ledger'> = {
  kind: 'deviation',
  because: 'known',
  ledger: { line: 30, until: '2026-12-31', link: 'https://example.com/7' },
};

test('what is newly tolerated is not fixed, and every report names entry, last day and link', async () => {
  const before = await reportOf(broken);
  const after = { ...structuredClone(before), verdict: 'pass' as const };
  const address = 'getCard/data/card/limits/*/limit_amount';
  for (const one of after.requirements) if (one.address === address) one.verdict = 'deviation';
  for (const finding of after.findings) Object.assign(finding, tolerated);
  const run = withChanges(after, before);
  expect(run.changes).toMatchObject({ mended: [], newlyTolerated: [address] });
  expect(checkConformance(JSON.parse(JSON.stringify(run)), 'it').changes?.newlyTolerated).toEqual([address]);
  for (const [name, text] of Object.entries(outputsOf(run))) {
    expect(text, name).toContain('spec/ledger.yaml, line 30, until 2026-12-31, https://example.com/7');
    expect(text, name).toContain('newly tolerated');
    expect(text, name).toContain('ledger line 30, until 2026-12-31');
    expect(text, name).not.toContain('fixed:');
    expect(text, name).toContain(
      'PASS: nothing is violated, except for 1 deviation that the ledger tolerates; ',
    );
  }
});

test('the page names the requirement of a stale entry', async () => {
  const run = await reportOf();
  const [entry] = loadContract().ledger as [Entry];
  const rest = { operation: 'getFeeRules', pointer: '', exchange: '', because: entry.because };
  const texts = { expected: 'the deviation of spec/ledger.yaml, line 9', actual: 'nothing that deviates' };
  run.findings.push({ kind: 'stale', requirement: entry.requirement, ...rest, ...texts });
  expect(contractPage(loadContract(), run)).toContain(`stale: <a href="#${entry.requirement}">`);
});

/** Each fee rule names its user under another name. */
const renamed: Reply = ({ operation }, answer) => {
  if (operation !== 'getFeeRules' || answer.status !== 200) return answer;
  const rule = { fixed_fee: '1', percentage_fee: '2', p_user_id: 'usr' };
  return json(200, { code: 200, message: 'success', data: { fee_rules: [rule] } });
};

test('a field that has another name is judged, and not said to be seen', async () => {
  const run = await reportOf(renamed);
  const { judged = 0, seen = 0, neverPresent = [] } = run.coverage.fields ?? {};
  expect(neverPresent).toEqual(['getFeeRules/data/fee_rules/*/user_id']);
  expect(seen + neverPresent.length).toBe(judged);
  const page = contractPage(loadContract(), run);
  expect(page).toContain(`of the fields were judged (${judged} of `);
  expect(page).toContain(`), ${neverPresent.length} of them never present.`);
  expect(contractPage(loadContract(), await reportOf())).not.toContain('never present');
  expect(page).not.toContain('present 0 times');
});

test('a run that could not begin leaves a page and a report that say why', () => {
  const reportsDir = test.info().outputPath('reports');
  mkdirSync(reportsDir, { recursive: true });
  writeFileSync(path.join(reportsDir, 'conformance.json'), '{"verdict":"pass"}');
  const run = failedReport(exampleTarget(), ['spec/openapi.yaml cannot be read'], new Date(0));
  const listed = failedReport(exampleTarget(), ['It is wrong:\n  - this\n  - that'], new Date(0));
  expect(verdictSentence(listed)).toMatch(/: It is wrong: this; that$/);
  expect(listed.notes).toEqual(['It is wrong: this; that']);
  expect(errorPage(run)).toContain('ERROR: nothing sure can be said of the target: spec/openapi.yaml cannot');
  expect(summaryOf(run, 'reports').trim().split('\n')).toHaveLength(2);
  writeReports(loadContract(), run, { reportsDir });
  const written: unknown = JSON.parse(readFileSync(path.join(reportsDir, 'conformance.json'), 'utf8'));
  expect(checkConformance(written, 'it')).toMatchObject({ verdict: 'error', notes: run.notes });
  expect(readFileSync(path.join(reportsDir, 'contract.html'), 'utf8')).toContain('cannot be read');
});
