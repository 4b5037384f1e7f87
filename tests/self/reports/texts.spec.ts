import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { fillOutput } from '../../../reports/command.ts';
import type { Conformance, ReportedRequirement } from '../../../reports/conformance.ts';
import { formatJUnit } from '../../../reports/junit.ts';
import { formatSummary, listAnnotations } from '../../../reports/lines.ts';
import { formatMarkdown, markdownCode, markdownText } from '../../../reports/markdown.ts';
import { checkConformance } from '../../../reports/read-conformance.ts';
import { writeReports } from '../../../reports/write.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { printable } from '../../../src/redact/printable.ts';
import { findLedgerEntryLocation, print, printAnnotation } from '../../../src/run/terminal.ts';
import { addChanges } from '../../../src/verdict/changes.ts';
import { UnmetRequirement } from '../../failure.ts';
import type { Reply } from '../harness/examples.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { createRunReport, monday } from '../harness/plain-runs.ts';
import { captureOutput, withEnvironment } from '../harness/process-state.ts';
import { breakLimits, changeBody, conforming, formatOutputs, judgeReplies } from './report-outputs.ts';

const addUndeclared = (name: string) => changeBody('getCard', (body) => ({ ...body, [name]: 1 }));

test('undeclared fields fail a run with FAIL_ON=undeclared, and the summary names the setting', async () => {
  const { markdown } = formatOutputs(await judgeReplies(addUndeclared('more'), { failOn: ['undeclared'] }));
  expect(markdown.replaceAll('\\', '')).toMatch(
    /FAIL: the target has fields that the contract does not name \(FAIL_ON=undeclared\)[\s\S]*the contract does not forbid other fields/,
  );
});

for (const [name, actual] of [
  ['more', 'the undeclared field `more`, a number'],
  ['Jane Doe', 'an undeclared field, a number'],
] as const)
  test(`with FAIL_ON=undeclared, the field "${name}" is reported as ${actual}`, async () => {
    const run = await judgeReplies(addUndeclared(name), { failOn: ['undeclared'] });
    const { terminal, markdown } = formatOutputs(run);
    expect(terminal).toContain(`getCard/rules/declared-fields: ${actual}, in`);
    expect(markdown).toContain(`expected only declared fields; got ${actual}`);
  });

test('the page gives clients advice on the deviations that the run tolerates, and on no others', async () => {
  const observed = formatOutputs(await judgeReplies(conforming, { profile: 'observed' }));
  const documented = formatOutputs(await judgeReplies(conforming, { profile: 'documented' }));
  const advice = 'Be prepared for both: Responses have been seen to carry the fixed fee';
  expect(observed.page).toContain(advice);
  expect(documented.page).not.toContain(advice);
});

test('JUnit leaves out characters that XML cannot hold', () => {
  const run = createRunReport(monday, { code: 'blocked' });
  Object.assign(run.requirements[0] ?? {}, { reason: 'a \u0000 \u001b[31m <b> & "c" \ud800' });
  expect(formatJUnit(run)).toContain('a  [31m &lt;b&gt; &amp; &quot;c&quot; ');
});

test('in the action, each report for people names the suite by its address and the whole command', async () => {
  const run = await judgeReplies();
  const expected = 'a deviation for each entry (npm run accept -- --remove removes the others)';
  const section = 'docs/testers.md, "Tolerate a deviation"';
  const gate = { address: 'run/ledger', statement: 'a', verdict: 'fail', actual: 'b', expected, section };
  const gates = [gate as Conformance['gates'][number]];
  mkdirSync(inFolder());
  const action = { SUITE_REPOSITORY: 'OWNER/suite', SUITE_REF: 'v1', LEDGER_FILE: 'ledger.yaml' };
  await withEnvironment(action, async () => {
    writeReports(loadContract(), { ...run, verdict: 'fail', gates }, inFolder());
  });
  for (const name of ['conformance.md', 'contract.html', 'junit.xml'])
    expect(text(name).replaceAll('<wbr>', ''), name).toContain(
      'LEDGER_FILE=ledger.yaml REPORTS_DIR=out npm --prefix suite run accept -- --remove removes',
    );
  for (const name of ['conformance.md', 'contract.html'])
    expect(text(name).replaceAll('<wbr>', ''), name).toContain(
      'See https://github.com/OWNER/suite/blob/v1/docs/testers.md,',
    );
  expect(text('conformance.md')).toContain('git clone https://github.com/OWNER/suite suite && ');
});

const inFolder = (name = '') => test.info().outputPath('reports', name);
const text = (name: string) => readFileSync(inFolder(name), 'utf8');

test('an annotation is one line, whatever its title and text contain', async () => {
  const writeAnnotation = async () =>
    printAnnotation(print, { title: 'a:b,c%', text: '1: 2, %\r\n3', location: { file: 'a,b', line: '4' } });
  const { stdout } = await captureOutput(() => withEnvironment({ GITHUB_ACTIONS: 'true' }, writeAnnotation));
  expect(stdout).toBe('::error file=a%2Cb,line=4,title=a%3Ab%2Cc%25::1: 2, %25%0D%0A3\n');
});

test('an annotation points to a line of `LEDGER_FILE`, and not to the line of another ledger', () => {
  const location = { file: 'ledger.yaml', line: '30' };
  for (const text of ['ledger.yaml, line 30: unknown', 'none for getCard/code (ledger.yaml, line 30)'])
    expect(findLedgerEntryLocation(text, 'ledger.yaml')).toEqual(location);
  for (const text of ['none for getCard/code (spec/ledger.yaml, line 30)', 'ledger.yaml is no list'])
    expect(findLedgerEntryLocation(text, 'ledger.yaml')).toBeUndefined();
});

/** Matches control characters other than `\n` and `\t`, and bidirectional control characters. */
const controlCharacter = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u;
test('each report for people and each message shows control characters as �, except for line breaks', async () => {
  const hostile = 'a\u001b[2J\u001b]0;x\u0007b\u202ec\u0085\r';
  expect(printable(`é✅ ⚠️\n\t${hostile}`)).toBe('é✅ ⚠️\n\ta�[2J�]0;x�b�c��');
  expect(new UnmetRequirement(hostile).stack).not.toMatch(controlCharacter);
  const traffic = { sources: [hostile], exchanges: 0, judged: 0, skipped: {}, broken: [hostile] };
  const run = { ...(await judgeReplies()), traffic, notes: [hostile] };
  mkdirSync(inFolder());
  writeReports(loadContract(), run, inFolder());
  for (const name of readdirSync(inFolder()).filter((file) => /\.(md|xml|html|svg)$/.test(file)))
    expect(text(name), name).not.toMatch(controlCharacter);
  expect(text('contract.html')).toContain('a�[2J');
  writeFileSync(inFolder(`${hostile}.json`), JSON.stringify({ [hostile]: 1 }));
  const { stderr } = await runCommand('reports/compare.ts', [
    ...[inFolder(`${hostile}.json`), inFolder(`${hostile}.json`)],
    ...['--output', inFolder('out')],
  ]);
  expect(stderr).toMatch(/^compare: \S.* is not a conformance\.json/);
  expect(stderr).not.toMatch(controlCharacter);
});

const invalidChanges: [change: object, message: string][] = [
  [{ verdict: undefined }, "must have required property 'verdict'"],
  [{ verdict: 'green' }, '/verdict must be equal to one of the allowed values'],
  [{ colour: 1 }, 'must NOT have additional properties'],
  [{ schemaVersion: 99 }, '/schemaVersion must be equal to constant'],
  [{ startedAt: '2026-02-30T12:00:00Z' }, '/startedAt must match format "date-time"'],
  [{ startedAt: '2026-01-22T12:00:00+02:00' }, '/startedAt must match pattern'],
  [{ target: '\u001b[31mgreen' }, '/target must match pattern'],
];
test('a file that is no conformance.json of this version is rejected in one sentence', async () => {
  const run = await judgeReplies(breakLimits);
  for (const [change, message] of invalidChanges)
    expect(() => checkConformance(JSON.parse(JSON.stringify({ ...run, ...change })), 'a.json')).toThrow(
      `a.json is not a conformance.json that this suite can read: ${message}`,
    );
  const checkInOutput = () =>
    fillOutput('--into', inFolder(), () => checkConformance({ schemaVersion: 99 }, 'a.json'));
  expect(checkInOutput).toThrow(/^a\.json is no/);
  expect(() => checkConformance({ ...run, schemaVersion: 4 }, 'a.json')).toThrow(
    'a.json was written by an earlier version of this suite: judge the target again',
  );
});

const hostile =
  '![x](http://a.example/p.png) [y](javascript:alert(1)) <img src=x> **b** _i_ <!-- ` |\n# z @team a#12 GH-3';

const stripCode = (markdown: string) =>
  markdown.replace(/\\([@#])|\\[^\w\s]/g, '$1').replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '');

const texts = /^(target|because|reason|statement|actual|expected|answer|question|exchange|repeat)$/;

test('conformance.md shows a name and every other text of a run as text', async () => {
  const run = addChanges(await judgeReplies(breakLimits, { failOn: ['drift'] }), await judgeReplies());
  const replaced: Conformance = JSON.parse(JSON.stringify(run), (name, value) =>
    texts.test(name) && typeof value === 'string' ? hostile : value,
  );
  const markdown = formatMarkdown({ ...replaced, notes: [hostile] });
  expect(markdown.split('javascript:').length).toBeGreaterThan(8);
  expect(stripCode(markdown)).not.toMatch(/[<[\]]|^# z|@team|#12|GH-3/m);
  expect(markdown.split('\n')[0]).toBe(
    '## ❌ fail · lookup API conformance of \\!\\[x\\](http://a.example/p.png) \\[y\\](javascript:alert(1)) &lt;img src=x\\> \\*\\*b\\*\\* \\_i\\_ &lt;\\!-- \\` \\| \\# z @&#8203;team a\\#&#8203;12 GH-&#8203;3',
  );
});

test('Markdown keeps names of variables and names in backticks', () => {
  expect(markdownText('`p_user_id` of FAIL_ON_DRIFT, `a|b`')).toBe('`p_user_id` of FAIL_ON_DRIFT, `a\\|b`');
  expect(markdownText('__a__ ~~b~~ _c_d_')).toBe('\\_\\_a\\_\\_ \\~\\~&#8203;b\\~\\~ \\_c_d\\_');
  expect(markdownText('@team #12, a/b@1f, !3 $4 %5 &6 ~7 ^8 5 % a@b.example')).toBe(
    '@&#8203;team \\#&#8203;12, a/b@&#8203;1f, \\!&#8203;3 $&#8203;4 %&#8203;5 &amp;&#8203;6 \\~&#8203;7 ^&#8203;8 5 % a@&#8203;b.example',
  );
  // Two adjacent backticks begin code that ends elsewhere.
  expect(markdownText('```[x](y)`')).toBe('\\`\\`\\`\\[x\\](y)\\`');
  expect(markdownText('`a``[x](y)`')).toBe('\\`a\\`\\`\\[x\\](y)\\`');
  expect(markdownCode('a | b')).toBe('`a | b`');
  expect(markdownCode('a ``b \n')).toBe('``` a ``b   ```');
});

/** Marks the requirements of an operation that are not exercised as judged by an earlier run. */
function loseUnexercised({ gates, ...report }: Conformance, losingOperation: string): Conformance {
  const isLost = ({ operation, verdict }: ReportedRequirement) =>
    operation === losingOperation && verdict === 'not exercised';
  return {
    ...report,
    requirements: report.requirements.map((requirement) =>
      isLost(requirement) ? { ...requirement, lost: true } : requirement,
    ),
    gates: gates.map((gate) => (gate.address === 'run/judged' ? { ...gate, verdict: 'fail' } : gate)),
  };
}

test('annotations list violations first, then each failed gate', async () => {
  const created: Reply = ({ operation }, response) =>
    operation === 'getCard' ? { ...response, status: 201 } : response;
  const report = await judgeReplies(created, { minCoverage: 90, failOn: ['unjudged'] });
  const run = loseUnexercised(report, 'getCard');
  const failedGates = run.gates.filter(({ verdict }) => verdict !== 'pass').map(({ address }) => address);
  expect(failedGates).toEqual(['run/coverage', 'run/judged']);
  expect(listAnnotations(run).map(({ title }) => title)).toEqual(['getCard/http/status', ...failedGates]);
  const summary = formatSummary(run, 'reports');
  expect(summary).toMatch(
    / {2}- run\/coverage \(MIN_COVERAGE\) failed: expected at least 90 % of schema nodes exercised; got /,
  );
  expect(summary).toContain('  - run/judged failed: expected a judged response of each');
  expect(summary.indexOf('Violations:')).toBeLessThan(summary.indexOf('Checks of the run as a whole:'));
  // The details of the violation are above the summary.
  expect(summary).toMatch(/ {2}- getCard\/http\/status: .+, in \d+ of \d+ requests\n/);
});

test('a target that rejects the credentials is one annotation, whatever else could not be checked', async () => {
  const rejecting: Reply = (_, response) => ({ ...response, status: 401 });
  const run = await judgeReplies(rejecting, { minCoverage: 90, failOn: ['unjudged', 'server-errors'] });
  const failedGates = run.gates.filter(({ verdict }) => verdict !== 'pass').map(({ address }) => address);
  expect(failedGates).toEqual(expect.arrayContaining(['run/target', 'run/coverage', 'run/judged']));
  const text = expect.stringContaining('the credentials are rejected with HTTP 401');
  expect(listAnnotations(run)).toEqual([{ title: 'run/target', text }]);
});

test('a low coverage of a run that ended early is no annotation', async () => {
  const report = await judgeReplies(conforming, { minCoverage: 100, failOn: ['unjudged'] });
  const gates = report.gates.map((gate) => ({ ...gate, verdict: 'fail' as const }));
  const annotatedGates = listAnnotations({ ...report, gates, incomplete: true }).map(({ title }) => title);
  expect(annotatedGates).toContain('run/target');
  expect(annotatedGates).not.toContain('run/coverage');
  expect(annotatedGates).not.toContain('run/judged');
});

/** Creates the report of a run without `CARD_IDS`, in which `getCard` is not exercised. */
async function createRunWithoutCardIds(): Promise<Conformance> {
  const reason = 'no request of getCard was sent';
  const gate = {
    address: 'run/judged',
    statement: 'each operation was judged',
    section: 'docs',
    expected: 'all',
    verdict: 'fail' as const,
    actual: `no response of getCard judged: ${reason}; set CARD_IDS`,
  };
  const report = await judgeReplies();
  const unexercised = { verdict: 'not exercised', exercised: 0, reason } as const;
  const requirements = report.requirements.map((requirement) =>
    requirement.operation === 'getCard' ? { ...requirement, ...unexercised } : requirement,
  );
  return {
    ...report,
    verdict: 'fail',
    gates: [gate],
    notes: ['CARD_IDS is not set: so', 'USER_IDS is not set: so'],
    requirements,
  };
}

test('what a failed gate says is no note, and no reason of requirements that are not exercised', async () => {
  const run = await createRunWithoutCardIds();
  const markdown = formatMarkdown(run);
  expect(markdown).toContain(
    '- `run/judged` failed: expected all; got no response of getCard judged: no request',
  );
  expect(markdown).not.toMatch(/CARD_IDS is not set|^- no request of getCard was sent/m);
  expect(markdown).toContain('USER_IDS is not set');
  const withoutGate = formatMarkdown({ ...run, gates: [] });
  expect(withoutGate).toContain('CARD_IDS is not set');
  expect(withoutGate).toMatch(/- no request of getCard was sent: \d+ requirements of `getCard`\n/);
});

test('an operation that is no longer judged is one line, with the number of its requirements', async () => {
  const markdown = formatMarkdown(addChanges(await createRunWithoutCardIds(), await judgeReplies()));
  expect(markdown).toMatch(/^- no longer judged: \d+ requirements of `getCard`$/m);
});

test('an error begins with what blocks requirements, and what to do; checks of the run as a whole follow', async () => {
  const run = await createRunWithoutCardIds();
  const gates = run.gates.map((gate) => ({ ...gate, actual: 'none' }));
  const [requirement] = run.requirements;
  const finding = {
    kind: 'blocked' as const,
    requirement: requirement?.address ?? '',
    operation: 'getCard',
    ...{
      pointer: 'http',
      expected: 'a response',
      actual: 'connection refused',
      exchange: 'GET /a',
      id: 'a-b',
    },
  };
  const { changes } = addChanges(run, run) as Conformance;
  const blockedRun = {
    ...run,
    gates,
    findings: [finding],
    verdict: 'error' as const,
    ...(changes ? { changes } : {}),
  };
  const sections = [...formatMarkdown(blockedRun).matchAll(/^### (.*)$/gm)].map(([, title]) => title);
  const changesTitle = expect.stringMatching(/^Changes since /);
  expect(sections.slice(0, 3)).toEqual(['Blocked', changesTitle, 'Checks of the run as a whole']);
  expect(formatMarkdown(blockedRun)).toContain(
    '- what to do: run again; if this stays, the provider can search its log for the id',
  );
  const requirements = run.requirements.map((result) => ({ ...result, verdict: 'blocked' as const }));
  expect(formatMarkdown({ ...blockedRun, requirements })).toContain(
    '- what to do: remove the cause, and run again; `npm run doctor` looks for the cause',
  );
});

test('a run with the same violations as before says that no verdict has changed', async () => {
  const run = addChanges(await judgeReplies(breakLimits), await judgeReplies(breakLimits));
  expect(formatMarkdown(run)).toMatch(/### Changes since .*\n\n- no verdict has changed\n/);
});

test('a partial run that passes counts its requirements once', async () => {
  const { requirements, ...report } = await judgeReplies();
  const selection = { selected: 1, total: requirements.length };
  const { terminal, markdown } = formatOutputs({
    ...report,
    selection,
    requirements: requirements.slice(0, 1),
  });
  for (const text of [terminal, markdown]) {
    expect(text).toContain('PASS of 1 selected requirement of ');
    expect(text).not.toMatch(/requirements selected|1 pass/);
  }
});

test('a summary says how long the run and its responses took', async () => {
  const run = await judgeReplies();
  const requestsMade = [{ operation: 'getCard', exchange: 'GET /a', durationMs: 1_200 }];
  const { terminal, markdown, page } = formatOutputs({ ...run, durationMs: 18_600, requestsMade });
  for (const text of [terminal, markdown, page])
    expect(text).toContain('18.6 s including start-up; responses took 1.2 s, partly in parallel');
});
