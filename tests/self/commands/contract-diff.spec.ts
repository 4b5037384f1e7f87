import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import {
  compareContracts,
  compareDocuments,
  compareVerdicts,
  formatContractDiff,
} from '../../../commands/contract-changes.ts';
import {
  buildContract,
  type Contract,
  loadContract,
  readSpecTexts,
} from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { withEnvironment } from '../harness/process-state.ts';
import { createCallersFolder, type Environment, writeTestFile } from '../harness/whole-run.ts';

const { target } = readConfiguration({ TRAFFIC: '-' }, '/nonexistent');
const texts = readSpecTexts();
const currentContract = loadContract();

const recording = fileURLToPath(new URL('../traffic/recordings/mitmproxy-conforming.har', import.meta.url));

function buildSmallContract(...edits: [from: string, to: string][]): Contract {
  const readEdited = (name: string) => {
    let text = readFileSync(new URL(`../reports/golden/${name}`, import.meta.url), 'utf8');
    for (const [from, to] of edits) text = text.replaceAll(from, to);
    return text;
  };
  return buildContract({
    'openapi.yaml': readEdited('openapi.yaml'),
    'requirements.yaml': readEdited('requirements.yaml'),
    'questions.yaml': readEdited('questions.yaml'),
    'ledger.yaml': '',
  });
}

test('new, removed and changed requirements, changed verdicts and the document match their snapshot', () => {
  const laterContract = buildSmallContract(
    ['note: { type: string', 'nickname: { type: integer'],
    ['note: n', 'nickname: 1'],
    ['^[a-z]+$', '^[a-z0-9]+$'],
    ['enum: [Active, Closed]', 'enum: [Active]'],
    ['name: kind', 'name: kind\n          required: true'],
    ['enum: [Big, Small]', 'enum: [Big, Tall]'],
    ['that-occur: [Slow]', 'that-occur: [Slow, Fast]'],
    ['How many.', 'The number.'],
    ['level: MUST', 'level: SHOULD'],
    ['pointer: /data/id', 'pointer: /data/state'],
  );
  const verdicts: [string, string, string][] = [['getThing/code', 'pass', 'violation in 1 of 2 answers']];
  const verdictComparison = { judgedResponses: 2, verdicts, broken: ['[1] ….har: ends early'] };
  const earlierContract = buildSmallContract();
  const texts = [
    formatContractDiff({
      ...compareContracts(earlierContract, laterContract),
      ref: '` @team',
      document: ['major: `x`'],
      verdictComparison,
    }),
    formatContractDiff({
      ...compareContracts(laterContract, earlierContract),
      ref: 'v1',
      document: [],
      verdictComparison: undefined,
    }),
    formatContractDiff({
      ...compareContracts(laterContract, laterContract),
      ref: 'v1',
      document: [],
      verdictComparison: { ...verdictComparison, verdicts: [] },
    }),
  ];
  expect(texts.join('\n')).toMatchSnapshot(['contract-diff.txt']);
});

const replayOn = (laterContract: Contract, ...sources: string[]) =>
  compareVerdicts([currentContract, laterContract], sources, target);

test('changed verdicts on identical recorded responses are listed with their number and without values', async () => {
  const year = 'pattern: ^(0[1-9]|1[0-2])/[0-9]{2}$';
  const openapi = texts['openapi.yaml'].replace(year, 'pattern: ^13/[0-9]{2}$');
  const example = 'expiration_date: "13/29"';
  const laterContract = buildContract({
    ...texts,
    'openapi.yaml': openapi.replace(/expiration_date: .*\d.*/g, example),
  });
  const diff = { added: [], removed: [], changed: [], ref: 'HEAD', document: [] };
  const markdown = formatContractDiff({
    ...diff,
    verdictComparison: await replayOn(laterContract, recording),
  });
  expect(markdown).toContain('No requirement has changed.');
  expect(markdown.match(/^\| `.*$/gm)).toEqual([
    expect.stringMatching(/^\| `getCard.*_date` \| pass \| violation in (\d+) of \1 responses \|$/),
  ]);
  const verdictComparison = await replayOn(currentContract, recording);
  expect(verdictComparison.broken).toEqual([]);
  const changed = [{ address: 'getCard/code', differences: ['x'] }];
  const markdownOfChange = formatContractDiff({ ...diff, changed, verdictComparison });
  expect(markdownOfChange).toMatch(/### Changed requirements \(1\)[\s\S]*No verdict changes\./);
});

test('the document is compared by redocly, unless it is unchanged', async () => {
  const currentText = texts['openapi.yaml'];
  // A folder of this test alone, since tests of another checkout may use the shared folder at the same time.
  const TMPDIR = test.info().outputPath('temporary');
  mkdirSync(TMPDIR);
  await withEnvironment({ ...process.env, TMPDIR }, async () => {
    expect(compareDocuments(currentText.replace('name: limit', 'name: size'), currentText)).toEqual([
      'major: modified `#/paths/~1svc~1payment~1api~1v1~1openapi~1customers/get/parameters/0 · name`',
    ]);
    expect(compareDocuments('{', '{')).toEqual([]);
    expect(compareDocuments('{', currentText)).toEqual([
      expect.stringMatching(/^It could not be compared: /),
    ]);
  });
  expect(readdirSync(TMPDIR)).toEqual([]);
});

const recordingText = readFileSync(recording, 'utf8');
const otherPath = '{"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/"}}]}}';
test('a recording without a judged response is rejected with the reason, and a truncated one is judged as far as it goes', async () => {
  for (const [name, text, messagePattern] of [
    ['cut.har', '{"log":{"entries":[{"x', /be judged: \[1\] ….har: ends early at byte \d+; only/],
    ['other.har', otherPath, /^no recorded response of --judge can be judged: 1 \w/],
  ] as const)
    await expect(replayOn(currentContract, writeTestFile(name, text)), name).rejects.toThrow(messagePattern);
  const cutText = recordingText.slice(
    0,
    recordingText.indexOf('startedDateTime', recordingText.indexOf('/fee_rule')),
  );
  const { judgedResponses, broken } = await replayOn(currentContract, writeTestFile('cut.har', cutText));
  expect(judgedResponses).toBeGreaterThan(0);
  expect(broken).toEqual([expect.stringMatching(/^\[1\] ….har: ends early at byte \d+; only what/)]);
});

test('the command compares with a commit, and rejects other arguments in one sentence', async () => {
  const runDiff = (...args: string[]) => runCommand('commands/contract-diff.ts', args);
  const expectedMarkdown = /^## What this change .* against `HEAD`\n[\s\S]*Verdicts that change on the same/;
  expect(await runDiff('HEAD', '--judge', path.join(path.dirname(recording), 'mitmproxy-*.har'))).toEqual({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(expectedMarkdown),
  });
  const { callerEnv } = createCallersFolder();
  for (const [args, message, env] of [
    [[], 'usage: npm run contract:diff -- REF '],
    [['HEAD', 'HEAD'], 'usage: npm run contract:diff -- REF '],
    [['v99'], 'there is no commit, branch or tag "v99" here'],
    [['--output=/tmp/x'], "Unknown option '--output'"],
    [['--', '--output=/tmp/x'], 'there is no commit, branch or tag "--output=/tmp/x" here'],
    [['HEAD', '--judge', 'docs'], '--judge names docs, which is a folder: name its files'],
    [['HEAD', '--judge', 'doc*'], '--judge names doc*, which no file matches'],
    [['HEAD', '--judge', './none.har'], '--judge names ./none.har, a file that does not exist', callerEnv],
    [['HEAD', '--judge', '-'], '--judge reads recorded traffic for each contract: name a file'],
  ] as [string[], string, Environment?][]) {
    const failedRun = await runCommand('commands/contract-diff.ts', args, env);
    expect({ ...failedRun, stderr: '' }).toEqual({ status: 2, stdout: '', stderr: '' });
    expect(failedRun.stderr).toMatch(/^contract:diff: /);
    expect(failedRun.stderr).toContain(message);
  }
});
