import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { type Conformance, failedReport } from '../../../reports/conformance.ts';
import { summaryOf } from '../../../reports/lines.ts';
import { markdownCode, markdownOf, markdownText } from '../../../reports/markdown.ts';
import { errorPage } from '../../../reports/pages/contract-page.ts';
import { checkConformance } from '../../../reports/read-conformance.ts';
import { sarifOf } from '../../../reports/sarif.ts';
import { reportFiles, writeReports } from '../../../reports/write.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { printable } from '../../../src/redact/printable.ts';
import { withChanges } from '../../../src/verdict/changes.ts';
import { BrokenRequirement } from '../../contract/failure.ts';
import {
  exampleTarget,
  json,
  of,
  type Reply,
  rejecting,
  replying,
  requirementCount,
  requirementsOfOperation,
} from '../harness/examples.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { monday, runOf } from '../harness/plain-runs.ts';
import { broken, changing, markedUp, outputsOf, reportOf, usual } from './report-outputs.ts';

const withoutCards = { identifiers: { CARD_IDS: [] } };
const created: Reply = ({ operation }, answer) =>
  operation === 'getCard' ? { ...answer, status: 201 } : answer;
const undeclared = changing('getCard', (body) => ({ ...body, more: 1 }));
const shapely = changing(
  'getCard',
  ({ data }) => Object.assign(data.card ?? {}, { expiration_date: '2027-11' }) && undefined,
);

/** A run, with what the terminal, the Markdown and the page all say of it. */
const rows: [name: string, run: () => Promise<Conformance>, says: RegExp, not?: RegExp][] = [
  [
    'a shard',
    async () => ({ ...(await reportOf()), shard: { current: 2, total: 3 } }),
    /PASS of shard 2 of 3: nothing is violated; /,
  ],
  [
    'undeclared fields that make a run fail',
    () => reportOf(undeclared, { undeclaredFields: 'fail' }),
    /FAIL: the target has fields that the contract does not name \(FAIL_ON=undeclared\)[\s\S]*the contract does not rule out fields that it does not name/,
  ],
  [
    'a requirement that is broken in many places: one entry with its extent',
    () => reportOf(broken),
    /in 4 of 6 places, in 2 of 2 requests[\s\S]*(elsewhere got null|<p>null<\/p>)/,
  ],
  ['a broken status', () => reportOf(created), /GET \/[\s\S]*expected HTTP 200; got HTTP 201/],
  ['what is blocked', () => reportOf(rejecting(401)), /blocked/, /Tolerated: /],
  ['a shape', () => reportOf(shapely), /In a shape, A and a stand for a letter, 0 for a digit/],
  ['a pass', () => reportOf(), /PASS/, /In a shape/],
];
test('what a run says is said by each output', async () => {
  for (const [name, run, says, not] of rows)
    for (const [output, text] of Object.entries(outputsOf(await run()))) {
      expect(text.replaceAll('\\', ''), `${name}: ${output}`).toMatch(says);
      if (not) expect(text, `${name}: ${output}`).not.toMatch(not);
    }
});

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
  const count = requirementsOfOperation('getCustomer');
  expect(junit).toMatch(new RegExp(`<testsuite name="getCustomer"[^>]* failures="0" errors="${count}"`));
  expect(junit).toMatch(/<error message="blocked: the target answered HTTP 503: [^"]+"\/>/);
  expect(junit).toMatch(/<skipped message="not exercised: no request of getCard was sent: [^"]+"\/>/);
  const violated = markedUp(await reportOf(broken)).junit;
  expect(violated).toMatch(/<testsuites [^>]* failures="1" errors="0" skipped="\d+">/);
  expect(violated).toMatch(
    /<failure message="expected a decimal[^"]*; got a number">[\s\S]* in 4 of 6 places/,
  );
  const run = await reportOf();
  const reason = 'a \u0000 \u001b[31m <b> & "c" \ud800';
  Object.assign(run.requirements[0] ?? {}, { verdict: 'blocked', reason });
  expect(markedUp(run).junit).toContain('a  [31m &lt;b&gt; &amp; &quot;c&quot; ');
});

test('JUnit passes exactly where the run does; it and the badge say what was judged', async () => {
  const part = markedUp(await reportOf(usual, {}, ['getCard/code']));
  expect(part.badge).toContain(`pass of 1 of ${requirementCount} requirements`);
  expect(part.junit).toContain(`: 1 selected requirement of ${requirementCount}"`);
  const run = await reportOf();
  const missing = { ...run, verdict: 'error' as const, notes: ['shard 2 of 3 is missing'] };
  const low = await reportOf(usual, { minCoverage: 100, ...withoutCards });
  for (const one of [run, low, missing, failedReport(exampleTarget(), ['why'], new Date(0))])
    expect(/<testsuites [^>]*failures="0" errors="0"/.test(markedUp(one).junit)).toBe(one.verdict === 'pass');
  expect(markedUp(missing).junit).toMatch(/<error message="ERROR[^"]*shard 2 of 3 is missing"\/>/);
});

test('of many undeclared fields a few are listed, and the others counted', async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`extra_${index}`, index]));
  const { terminal } = outputsOf(await reportOf(changing('getCard', (body) => ({ ...body, ...many }))));
  expect(terminal.match(/^.*extra_\d.*$/gm)).toHaveLength(3);
  expect(terminal).toContain(' more undeclared fields');
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

const inFolder = (name = '') => test.info().outputPath('reports', name);
const text = (name: string) => readFileSync(inFolder(name), 'utf8');

test('a run that could not begin leaves a page and a report that say why', () => {
  mkdirSync(inFolder());
  writeFileSync(inFolder('conformance.json'), '{"verdict":"pass"}');
  const run = failedReport(exampleTarget(), ['It is wrong:\n  - this\n  - that'], new Date(0));
  const says = 'ERROR: nothing was judged: It is wrong: this; that';
  expect(outputsOf(run).terminal.trim().split('\n')).toEqual([says, expect.stringContaining('reports: ')]);
  expect(errorPage(run)).toContain(says);
  writeReports(new Error('no contract'), run, { reportsDir: inFolder() });
  expect(checkConformance(JSON.parse(text('conformance.json')), 'it')).toMatchObject({ verdict: 'error' });
  expect(text('contract.html')).toContain(says);
});

/** What a terminal acts on, but line breaks and tabs. */
const acting = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u;
test('what is no text to a terminal is seen as such, in each report for people and each message; line breaks stay', async () => {
  const hostile = 'a\u001b[2J\u001b]0;x\u0007b\u202ec\u0085\r';
  expect(printable(`é✅ ⚠️\n\t${hostile}`)).toBe('é✅ ⚠️\n\ta�[2J�]0;x�b�c��');
  expect(new BrokenRequirement(hostile).stack).not.toMatch(acting);
  const traffic = { sources: [hostile], exchanges: 0, judged: 0, skipped: {}, broken: [hostile] };
  const run = { ...(await reportOf()), traffic, notes: [hostile] };
  writeReports(loadContract(), run, { reportsDir: inFolder() });
  for (const name of reportFiles.filter((one) => !one.endsWith('.json')))
    expect(text(name), name).not.toMatch(acting);
  expect(text('contract.html')).toContain('a�[2J');
  writeFileSync(inFolder(`${hostile}.json`), JSON.stringify({ [hostile]: 1 }));
  const { stderr } = await runCommand('reports/compare.ts', [
    ...[inFolder(`${hostile}.json`), inFolder(`${hostile}.json`)],
    ...['--output', inFolder('out')],
  ]);
  expect(stderr).toMatch(/^compare: \S.* is no conformance\.json/);
  expect(stderr).not.toMatch(acting);
});

/** Where `conformance.json` is changed to what, and what is said then; that each report follows the schema is seen wherever the harness reads one. */
const wrong: [change: object, says: string][] = [
  [{ verdict: undefined }, "must have required property 'verdict'"],
  [{ verdict: 'green' }, '/verdict must be equal to one of the allowed values'],
  [{ colour: 1 }, 'must NOT have additional properties'],
  [{ schemaVersion: 99 }, '/schemaVersion must be equal to constant'],
  [{ startedAt: '2026-02-30T12:00:00Z' }, '/startedAt must match format "date-time"'],
  [{ startedAt: '2026-01-22T12:00:00+02:00' }, '/startedAt must match pattern'],
  [{ target: '\u001b[31mgreen' }, '/target must match pattern'],
  [{ coverage: JSON.parse('{"__proto__":{"nodes":{}}}') }, "/coverage must have required property 'nodes'"],
];
test('what is no conformance.json of this version is rejected in one sentence', async () => {
  const run = await reportOf(broken);
  for (const [change, says] of wrong)
    expect(() => checkConformance(JSON.parse(JSON.stringify({ ...run, ...change })), 'a.json')).toThrow(
      `a.json is no conformance.json that this suite reads: ${says}`,
    );
  expect(() => checkConformance({ ...run, schemaVersion: 2 }, 'a.json')).toThrow(
    'a.json was written by an earlier version of this suite: judge the target again',
  );
});

/** Each kind of markup that shows, hides or leads to something else; and what notifies people, or refers to an issue. */
const hostile =
  '![x](http://a.example/p.png) [y](javascript:alert(1)) <img src=x> **b** _i_ <!-- ` |\n# z @team a#12 GH-3';

/** What stands in Markdown as markup: without code and what is escaped. */
const markupIn = (markdown: string) =>
  markdown.replace(/\\([@#])|\\[^\w\s]/g, '$1').replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '');

const texts = /^(target|because|reason|statement|actual|expected|answer|question|exchange|repeat)$/;

test('a name and every other text of a run is text in conformance.md', async () => {
  const run = withChanges(await reportOf(broken, { failOnDrift: true }), await reportOf());
  const replaced: Conformance = JSON.parse(JSON.stringify(run), (name, value) =>
    texts.test(name) && typeof value === 'string' ? hostile : value,
  );
  const markdown = markdownOf({ ...replaced, notes: [hostile] });
  expect(markdown.split('javascript:').length).toBeGreaterThan(8);
  expect(markupIn(markdown)).not.toMatch(/[<[\]]|^# z|@team|#12|GH-3/m);
  expect(markdown.split('\n')[0]).toBe(
    '## ❌ fail · lookup API conformance of \\!\\[x\\](http://a.example/p.png) \\[y\\](javascript:alert(1)) &lt;img src=x\\> \\*\\*b\\*\\* \\_i\\_ &lt;\\!-- \\` \\| \\# z @&#8203;team a\\#&#8203;12 GH-&#8203;3',
  );
});

test('names of variables and names in backticks stay as they are', () => {
  expect(markdownText('`p_user_id` of FAIL_ON_DRIFT, `a|b`')).toBe('`p_user_id` of FAIL_ON_DRIFT, `a\\|b`');
  expect(markdownText('__a__ ~~b~~ _c_d_')).toBe('\\_\\_a\\_\\_ \\~\\~&#8203;b\\~\\~ \\_c_d\\_');
  expect(markdownText('@team #12, a/b@1f, !3 $4 %5 &6 ~7 ^8 5 % a@b.example')).toBe(
    '@&#8203;team \\#&#8203;12, a/b@&#8203;1f, \\!&#8203;3 $&#8203;4 %&#8203;5 &amp;&#8203;6 \\~&#8203;7 ^&#8203;8 5 % a@&#8203;b.example',
  );
  // Two backticks would begin code that ends elsewhere.
  expect(markdownText('```[x](y)`')).toBe('\\`\\`\\`\\[x\\](y)\\`');
  expect(markdownText('`a``[x](y)`')).toBe('\\`a\\`\\`\\[x\\](y)\\`');
  expect(markdownCode('a | b')).toBe('`a | b`');
  expect(markdownCode('a ``b` \n')).toBe('``` a ``b`   ```');
});

test('of what else was received three are told, and how many others', () => {
  const at = {
    kind: 'violation',
    requirement: 'getCard/code',
    operation: 'getCard',
    pointer: '/code',
  } as const;
  const findings = [...'abcdef'].map((actual) => ({ ...at, expected: 'x', actual, exchange: '' }));
  const summary = summaryOf({ ...runOf(monday, { code: 'violation' }), findings }, '');
  expect(summary).toContain(': expected x; got a; elsewhere got b, c, d and 2 more\n');
});
