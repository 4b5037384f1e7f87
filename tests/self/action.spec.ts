import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { parse } from 'yaml';
import { altering, set } from '../../mock/edits.ts';
import { startMock } from '../../mock/server.ts';
import { inTurn } from '../../mock/variants/variant.ts';
import { inputName } from '../../reports/configuration-docs.ts';
import { browserOptions, needBrowser, test } from './browser.ts';
import { Canaries } from './canaries.ts';
import { marked } from './reported.ts';
import { runScript } from './runner-script.ts';
import { type Environment, filesBelow, targetOf } from './whole-run.ts';

needBrowser();
test.use(browserOptions);
test.setTimeout(120_000);

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Step {
  id?: string;
  name?: string;
  run?: string;
  env?: Record<string, string>;
}

const read = (file: string) => parse(readFileSync(path.join(root, file), 'utf8'));
const action: { inputs: Record<string, { default?: string }>; runs: { steps: Step[] } } = read('action.yml');
const pages: { env: Environment; steps: Step[] } = read('.github/workflows/conformance.yml').jobs.pages;

/** The value of an expression of `action.yml`: an input, or else a variable of the step that uses the action. */
function evaluated(expression: string, inputs: Environment, env: Environment): string {
  const [, input = '', variable = ''] =
    /^\$\{\{ inputs\.([\w-]+)(?: \|\| env\.(\w+))? \}\}$/.exec(expression) ?? [];
  expect(Object.keys(action.inputs), expression).toContain(input);
  return inputs[input] || env[variable] || action.inputs[input]?.default || '';
}

/** What a runner makes of a step of the action. */
function environmentOf(step: Step, inputs: Environment, env: Environment): Environment {
  const own = Object.entries(step.env ?? {});
  return { ...env, ...Object.fromEntries(own.map(([name, text]) => [name, evaluated(text, inputs, env)])) };
}

/** A job that uses the action: the files of the runner, and what the steps have written. */
class Job {
  readonly #file = (name: string) => test.info().outputPath(name);
  readonly reports = this.#file('runs/conformance-staging');
  readonly env: Environment = {
    GITHUB_ACTION_PATH: root,
    GITHUB_OUTPUT: this.#file('output'),
    GITHUB_STEP_SUMMARY: this.#file('summary.md'),
  };

  run(name: string, inputs: Environment, env: Environment = {}): ReturnType<typeof runScript> {
    const step = action.runs.steps.find((one) => one.name === name) ?? {};
    const all = { 'reports-dir': this.reports, ...inputs };
    return runScript(step.run, environmentOf(step, all, { ...this.env, ...env }));
  }

  /** The outputs of the steps; the last of a name counts. */
  outputs(): Environment {
    const lines = readFileSync(this.env.GITHUB_OUTPUT ?? '', 'utf8')
      .trim()
      .split('\n');
    return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
  }

  written(): { name: string; text: string }[] {
    return ['output', 'summary.md'].map((name) => ({ name, text: readFileSync(this.#file(name), 'utf8') }));
  }
}

test('the action judges and reports, its run is published, and its pages lead to each other from disk', async ({
  page,
}) => {
  const job = new Job();
  const canaries = new Canaries();
  const broken = altering('getCard', set('data/card/expiration_date', canaries.text('expiration date')));
  const mock = await startMock({ alter: inTurn(marked(canaries), broken) });
  const { BASE_URL, ...known } = targetOf(mock.url);
  const inputs = Object.fromEntries(Object.entries(known).map(([name, text]) => [inputName(name), text]));
  const headers = { 'api-headers': JSON.stringify({ 'X-Api-Key': canaries.of('key') }) };
  const named = { ...inputs, ...headers, 'target-name': 'staging' };
  const { code, output } = await job.run('Judge', named, { BASE_URL: BASE_URL ?? '' }).finally(mock.close);
  expect(code, output).toBe(1);
  expect(output).toContain('::error');
  expect(job.outputs()).toEqual({ reports: job.reports, verdict: 'fail', coverage: '100' });
  expect(readFileSync(job.env.GITHUB_STEP_SUMMARY ?? '', 'utf8')).toMatch(
    /^## ❌ fail · lookup API conformance of staging/,
  );

  const SITE = test.info().outputPath('site');
  const folders = { RUNS: path.dirname(job.reports), SITE };
  expect(Object.keys(pages.env)).toEqual(Object.keys(folders));
  const publishing = pages.steps.find(({ run }) => run?.includes('npm run'));
  expect(await runScript(publishing?.run, folders)).toEqual({
    code: 0,
    output: expect.stringContaining('1 target'),
  });
  const written = [{ name: 'the log', text: output }, ...job.written(), ...filesBelow(SITE)];
  expect(canaries.leaksIn(written)).toEqual([]);

  await page.goto(`file://${SITE}/index.html`);
  await page.getByRole('link', { name: 'Contract page' }).click();
  await expect(page.getByRole('heading', { name: 'What needs a look' })).toBeVisible();
  await page.getByRole('link', { name: 'Test report' }).click();
  await expect(page.getByText('Digital wallets', { exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Contract page' }).click();
  await page.getByRole('link', { name: 'All targets' }).click();
  await expect(page.getByText('0 of 1 target passed the latest run')).toBeVisible();
});

test('a run that could not start has the verdict error, whatever was restored of an earlier one', async () => {
  const job = new Job();
  mkdirSync(job.reports, { recursive: true });
  writeFileSync(path.join(job.reports, 'conformance.json'), '{"verdict":"pass"}');
  const { code } = await job.run('Judge', {}, { GITHUB_ACTION_PATH: test.info().outputPath('nothing') });
  expect(code).not.toBe(0);
  expect(job.outputs()).toEqual({ reports: job.reports, verdict: 'error' });
});

test('the action installs exactly what the lock file names', async () => {
  const { code, output } = await new Job().run(
    'Install',
    {},
    { npm_config_dry_run: 'true', NODE_ENV: 'production' },
  );
  expect({ code, output }).toEqual({ code: 0, output: expect.not.stringContaining('npm error') });
});
