import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';

interface Workflow {
  permissions: unknown;
  jobs: Record<string, Job>;
}

interface Job {
  if?: string;
  permissions?: unknown;
  steps: Step[];
}

interface Step {
  run?: string;
  uses?: string;
  if?: string;
  with?: Record<string, string>;
}

const textOf = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const read = (name: string): Workflow => parse(textOf(name));
const stepsOf = (name: string) => Object.values(read(name).jobs).flatMap(({ steps }) => steps);

const folder = '.github/workflows';
const nightly = `${folder}/conformance.yml`;
const example = 'docs/examples/github.yml';
const listed = readdirSync(new URL(`../../../${folder}`, import.meta.url));
const names = [...listed.map((name) => path.join(folder, name)), example];

/** An action by its hash with the version beside it, that of this project by a placeholder, or by its folder. */
const pinned = /^uses: (\.\/|[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;

const action: { inputs: object; outputs: object; runs: { steps: Step[] } } = parse(textOf('action.yml'));
/** What the action keeps from one run to the next. */
const cachedPaths =
  action.runs.steps.find(({ uses }) => uses?.startsWith('actions/cache/'))?.with?.path?.trim() ?? '';

/** What a page of the documentation shows as YAML. */
const recipesOf = (page: string): unknown[] =>
  [...textOf(page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => parse(yaml));

test('what the documentation gives the action, and takes from it, are inputs and outputs of it', () => {
  const recipes = ['README.md', 'docs/ci.md'].flatMap(recipesOf).filter(Array.isArray).flat() as Step[];
  const { jobs } = read(example);
  expect(Object.keys(jobs)).toEqual(['judge', 'issue', 'site', 'pages']);
  const steps = [...recipes, ...(jobs.judge?.steps ?? [])].filter(({ uses = 'OWNER/' }) =>
    uses.startsWith('OWNER/'),
  );
  const judging = steps.filter(({ uses }) => uses).map((step) => step.with ?? {});
  for (const one of judging) expect(one).toMatchObject({ probes: 'on' });
  expect(textOf('README.md')).toMatch(/^export BASE_URL=.* PROBES=on$/m);
  const given = judging.flatMap((one) => Object.keys(one));
  expect(given.length).toBeGreaterThan(5);
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(given));
  const taken = [...JSON.stringify(steps).matchAll(/outputs\.(\w+)/g)].map(([, name]) => name);
  expect(taken).toEqual(['verdict', 'coverage']);
  expect(Object.keys(action.outputs)).toEqual(expect.arrayContaining(taken));
});

for (const name of [...names, 'action.yml'])
  test(`${name}: actions are pinned by hash with their version, no script holds a text of others, reports of red runs stay`, () => {
    const lines = textOf(name).match(/uses: .*/g) ?? [];
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatch(pinned);
    const steps = name === 'action.yml' ? action.runs.steps : stepsOf(name);
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
    const uploads = steps.filter(({ uses }) => uses?.startsWith('actions/upload-artifact'));
    for (const one of uploads)
      expect(one).toMatchObject({
        if: 'always()',
        with: { path: 'reports/out', 'retention-days': expect.any(Number) },
      });
    expect(uploads.length > 0).toBe(name !== 'action.yml');
  });

/** What a job may do beside reading, and the variable of this repository without which it does not run. */
const writing: Record<string, [variable: string, permissions: object]> = {
  issue: ['OPEN_ISSUES', { issues: 'write' }],
  pages: ['PUBLISH_PAGES', { pages: 'write', 'id-token': 'write' }],
};

for (const name of names)
  test(`${name}: only jobs that were asked for may write, each what it is there for; none of them has a secret`, () => {
    const { permissions: usual, jobs } = read(name);
    expect(usual).toEqual({ contents: 'read' });
    for (const [id, job] of Object.entries(jobs)) {
      const [variable, permissions] = writing[id] ?? [];
      expect(job.permissions, id).toEqual(permissions && { contents: 'read', ...permissions });
      if (!variable) continue;
      expect(job.if, id).toContain(`vars.${variable} == 'true'`);
      // An install script would run with these permissions.
      for (const { run = '' } of job.steps) expect(run, id).not.toMatch(/\b(npm|npx|node)\b/);
      expect(JSON.stringify(job), id).not.toContain('secrets.');
    }
  });

test('what is restored is what was saved: the last run before judging, the site before publishing', () => {
  const pages = [nightly, example].map((name) => read(name).jobs.site?.steps ?? []);
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

test('the example pins the suite by one hash, and binds its environments to a branch without reviewers', () => {
  const text = textOf(example);
  const hashes = text.match(/(?<=lookup-api-conformance@|ref: )\S+/g);
  expect(new Set(hashes)).toEqual(new Set(['0'.repeat(40)]));
  expect(hashes).toHaveLength(3);
  expect(text).toMatch(
    /conformance-staging and conformance-production[^\n]*\n.*without reviewers, .*bound to the branch main/,
  );
  expect(read(example).jobs.judge).toMatchObject({ environment: 'conformance-$' + '{{ matrix.target }}' });
  const { updates } = parse(textOf('docs/examples/dependabot.yml'));
  expect(updates).toMatchObject([{ 'package-ecosystem': 'github-actions' }]);
});
