import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { randomOf } from '../../../src/sweep/paging.ts';
import { altering, set } from '../harness/edits.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { runStepScript } from '../harness/runner-script.ts';
import { cleanEnvironment, type Environment, targetOf } from '../harness/whole-run.ts';
import { Job, readYaml, type Step } from '../reports/action-job.ts';
import { seed } from '../soak.ts';

test.setTimeout(300_000);

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A folder outside of the project with the suite in `suite`, a ledger, and a stand-in for `gh`. */
let workspace: string;
let gh: Environment;
/** Variables by which npm only writes down how it was called. */
let calling: Environment;
test.beforeEach(() => {
  workspace = mkdtempSync(path.join(tmpdir(), 'workspace-'));
  symlinkSync(root, path.join(workspace, 'suite'));
  mkdirSync(path.join(workspace, 'conformance'));
  gh = {
    GH_ISSUES: path.join(workspace, 'issues.json'),
    GH_LOG: path.join(workspace, 'log'),
    ...{ GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'a/b', GITHUB_RUN_ID: '7' },
    PATH: `${path.join(root, 'tests/self/project/bin')}:${cleanEnvironment().PATH}`,
  };
  calling = { PATH: `${path.join(workspace, 'bin')}:${cleanEnvironment().PATH}` };
  mkdirSync(path.join(workspace, 'bin'));
  const noted = `echo "$*" > called; node -p 'JSON.stringify(process.env)' > environment`;
  writeFileSync(path.join(workspace, 'bin/npm'), `#!/bin/sh\n${noted}\n`, { mode: 0o755 });
  writeFileSync(gh.GH_ISSUES ?? '', '[]');
  writeFileSync(gh.GH_LOG ?? '', '');
});
test.afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const textOf = (file: string) => readFileSync(path.join(workspace, file), 'utf8');

/** A deviation that the caller tolerates of staging alone. */
const deviating = altering('getCard', set('data/card/physical_status', 'Mislaid'));
const ledger = `- requirement: getCard/data/card/physical_status
  accepts: { schema: { const: Mislaid } }
  because: The old gateway does this.
  link: https://tracker.example.com/4711
  target: staging
`;

const github: { jobs: Record<string, { steps: (Step & { uses?: string; with?: Environment })[] }> } =
  readYaml('docs/examples/github.yml');
const stepsOf = (job: string) => github.jobs[job]?.steps ?? [];
const scriptOf = (job: string, word: string) => stepsOf(job).find(({ run }) => run?.includes(word))?.run;

interface GitlabJob {
  variables: Environment;
  before_script: string[];
  script: string[];
}
const gitlab: Record<string, GitlabJob> = readYaml('docs/examples/gitlab.yml');

/** The workflow to copy judges by the action, which `pages-allure.spec.ts` runs with npm itself. */
async function judgeOnGithub(target: string, values: Environment) {
  const given = stepsOf('judge').find(({ uses }) => uses?.startsWith('OWNER/'))?.with ?? {};
  const evaluated = (text: string) =>
    text
      .replace(/\$\{\{ matrix\.target \}\}/, target)
      .replace(/\$\{\{ \w+\.(\w+) \}\}/, (_, name) => values[name] ?? '');
  const inputs = Object.entries(given).map(([name, text]) => [name, evaluated(text)]);
  const all = { ...Object.fromEntries(inputs), 'reports-dir': `runs/conformance-${target}` };
  await new Job(path.join(workspace, target)).run('Judge', all, calling, workspace);
  return judgeAsCalled(`--prefix ${root} run --silent conformance\n`);
}

/** The pipeline to copy judges by a line of its own. */
async function judgeOnGitlab(target: string, values: Environment) {
  const variables = Object.entries(gitlab.judge?.variables ?? {}).map(([name, text]) => [
    name,
    text.replace('$TARGET_NAME', target),
  ]);
  const env = { ...values, ...Object.fromEntries(variables), TARGET_NAME: target };
  await runStepScript(gitlab.judge?.script.join('\n'), { ...env, ...calling }, workspace);
  return judgeAsCalled('--prefix suite run conformance\n');
}

/** What npm would have run, by the variables that it was called with. */
function judgeAsCalled(called: string) {
  expect(textOf('called')).toBe(called);
  const npm = { INIT_CWD: workspace, npm_package_json: path.join(root, 'package.json') };
  return runInProcess({ ...JSON.parse(textOf('environment')), ...npm });
}

test('what is to copy to GitHub and to GitLab judges, publishes, and opens an issue for the red target', async () => {
  writeFileSync(path.join(workspace, 'conformance/ledger.yaml'), ledger);
  const mock = await startMock({ alter: deviating });
  const values = targetOf(mock.url);
  const staging = await judgeOnGithub('staging', values);
  const production = await judgeOnGitlab('production', values).finally(mock.close);
  expect(staging, staging.output).toMatchObject({ code: 0 });
  expect(production, production.output).toMatchObject({ code: 1 });

  expect(staging.conformance).toMatchObject({ verdict: 'pass', coverage: { nodes: { percentage: 100 } } });
  for (const folder of ['runs/conformance-staging', 'reports/production']) {
    const { gates, observed }: Conformance = JSON.parse(textOf(`${folder}/conformance.json`));
    expect(gates.map(({ address }) => address)).toContain('run/coverage');
    expect(observed.flatMap(({ evidence }) => evidence).join()).not.toContain('PROBES is off');
  }

  expect(
    await runStepScript(
      scriptOf('site', 'run --silent site'),
      { ...calling, RUN_URL: 'https://ci.example/7' },
      workspace,
    ),
  ).toMatchObject({ code: 0 });
  expect(textOf('called')).toMatch(
    /^--prefix suite run .*site -- --from runs\/conformance-staging --into site --link https:\/\/ci\.example\/7$/m,
  );
  // As of a target whose job was cancelled.
  mkdirSync(path.join(workspace, 'reports/another'));
  const published = await runStepScript(gitlab.pages?.script.join('\n'), {}, workspace);
  expect(published, published.output).toMatchObject({ code: 0 });
  expect(textOf('public/index.html')).toContain('production');
  cpSync(path.join(workspace, 'reports/production'), path.join(workspace, 'runs/conformance-production'), {
    recursive: true,
  });
  expect(await runStepScript(scriptOf('issue', '.ci/issue'), gh, workspace)).toMatchObject({ code: 0 });
  expect(textOf('log')).toBe('open Conformance of production is red\n');
  expect(JSON.parse(textOf('issues.json'))[0].body).toContain('getCard/data/card/physical_status');
});

test('both install what a run needs, by the hash of a release', () => {
  expect(scriptOf('site', ' ci ')).toBe('npm --prefix suite ci --omit=dev');
  expect(gitlab['.suite']?.before_script).toContain('npm --prefix suite ci --omit=dev');
  expect(gitlab).toMatchObject({ variables: { SUITE_COMMIT: '0'.repeat(40) } });
});

const addresses = ['getCard/code', 'getCard/data/card/status', 'run/coverage'];

/** Writes the reports of a night: what was broken, or undefined where nothing sure could be said. */
function writeNight(broken: string[] | undefined): void {
  const of = (address: string) => {
    const verdict = address.startsWith('run/') ? 'fail' : 'violation';
    return { address, verdict: (broken ?? addresses).includes(address) ? verdict : 'pass' };
  };
  const run = {
    target: 'staging "eu"',
    verdict: broken ? (broken.length > 0 ? 'fail' : 'pass') : 'error',
    requirements: addresses.filter((one) => !one.startsWith('run/')).map(of),
    gates: addresses.filter((one) => one.startsWith('run/')).map(of),
  };
  const folder = path.join(workspace, 'night');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'conformance.json'), JSON.stringify(run));
  writeFileSync(path.join(folder, 'conformance.md'), `é ${run.verdict}${'x'.repeat(70_000)}`);
}

/** A comment says nothing but what has changed, and where the run is. */
function expectComment([happened]: string[], now: string[], before: string[]): void {
  if (happened !== 'comment') return;
  const only = (some: string[], others: string[], line: string) =>
    addresses.flatMap((at) => (some.includes(at) && !others.includes(at) ? line.replace('@', at) : []));
  const broken = only(now, before, '- broken: `@`');
  const lines = [...broken, ...only(before, now, '- no longer broken: `@`, now pass')].join('\n');
  expect(textOf('log.comment')).toContain(`above.\n\n${lines}\n\n[The run](https://github.com/a/b/`);
}

/** What is to happen to the issue in a night, after one that had found something else. */
function expectedIn(now: string, before: string, isClosed: boolean): string[] {
  if (now && !before) return ['open Conformance of staging "eu" is red'];
  if (isClosed || now === before) return [];
  return [now ? 'comment' : 'close'];
}

/** Nothing that is broken, or the first of these and some of the others. */
function drawn(random: () => number): string[] {
  return random() < 0.5 ? [] : addresses.filter((_, index) => index === 0 || random() < 0.5);
}

test('sixty nights: an issue for each episode of red, a comment for each change, closed by the first green night', async () => {
  const random = randomOf(seed);
  const expected: string[] = [];
  let [broken, before, isClosed] = [[] as string[], '', false];
  const opened = () => expected.filter((line) => line.startsWith('open')).length;
  for (let night = 0; night < 60 || opened() < 2 || new Set(expected).size < 3; night += 1) {
    const isError = random() < 0.2;
    if (random() < 0.4) broken = drawn(random);
    writeNight(isError ? undefined : broken);
    const ran = await runStepScript('suite/.ci/issue night missing', gh, workspace);
    expect(ran, `night ${night}: ${ran.output}`).toMatchObject({ code: 0 });
    if (isError) continue;
    const now = broken.join(' ');
    const happens = expectedIn(now, before, isClosed);
    expected.push(...happens);
    expectComment(happens, broken, before.split(' '));
    // Now and then somebody closes the issue of a red target by hand.
    isClosed = now !== '' && ((isClosed && before !== '') || random() < 0.1);
    if (isClosed) writeFileSync(gh.GH_ISSUES ?? '', textOf('issues.json').replaceAll('"OPEN"', '"CLOSED"'));
    before = now;
  }
  expect(textOf('log').trim().split('\n')).toEqual(expected);
  expect(textOf('issues.json')).toMatch(
    / green -->\\né failx+\\n\[The run\]\(https:\/\/github.com\/a\/b\/actions\/runs\/7\)/,
  );
});

test('the third error in a row is said once, in the issue or a new one, whoever has written the issues; a green night closes it', async () => {
  const env = { ...gh, NIGHTS: path.join(workspace, 'nights'), ASSIGNEE: 'ada', MENTION: '@team' };
  const nightOf = async (broken: string[] | undefined) => {
    writeNight(broken);
    const { code, output } = await runStepScript('suite/.ci/issue night', env, workspace);
    expect(code, output).toBe(0);
  };
  const log = () => textOf('log').trim().split('\n');
  for (let night = 0; night < 5; night += 1) await nightOf(undefined);
  const opened = 'open Conformance of staging "eu" cannot be checked for ada';
  expect(log()).toEqual([opened]);
  expect(textOf('issues.json')).toContain('@team');
  await nightOf(['getCard/code']);
  expect(log()).toEqual([opened, 'comment']);
  for (let night = 0; night < 4; night += 1) await nightOf(undefined);
  expect(log()).toEqual([opened, 'comment', 'comment']);
  expect(textOf('log.comment')).toMatch(
    /^The target could not be checked three times in a row\.\n\n\[The run\].* @team\n/,
  );
  for (const broken of [[], undefined, undefined, []]) await nightOf(broken);
  expect(log()).toEqual([opened, 'comment', 'comment', 'close']);
});

test('where issues cannot be listed, or there is no report, none is opened', async () => {
  writeNight(['getCard/code']);
  writeFileSync(gh.GH_ISSUES ?? '', 'rate limited');
  for (const folder of ['night', 'missing'])
    expect((await runStepScript(`suite/.ci/issue ${folder}`, gh, workspace)).code).not.toBe(0);
  expect(textOf('log')).toBe('');
});
