import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';

const folder = new URL('../../.github/workflows/', import.meta.url);

interface Workflow {
  on: Record<string, unknown>;
  permissions: unknown;
  jobs: Record<string, { strategy?: { matrix: { node: number[] } }; steps: Step[] }>;
}

interface Step {
  run?: string;
  uses?: string;
  if?: string;
}

const text = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const read = (name: string): Workflow => parse(text(name));
const names = readdirSync(folder);

for (const name of names) {
  const { permissions, jobs } = read(name);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test(`${name}: actions are pinned by hash, with their version beside it`, () => {
    const used = text(name).match(/uses: .*/g) ?? [];
    expect(used.length).toBeGreaterThan(1);
    for (const line of used) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
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
  expect(Object.keys(jobs)).toEqual(['mock', 'staging']);
  expect(jobs.mock?.strategy?.matrix.node).toEqual([20, 22, 24]);
});

test('the random tests run for long every night and by hand', () => {
  const { on, jobs } = read('soak.yml');
  expect(Object.keys(on)).toEqual(['schedule', 'workflow_dispatch']);
  expect(jobs.soak?.steps.map(({ run }) => run)).toContain('npm run soak');
});
