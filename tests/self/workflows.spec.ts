import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';

const folder = new URL('../../.github/workflows/', import.meta.url);

interface Workflow {
  on: Record<string, unknown>;
  permissions: unknown;
  jobs: Record<string, Job>;
}

interface Job {
  if?: string;
  permissions?: unknown;
  strategy?: { matrix: { node: number[] } };
  steps: Step[];
}

interface Step {
  run?: string;
  uses?: string;
  if?: string;
  with?: Record<string, string>;
}

const text = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const read = (name: string): Workflow => parse(text(name));
const names = readdirSync(folder);

/** An action of others by its hash, or the one of this project. */
const pinned = /^uses: (\.\/|[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;

test('action.yml: actions are pinned by hash, and no script holds an input', () => {
  const action = readFileSync(new URL('../../action.yml', import.meta.url), 'utf8');
  for (const line of action.match(/uses: .*/g) ?? []) expect(line).toMatch(pinned);
  const { runs }: { runs: { steps: Step[] } } = parse(action);
  for (const { run = '' } of runs.steps) expect(run).not.toContain('${{');
});

for (const name of names) {
  const { permissions, jobs } = read(name);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test(`${name}: actions are pinned by hash, with their version beside it`, () => {
    const used = text(name).match(/uses: .*/g) ?? [];
    expect(used.length).toBeGreaterThan(1);
    for (const line of used) expect(line).toMatch(pinned);
  });

  test(`${name}: may only read, runs no text of others, and keeps reports of red runs`, () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
    const uploads = steps.filter(({ uses }) => uses?.startsWith('actions/upload-artifact'));
    expect(uploads.length).toBeGreaterThan(0);
    for (const upload of uploads) expect(upload.if).toBe('always()');
  });
}

test('CI runs what a developer runs, on each Node that is supported', () => {
  const { on, jobs } = read('ci.yml');
  expect(Object.keys(on)).toEqual(['push', 'pull_request']);
  expect(jobs.test?.strategy?.matrix.node).toEqual([20, 22, 24]);
  expect(jobs.test?.steps.map(({ run }) => run)).toContain('.ci/run');
});

test('the target is judged every night and by hand, the mock on every push', () => {
  const { on, jobs } = read('conformance.yml');
  expect(Object.keys(on)).toEqual(['push', 'schedule', 'workflow_dispatch']);
  expect(Object.keys(jobs)).toEqual(['mock', 'staging', 'code-scanning', 'pages']);
  expect(jobs.mock?.strategy?.matrix.node).toEqual([20, 22, 24]);
});

/** What a job may do beside reading, and the variable of the repository without which it does not run. */
const writing: Record<string, [variable: string, permissions: object]> = {
  'code-scanning': ['CODE_SCANNING', { 'security-events': 'write' }],
  pages: ['PUBLISH_PAGES', { pages: 'write', 'id-token': 'write' }],
};

test('only jobs that were asked for may write, each what it is there for; none of them has a secret', () => {
  const { jobs } = read('conformance.yml');
  for (const [name, job] of Object.entries(jobs)) {
    const [variable, permissions] = writing[name] ?? [];
    expect(job.permissions, name).toEqual(permissions && { contents: 'read', ...permissions });
    if (!variable) continue;
    expect(job.if, name).toContain(`vars.${variable} == 'true'`);
    expect(JSON.stringify(job), name).not.toContain('secrets.');
  }
});

test('what is restored is what was saved: the last run before judging, the site before publishing', () => {
  const action: { runs: { steps: Step[] } } = parse(
    readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'),
  );
  const { jobs } = read('conformance.yml');
  for (const steps of [action.runs.steps, jobs.pages?.steps ?? []]) {
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
    expect(action.runs.steps[1]?.with?.path).toContain(`\${{ inputs.reports-dir }}/${file}\n`);
});

test('the random tests run for long every night and by hand', () => {
  const { on, jobs } = read('soak.yml');
  expect(Object.keys(on)).toEqual(['schedule', 'workflow_dispatch']);
  expect(jobs.soak?.steps.map(({ run }) => run)).toContain('npm run soak');
});
