import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { fillOutput } from '../../../reports/command.ts';
import type { Conformance, ReportedRequirement } from '../../../reports/conformance.ts';
import { formatJUnit } from '../../../reports/junit.ts';
import { listAnnotations, formatSummary } from '../../../reports/lines.ts';
import { markdownCode, formatMarkdown, markdownText } from '../../../reports/markdown.ts';
import { checkConformance } from '../../../reports/read-conformance.ts';
import { writeReports } from '../../../reports/write.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { printable } from '../../../src/redact/printable.ts';
import { annotate, print } from '../../../src/run/terminal.ts';
import { withChanges } from '../../../src/verdict/changes.ts';
import { UnmetRequirement } from '../../failure.ts';
import type { Reply } from '../harness/examples.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { monday, runOf } from '../harness/plain-runs.ts';
import { captureOutput, withEnvironment } from '../harness/process-state.ts';
import { broken, changing, outputsOf, reportOf } from './report-outputs.ts';

const undeclared = changing('getCard', (body) => ({ ...body, more: 1 }));

test('undeclared fields make a run fail where the configuration says so, which each report tells', async () => {
  const { markdown } = outputsOf(await reportOf(undeclared, { failOn: ['undeclared'] }));
  expect(markdown.replaceAll('\\', '')).toMatch(
    /FAIL: the target has fields that the contract does not name \(FAIL_ON=undeclared\)[\s\S]*the contract does not forbid other fields/,
  );
});

test('JUnit has nothing that XML cannot hold', () => {
  const run = runOf(monday, { code: 'blocked' });
  Object.assign(run.requirements[0] ?? {}, { reason: 'a \u0000 \u001b[31m <b> & "c" \ud800' });
  expect(formatJUnit(run)).toContain('a  [31m &lt;b&gt; &amp; &quot;c&quot; ');
});

const inFolder = (name = '') => test.info().outputPath('reports', name);
const text = (name: string) => readFileSync(inFolder(name), 'utf8');

test('an annotation is one line, whatever its title and its text hold', async () => {
  const write = async () => annotate(print, 'a:b,c%', '1: 2, %\r\n3');
  const { stdout } = await captureOutput(() => withEnvironment({ GITHUB_ACTIONS: 'true' }, write));
  expect(stdout).toBe('::error title=a%3Ab%2Cc%25::1: 2, %25%0D%0A3\n');
});

/** What a terminal acts on, but line breaks and tabs. */
const acting = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u;
test('what is no text to a terminal is seen as such, in each report for people and each message; line breaks stay', async () => {
  const hostile = 'a\u001b[2J\u001b]0;x\u0007b\u202ec\u0085\r';
  expect(printable(`é✅ ⚠️\n\t${hostile}`)).toBe('é✅ ⚠️\n\ta�[2J�]0;x�b�c��');
  expect(new UnmetRequirement(hostile).stack).not.toMatch(acting);
  const traffic = { sources: [hostile], exchanges: 0, judged: 0, skipped: {}, broken: [hostile] };
  const run = { ...(await reportOf()), traffic, notes: [hostile] };
  mkdirSync(inFolder());
  writeReports(loadContract(), run, inFolder());
  for (const name of readdirSync(inFolder()).filter((one) => /\.(md|xml|html|svg)$/.test(one)))
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
];
test('what is no conformance.json of this version is rejected in one sentence', async () => {
  const run = await reportOf(broken);
  for (const [change, says] of wrong)
    expect(() => checkConformance(JSON.parse(JSON.stringify({ ...run, ...change })), 'a.json')).toThrow(
      `a.json is no conformance.json that this suite reads: ${says}`,
    );
  const inFull = () =>
    fillOutput('--into', inFolder(), () => checkConformance({ schemaVersion: 99 }, 'a.json'));
  expect(inFull).toThrow(/^a\.json is no/);
  expect(() => checkConformance({ ...run, schemaVersion: 4 }, 'a.json')).toThrow(
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
  const run = withChanges(await reportOf(broken, { failOn: ['drift'] }), await reportOf());
  const replaced: Conformance = JSON.parse(JSON.stringify(run), (name, value) =>
    texts.test(name) && typeof value === 'string' ? hostile : value,
  );
  const markdown = formatMarkdown({ ...replaced, notes: [hostile] });
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
  expect(markdownCode('a ``b \n')).toBe('``` a ``b   ```');
});

test('annotations begin with violations; a gate that fails as a consequence is one line and no annotation', async () => {
  const created: Reply = ({ operation }, answer) =>
    operation === 'getCard' ? { ...answer, status: 201 } : answer;
  const { gates, ...judged } = await reportOf(created, { minCoverage: 90, failOn: ['unjudged'] });
  const lost = ({ operation, verdict }: ReportedRequirement) =>
    operation === 'getCard' && verdict === 'not exercised';
  const run: Conformance = {
    ...judged,
    requirements: judged.requirements.map((one) => (lost(one) ? { ...one, lost: true } : one)),
    gates: gates.map((gate) => (gate.address === 'run/judged' ? { ...gate, verdict: 'fail' } : gate)),
  };
  const failed = run.gates.filter(({ verdict }) => verdict !== 'pass').map(({ address }) => address);
  expect(failed).toEqual(['run/coverage', 'run/judged']);
  expect(listAnnotations(run).map(({ title }) => title)).toEqual(['getCard/http/status']);
  const summary = formatSummary(run, 'reports');
  expect(summary).toContain('  - as a consequence: run/coverage, run/judged\n');
  expect(summary.indexOf('Violations:')).toBeLessThan(summary.indexOf('Checks of the run as a whole:'));
  // The text of the failure stands above the summary.
  expect(summary).toMatch(/ {2}- getCard\/http\/status: in \d+ of \d+ requests\n/);
  const other = {
    ...run,
    requirements: run.requirements.map((one) => ({ ...one, verdict: 'not exercised' as const })),
  };
  expect(listAnnotations(other).map(({ title }) => title)).toEqual(failed);
});

test('a run explains how many tests other reports count, and how long responses took', async () => {
  const run = await reportOf();
  const { length } = run.requirements;
  const requestsMade = [{ operation: 'getCard', exchange: 'GET /a', durationMs: 1_200 }];
  const { terminal, markdown, page } = outputsOf({ ...run, durationMs: 18_600, requestsMade });
  for (const text of [terminal, markdown, page]) {
    expect(text).toContain(`JUnit counts ${length + run.gates.length} tests: the requirements and 2 gates;`);
    expect(text).toContain('18.6 s including start-up; responses took 1.2 s in total');
  }
});
