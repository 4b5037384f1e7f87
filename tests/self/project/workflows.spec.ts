import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { parse, stringify } from 'yaml';
import { copyProject } from '../harness/project-copy.ts';
import { runStepScript } from '../harness/runner-script.ts';

interface Workflow {
  concurrency?: string;
  permissions: unknown;
  jobs: Record<string, Job>;
}

interface Job {
  if?: string;
  permissions?: unknown;
  steps: Step[];
}

interface Step {
  name?: string;
  run?: string;
  uses?: string;
  if?: string;
  with?: Record<string, string>;
}

const textOf = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const read = (name: string): Workflow => parse(textOf(name));

const folder = '.github/workflows';
const nightly = `${folder}/conformance.yml`;
const example = 'docs/examples/github.yml';
const names = [
  ...readdirSync(new URL(`../../../${folder}`, import.meta.url)),
  '../../docs/examples/github.yml',
].map((name) => path.join(folder, name));

/** An action of others by its hash, or the one of this project, elsewhere by the tag of its releases. */
const pinned =
  /^uses: (\.\/|OWNER\/lookup-api-conformance@v1|[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;

const action: { inputs: object; outputs: object; runs: { steps: Step[] } } = parse(textOf('action.yml'));
/** What the action keeps from one run to the next. */
const cachedPaths =
  action.runs.steps.find(({ uses }) => uses?.startsWith('actions/cache/'))?.with?.path?.trim() ?? '';

test('action.yml: actions are pinned by hash, and no script holds an input', () => {
  for (const line of textOf('action.yml').match(/uses: .*/g) ?? []) expect(line).toMatch(pinned);
  for (const { run = '' } of action.runs.steps) expect(run).not.toContain('${{');
});

/** What a page of the documentation shows as YAML. */
const recipesOf = (page: string): unknown[] =>
  [...textOf(page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => parse(yaml));

test('what the documentation gives the action, and takes from it, are inputs and outputs of it', () => {
  const recipes = ['README.md', 'docs/ci.md'].flatMap(recipesOf).filter(Array.isArray).flat() as Step[];
  const { jobs } = read(example);
  const steps = [...recipes, ...(jobs.judge?.steps ?? [])].filter(({ uses = 'OWNER/' }) =>
    uses.startsWith('OWNER/'),
  );
  const given = steps.flatMap((step) => (step.uses ? Object.keys(step.with ?? {}) : []));
  expect(given.length).toBeGreaterThan(5);
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(given));
  const taken = [...JSON.stringify(steps).matchAll(/outputs\.(\w+)/g)].map(([, name]) => name);
  expect(taken).toEqual(['verdict', 'coverage']);
  expect(Object.keys(action.outputs)).toEqual(expect.arrayContaining(taken));
});

for (const name of names) {
  const { permissions, jobs } = read(name);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test(`${name}: actions are pinned by hash, with their version beside it`, () => {
    const used = textOf(name).match(/uses: .*/g) ?? [];
    expect(used.length).toBeGreaterThan(1);
    for (const line of used) expect(line).toMatch(pinned);
  });

  test(`${name}: may only read, runs no text of others, and keeps reports of red runs`, () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
    const uploads = steps.filter(({ uses }) => uses?.startsWith('actions/upload-artifact'));
    expect(uploads.length).toBeGreaterThan(0);
    for (const one of uploads) expect(one).toMatchObject({ if: 'always()', with: { path: 'reports/out' } });
  });
}

/** A copy of the project whose contract is committed as that of the branch `base` of `origin`. */
function copyWithBase() {
  const copy = copyProject(test.info().outputPath('copy'), (file) => !/^(tests\/self|docs|\.git)/.test(file));
  const settings = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'core.hooksPath=/dev/null'];
  const git = (...args: string[]) => execFileSync('git', [...settings, ...args], { cwd: copy });
  const commit = () => git('commit', '-qam', 'The contract', '--no-gpg-sign');
  git('init', '-q');
  git('add', 'spec/');
  commit();
  git('update-ref', 'refs/remotes/origin/base', 'HEAD');
  return { copy, commit };
}

test('a pull request says what its change of the contract means, and nothing where there is none', async () => {
  const { copy, commit } = copyWithBase();
  const script = read(`${folder}/ci.yml`).jobs.contract?.steps.find(({ name }) => name === 'Compare')?.run;
  const summary = test.info().outputPath('summary.md');
  const env = { GITHUB_BASE_REF: 'base', GITHUB_STEP_SUMMARY: summary };
  expect(await runStepScript(script, env, copy)).toEqual({ code: 0, output: '' });
  expect(existsSync(summary)).toBe(false);
  const more = { address: 'rules/added', level: 'MUST', statement: 'holds as well', source: '1' };
  const rules = path.join(copy, 'spec/requirements.yaml');
  writeFileSync(
    rules,
    stringify([...parse(readFileSync(rules, 'utf8')), { ...more, check: { finiteNumbers: true } }]),
  );
  commit();
  expect(await runStepScript(script, env, copy)).toMatchObject({ code: 0 });
  expect(readFileSync(summary, 'utf8')).toContain(
    '## What this change of the contract means, against `origin/base`',
  );
  expect(readFileSync(summary, 'utf8')).toContain('rules/added');
});

/** What a job may do beside reading, and the variable of this repository without which it does not run. */
const writing: Record<string, [variable: string, permissions: object]> = {
  issue: ['OPEN_ISSUES', { issues: 'write' }],
  // In a private repository the upload looks up its own run.
  'code-scanning': ['CODE_SCANNING', { actions: 'read', 'security-events': 'write' }],
  pages: ['PUBLISH_PAGES', { pages: 'write', 'id-token': 'write' }],
};

for (const name of [nightly, example])
  test(`${name}: only jobs that were asked for may write, each what it is there for; none of them has a secret`, () => {
    for (const [id, job] of Object.entries(read(name).jobs)) {
      const [variable, permissions] = writing[id] ?? [];
      expect(job.permissions, id).toEqual(permissions && { contents: 'read', ...permissions });
      if (!variable) continue;
      if (name === nightly) expect(job.if, id).toContain(`vars.${variable} == 'true'`);
      expect(JSON.stringify(job), id).not.toContain('secrets.');
    }
  });

test('what is restored is what was saved: the last run before judging, the site before publishing', () => {
  const pages = [nightly, example].map((name) => read(name).jobs.pages?.steps ?? []);
  for (const steps of [action.runs.steps, ...pages]) {
    const caches = steps.filter(({ uses }) => uses?.startsWith('actions/cache/'));
    expect(caches.map(({ uses }) => uses?.split('@')[0])).toEqual([
      'actions/cache/restore',
      'actions/cache/save',
    ]);
    const [restored, saved] = caches.map((step) => step.with);
    expect(restored).toEqual({ ...saved, 'restore-keys': expect.any(String) });
    expect(restored?.key).toContain(restored?.['restore-keys']);
  }
  for (const file of ['conformance.json', 'previous', 'allure-history.jsonl'])
    expect(cachedPaths.split('\n')).toContain(`\${{ inputs.reports-dir }}/${file}`);
});

test('what is asked of a target is asked by one job of one run at a time', () => {
  const { concurrency, jobs } = read(nightly);
  expect(concurrency).toBe(`conformance-\${{ github.event_name == 'push' && github.run_id || 'staging' }}`);
  // A job that waits for its own run would wait for ever.
  expect(jobs.staging).not.toHaveProperty('concurrency');
  expect(jobs.sweep).toMatchObject({ needs: 'staging', if: expect.stringContaining('!cancelled()') });
  expect(read(example).concurrency).toBe('conformance');
  expect(textOf('docs/examples/gitlab.yml')).toContain('\n  resource_group: conformance-$TARGET_NAME\n');
});
