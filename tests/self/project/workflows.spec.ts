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

const readProjectFile = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const readWorkflow = (name: string): Workflow => parse(readProjectFile(name));
const listSteps = (name: string) => Object.values(readWorkflow(name).jobs).flatMap(({ steps }) => steps);

const folder = '.github/workflows';
const nightly = `${folder}/conformance.yml`;
const example = 'docs/examples/github.yml';
const workflowFiles = readdirSync(new URL(`../../../${folder}`, import.meta.url));
const names = [...workflowFiles.map((name) => path.join(folder, name)), example];

/** Matches a local or pinned action: `uses: ./`, `uses: actions/checkout@<hash> # v4.2.0`. */
const pinnedPattern = /^uses: (\.\/|[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;

const action: { inputs: object; outputs: object; runs: { steps: Step[] } } = parse(
  readProjectFile('action.yml'),
);
const cachedPaths =
  action.runs.steps.find(({ uses }) => uses?.startsWith('actions/cache/'))?.with?.path?.trim() ?? '';

const listRecipes = (page: string): unknown[] =>
  [...readProjectFile(page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => parse(yaml));

test('the documentation uses only existing inputs and outputs of the action', () => {
  const recipes = ['README.md', 'docs/ci.md'].flatMap(listRecipes).filter(Array.isArray).flat() as Step[];
  const { jobs } = readWorkflow(example);
  expect(Object.keys(jobs)).toEqual(['judge', 'issue', 'site', 'pages']);
  const steps = [...recipes, ...(jobs.judge?.steps ?? [])].filter(({ uses = 'OWNER/' }) =>
    uses.startsWith('OWNER/'),
  );
  const actionInputs = steps.filter(({ uses }) => uses).map((step) => step.with ?? {});
  for (const inputs of actionInputs) expect(inputs).toMatchObject({ probes: 'on' });
  expect(readProjectFile('README.md')).toMatch(/^export BASE_URL=.* PROBES=on$/m);
  const inputNames = actionInputs.flatMap((inputs) => Object.keys(inputs));
  expect(inputNames.length).toBeGreaterThan(5);
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(inputNames));
  const outputNames = [...JSON.stringify(steps).matchAll(/outputs\.(\w+)/g)].map(([, name]) => name);
  expect(outputNames).toEqual(['verdict', 'coverage']);
  expect(Object.keys(action.outputs)).toEqual(expect.arrayContaining(outputNames));
});

for (const name of [...names, 'action.yml'])
  test(`${name}: actions are pinned by hash and version, scripts contain no expressions, and reports of failed runs are uploaded`, () => {
    const lines = readProjectFile(name).match(/uses: .*/g) ?? [];
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatch(pinnedPattern);
    const steps = name === 'action.yml' ? action.runs.steps : listSteps(name);
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
    const uploads = steps.filter(({ uses }) => uses?.startsWith('actions/upload-artifact'));
    for (const upload of uploads)
      expect(upload).toMatchObject({
        if: 'always()',
        with: { path: 'reports/out', 'retention-days': expect.any(Number) },
      });
    expect(uploads.length > 0).toBe(name !== 'action.yml');
  });

const writePermissions: Record<string, [variable: string, permissions: object]> = {
  issue: ['OPEN_ISSUES', { issues: 'write' }],
  pages: ['PUBLISH_PAGES', { pages: 'write', 'id-token': 'write' }],
};

for (const name of names)
  test(`${name}: only optional jobs have write permissions, limited to their task and without secrets`, () => {
    const { permissions: defaultPermissions, jobs } = readWorkflow(name);
    expect(defaultPermissions).toEqual({ contents: 'read' });
    for (const [id, job] of Object.entries(jobs)) {
      const [variable, permissions] = writePermissions[id] ?? [];
      expect(job.permissions, id).toEqual(permissions && { contents: 'read', ...permissions });
      if (!variable) continue;
      expect(job.if, id).toContain(`vars.${variable} == 'true'`);
      // An install script of a package would have these permissions.
      for (const { run = '' } of job.steps) expect(run, id).not.toMatch(/\b(npm|npx|node)\b/);
      expect(JSON.stringify(job), id).not.toContain('secrets.');
    }
  });

test('caches restore the paths that they saved', () => {
  const pages = [nightly, example].map((name) => readWorkflow(name).jobs.site?.steps ?? []);
  for (const steps of [action.runs.steps, ...pages]) {
    const caches = steps.filter(({ uses }) => uses?.startsWith('actions/cache/'));
    expect(caches.map(({ uses }) => uses?.split('@')[0])).toEqual([
      'actions/cache/restore',
      'actions/cache/save',
    ]);
    const [restoredCache, savedCache] = caches.map((step) => step.with);
    expect(restoredCache).toEqual({ ...savedCache, 'restore-keys': expect.any(String) });
    expect(restoredCache?.key).toContain(restoredCache?.['restore-keys']);
  }
  // A restored report would be uploaded as that of the run, if the job fails before it judges.
  const cachedFiles = ['previous', 'allure-history.jsonl'];
  expect(cachedPaths.split('\n')).toEqual(cachedFiles.map((file) => `\${{ inputs.reports-dir }}/${file}`));
  expect(parse(readProjectFile('docs/examples/gitlab.yml')).judge.cache.paths).toEqual(
    cachedFiles.map((file) => `reports/$TARGET_NAME/${file}`),
  );
});

test('the example pins the suite by one hash, and limits its environments to a branch without reviewers', () => {
  const text = readProjectFile(example);
  const hashes = text.match(/(?<=lookup-api-conformance@|ref: )\S+/g);
  expect(new Set(hashes)).toEqual(new Set(['0'.repeat(40)]));
  expect(hashes).toHaveLength(3);
  expect(text).toMatch(
    /conformance-staging and conformance-production[^:]*Bind both to the branch main, [^:]*Name no reviewers/,
  );
  expect(readWorkflow(example).jobs.judge).toMatchObject({
    environment: 'conformance-$' + '{{ matrix.target }}',
  });
  const { updates } = parse(readProjectFile('docs/examples/dependabot.yml'));
  expect(updates).toMatchObject([{ 'package-ecosystem': 'github-actions' }]);
});
