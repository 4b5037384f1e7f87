import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { createRandom } from '../../../src/sweep/paging.ts';
import { altering, set } from '../harness/edits.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { root } from '../harness/project-files.ts';
import { runStepScript } from '../harness/runner-script.ts';
import { cleanEnvironment, configureTarget, type Environment, type WholeRun } from '../harness/whole-run.ts';
import { Job, readYaml, type Step } from '../reports/action-job.ts';
import { seed } from '../soak.ts';

test.setTimeout(300_000);

/** Temporary repository of a user, with the suite in its folder `suite`. */
let workspace: string;
/** Environment for `.ci/issue`, with a fake `gh` in `PATH`. */
let issueEnv: Environment;
/** Environment with a fake npm that records its arguments and environment. */
let npmEnv: Environment;
test.beforeEach(() => {
  workspace = mkdtempSync(path.join(tmpdir(), 'workspace-'));
  symlinkSync(root, path.join(workspace, 'suite'));
  mkdirSync(path.join(workspace, 'conformance'));
  issueEnv = {
    GH_ISSUES: path.join(workspace, 'issues.json'),
    GH_LOG: path.join(workspace, 'log'),
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'a/b',
    GITHUB_RUN_ID: '7',
    PATH: `${path.join(root, 'tests/self/project/bin')}:${cleanEnvironment().PATH}`,
  };
  npmEnv = { PATH: `${path.join(workspace, 'bin')}:${cleanEnvironment().PATH}` };
  mkdirSync(path.join(workspace, 'bin'));
  const npmScript = `echo "$*" > npm-arguments; node -p 'JSON.stringify(process.env)' > npm-environment`;
  writeFileSync(path.join(workspace, 'bin/npm'), `#!/bin/sh\n${npmScript}\n`, { mode: 0o755 });
  writeFileSync(issueEnv.GH_ISSUES ?? '', '[]');
  writeFileSync(issueEnv.GH_LOG ?? '', '');
});
test.afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const readWorkspaceFile = (file: string) => readFileSync(path.join(workspace, file), 'utf8');

const alterStatus = altering('getCard', set('data/card/physical_status', 'Mislaid'));
const ledger = `- requirement: getCard/data/card/physical_status
  accepts: { schema: { const: Mislaid } }
  because: The old gateway does this.
  link: https://tracker.example.com/4711
  target: staging
`;

const github: { jobs: Record<string, { steps: (Step & { uses?: string; with?: Environment })[] }> } =
  readYaml('docs/examples/github.yml');
const listSteps = (job: string) => github.jobs[job]?.steps ?? [];
const findStep = (job: string, word: string) => listSteps(job).find(({ run }) => run?.includes(word));
const findScript = (job: string, word: string) => findStep(job, word)?.run;

interface GitlabJob {
  variables: Environment;
  before_script: string[];
  script: string[];
}
const gitlab: Record<string, GitlabJob> = readYaml('docs/examples/gitlab.yml');

/**
 * Reads the action inputs in `docs/examples/github.yml`, and adds `reports-dir`.
 * @param target replaces `matrix.target`
 * @param callerVariables replaces expressions such as `secrets.CARD_IDS` by `callerVariables.CARD_IDS`, or by an empty text if not set
 */
function readActionInputs(target: string, callerVariables: Environment): Environment {
  const matrixTarget = /\$\{\{ matrix\.target \}\}/;
  const otherExpression = /\$\{\{ \w+\.(\w+) \}\}/;
  // In the example, `OWNER/…` stands for the repository of the action.
  const actionStep = listSteps('judge').find(({ uses }) => uses?.startsWith('OWNER/'));
  const inputs: Environment = {};
  for (const [name, text] of Object.entries(actionStep?.with ?? {}))
    inputs[name] = text
      .replace(matrixTarget, target)
      .replace(otherExpression, (_, variable) => callerVariables[variable] ?? '');
  return { ...inputs, 'reports-dir': `runs/conformance-${target}` };
}

async function judgeByGithubExample(target: string, callerVariables: Environment): Promise<WholeRun> {
  // The test in `reports/pages-allure.spec.ts` runs the action with the real npm.
  const job = new Job(path.join(workspace, target));
  await job.run('Judge', readActionInputs(target, callerVariables), { env: npmEnv, cwd: workspace });
  expect(readWorkspaceFile('npm-arguments')).toBe(`--prefix ${root} run --silent conformance\n`);
  return runSuiteWithRecordedEnvironment();
}

async function judgeByGitlabExample(target: string, callerVariables: Environment): Promise<WholeRun> {
  const env = { ...callerVariables };
  for (const [name, text] of Object.entries(gitlab.judge?.variables ?? {}))
    env[name] = text.replace('$TARGET_NAME', target);
  env.TARGET_NAME = target;
  await runStepScript(gitlab.judge?.script.join('\n'), { ...env, ...npmEnv }, workspace);
  expect(readWorkspaceFile('npm-arguments')).toBe('--prefix suite run conformance\n');
  return runSuiteWithRecordedEnvironment();
}

function runSuiteWithRecordedEnvironment(): Promise<WholeRun> {
  const recordedEnv = JSON.parse(readWorkspaceFile('npm-environment'));
  // Only the real npm sets these.
  const npmVariables = { INIT_CWD: workspace, npm_package_json: path.join(root, 'package.json') };
  return runInProcess({ ...recordedEnv, ...npmVariables });
}

test('the examples for GitHub and GitLab judge, publish, and open an issue for the failed target', async () => {
  writeFileSync(path.join(workspace, 'conformance/ledger.yaml'), ledger);
  const mock = await startMock({ alter: alterStatus });
  const values = configureTarget(mock.url);
  const staging = await judgeByGithubExample('staging', values);
  const production = await judgeByGitlabExample('production', values).finally(mock.close);
  expect(staging, staging.output).toMatchObject({ code: 0 });
  expect(production, production.output).toMatchObject({ code: 1 });

  expect(staging.conformance).toMatchObject({ verdict: 'pass', coverage: { nodes: { percentage: 100 } } });
  for (const folder of ['runs/conformance-staging', 'reports/production']) {
    const { gates, observed }: Conformance = JSON.parse(readWorkspaceFile(`${folder}/conformance.json`));
    expect(gates.map(({ address }) => address)).toContain('run/coverage');
    expect(observed.flatMap(({ evidence }) => evidence).join()).not.toContain('PROBES is off');
  }

  const siteStep = findStep('site', 'run --silent site');
  const siteEnv = { ...npmEnv, ...siteStep?.env, RUN_URL: 'https://ci.example/7' };
  expect(await runStepScript(siteStep?.run, siteEnv, workspace)).toMatchObject({ code: 0 });
  expect(JSON.parse(readWorkspaceFile('npm-environment'))).toMatchObject({
    SUITE_REPOSITORY: 'OWNER/lookup-api-conformance',
    SUITE_REF: expect.stringMatching(/^[0-9a-f]{40}$/),
    LEDGER_FILE: 'conformance/ledger.yaml',
  });
  expect(readWorkspaceFile('npm-arguments')).toMatch(
    /^--prefix suite run .*site -- --from runs\/conformance-staging --into site --link https:\/\/ci\.example\/7$/m,
  );
  // A target whose job was cancelled has an empty folder.
  mkdirSync(path.join(workspace, 'reports/another'));
  const published = await runStepScript(gitlab.pages?.script.join('\n'), {}, workspace);
  expect(published, published.output).toMatchObject({ code: 0 });
  expect(readWorkspaceFile('public/index.html')).toContain('production');
  cpSync(path.join(workspace, 'reports/production'), path.join(workspace, 'runs/conformance-production'), {
    recursive: true,
  });
  expect(await runStepScript(findScript('issue', '.ci/issue'), issueEnv, workspace)).toMatchObject({
    code: 0,
  });
  expect(readWorkspaceFile('log')).toBe('open Conformance of production is red\n');
  expect(JSON.parse(readWorkspaceFile('issues.json'))[0].body).toContain('getCard/data/card/physical_status');
});

test('a mistake in the ledger of the caller is an annotation at its line', async () => {
  const wrongLedger = `# Deviations\n${ledger.replace('physical_status', 'mistaken')}`;
  writeFileSync(path.join(workspace, 'conformance/ledger.yaml'), wrongLedger);
  const { output } = await judgeByGithubExample('staging', { BASE_URL: 'https://api.example.com' });
  expect(output).toMatch(
    /^::error file=conformance\/ledger\.yaml,line=2,title=run::conformance\/ledger\.yaml, line 2: unknown requirement /m,
  );
});

test('both examples install only dependencies of a run, at the hash of a release', () => {
  expect(findScript('site', ' ci ')).toBe('npm --prefix suite ci --omit=dev');
  expect(gitlab['.suite']?.before_script).toContain('npm --prefix suite ci --omit=dev');
  expect(gitlab).toMatchObject({ variables: { SUITE_COMMIT: '0'.repeat(40) } });
});

const addresses = ['getCard/code', 'getCard/data/card/status', 'run/coverage'];

/** Failed addresses of a nightly run, such as `getCard/code`; `error` if nothing could be judged. */
type NightlyResult = string[] | 'error';

function createNightlyRun(result: NightlyResult) {
  const failedAddresses = result === 'error' ? addresses : result;
  const createResult = (address: string, verdictOfFailure: string) => {
    return { address, verdict: failedAddresses.includes(address) ? verdictOfFailure : 'pass' };
  };
  const isGate = (address: string) => address.startsWith('run/');
  const requirements = addresses.filter((address) => !isGate(address));
  const gates = addresses.filter(isGate);
  return {
    target: 'staging "eu"',
    verdict: chooseRunVerdict(result),
    requirements: requirements.map((address) => createResult(address, 'violation')),
    gates: gates.map((address) => createResult(address, 'fail')),
  };
}

function chooseRunVerdict(result: NightlyResult): 'error' | 'fail' | 'pass' {
  if (result === 'error') return 'error';
  return result.length > 0 ? 'fail' : 'pass';
}

function writeNightlyReport(result: NightlyResult): void {
  const run = createNightlyRun(result);
  const folder = path.join(workspace, 'night');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'conformance.json'), JSON.stringify(run));
  // Longer than the 50,000 characters that `.ci/issue` copies into an issue.
  writeFileSync(path.join(folder, 'conformance.md'), `\n\né ${run.verdict}\n${'x'.repeat(70_000)}`);
}

function expectComment(brokenNow: string[], brokenBefore: string[]): void {
  const newlyBroken = addresses.filter(
    (address) => brokenNow.includes(address) && !brokenBefore.includes(address),
  );
  const noLongerBroken = addresses.filter(
    (address) => brokenBefore.includes(address) && !brokenNow.includes(address),
  );
  const lines = [
    ...newlyBroken.map((address) => `- broken: \`${address}\``),
    ...noLongerBroken.map((address) => `- no longer broken: \`${address}\`, now pass`),
  ];
  expect(readWorkspaceFile('log.comment')).toContain(
    `above.\n\n${lines.join('\n')}\n\n[The run](https://github.com/a/b/`,
  );
}

/**
 * Predicts what the fake `gh` logs after a night: the line `open …`, `comment` or `close` for an issue, or nothing.
 * @param failedAddresses addresses that failed this night and the last judged night, joined by blanks; empty after a pass
 * @param isClosedByPerson true if a person has closed the issue, so that only a failure after a pass is reported
 */
function predictLogLines(
  failedAddresses: Record<'now' | 'before', string>,
  isClosedByPerson: boolean,
): string[] {
  const { now, before } = failedAddresses;
  const hasPassed = now === '';
  const hadPassed = before === '';
  if (hadPassed && !hasPassed) return ['open Conformance of staging "eu" is red'];
  if (isClosedByPerson || now === before) return [];
  return [hasPassed ? 'close' : 'comment'];
}

function markIssuesClosed(): void {
  const issues = readWorkspaceFile('issues.json').replaceAll('"OPEN"', '"CLOSED"');
  writeFileSync(path.join(workspace, 'issues.json'), issues);
}

function drawBrokenAddresses(random: () => number): string[] {
  if (random() < 0.5) return [];
  return addresses.filter((_, index) => index === 0 || random() < 0.5);
}

test('sixty nights open an issue for each series of failures, comment on each change, and close it after the first pass', async () => {
  const random = createRandom(seed);
  const expectedLog: string[] = [];
  let [broken, before, isClosed] = [[] as string[], '', false];
  const countOpened = () => expectedLog.filter((line) => line.startsWith('open')).length;
  for (let night = 0; night < 60 || countOpened() < 2 || new Set(expectedLog).size < 3; night += 1) {
    const isError = random() < 0.2;
    if (random() < 0.4) broken = drawBrokenAddresses(random);
    writeNightlyReport(isError ? 'error' : broken);
    const result = await runStepScript('suite/.ci/issue night missing', issueEnv, workspace);
    expect(result, `night ${night}: ${result.output}`).toMatchObject({ code: 0 });
    if (isError) continue;
    const now = broken.join(' ');
    const newLines = predictLogLines({ now, before }, isClosed);
    expectedLog.push(...newLines);
    if (newLines.includes('comment')) expectComment(broken, before.split(' '));
    // At random, a person closes the issue of a failed target.
    const isStillClosed = isClosed && before !== '';
    isClosed = now !== '' && (isStillClosed || random() < 0.1);
    if (isClosed) markIssuesClosed();
    before = now;
  }
  expect(readWorkspaceFile('log').trim().split('\n')).toEqual(expectedLog);
  expect(readWorkspaceFile('issues.json')).toMatch(
    / green -->\\n\\n\\né fail\\nx+\\n\[The run\]\(https:\/\/github.com\/a\/b\/actions\/runs\/7\)/,
  );
});

test('the third error in a row is reported once, in the issue or a new one, and a pass closes the issue', async () => {
  const env = { ...issueEnv, NIGHTS: path.join(workspace, 'nights'), ASSIGNEE: 'ada', MENTION: '@team' };
  const runNight = async (nightlyResult: NightlyResult) => {
    writeNightlyReport(nightlyResult);
    const { code, output } = await runStepScript('suite/.ci/issue night', env, workspace);
    expect(code, output).toBe(0);
  };
  const readLog = () => readWorkspaceFile('log').trim().split('\n');
  for (let night = 0; night < 5; night += 1) await runNight('error');
  const openedLine = 'open Conformance of staging "eu" cannot be checked for ada';
  expect(readLog()).toEqual([openedLine]);
  expect(readWorkspaceFile('issues.json')).toContain('@team');
  await runNight(['getCard/code']);
  expect(readLog()).toEqual([openedLine, 'comment']);
  for (let night = 0; night < 4; night += 1) await runNight('error');
  expect(readLog()).toEqual([openedLine, 'comment', 'comment']);
  expect(readWorkspaceFile('log.comment')).toMatch(
    /^The target could not be checked three times in a row\.\n\né error\n\n\[The run\].* @team\n/,
  );
  for (const nightlyResult of [[], 'error', 'error', []] satisfies NightlyResult[])
    await runNight(nightlyResult);
  expect(readLog()).toEqual([openedLine, 'comment', 'comment', 'close']);
});

test('no issue is opened if issues cannot be listed or the report is missing', async () => {
  writeNightlyReport(['getCard/code']);
  writeFileSync(issueEnv.GH_ISSUES ?? '', 'rate limited');
  for (const folder of ['night', 'missing'])
    expect((await runStepScript(`suite/.ci/issue ${folder}`, issueEnv, workspace)).code).not.toBe(0);
  expect(readWorkspaceFile('log')).toBe('');
});
