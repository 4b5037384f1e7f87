import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { parse } from 'yaml';
import { runStepScript } from '../harness/runner-script.ts';
import type { Environment, ReportFile } from '../harness/whole-run.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Step {
  name?: string;
  run?: string;
  env?: Record<string, string>;
}

export const readYaml = (file: string) => parse(readFileSync(path.join(root, file), 'utf8'));

const action: { inputs: Record<string, { default?: string }>; runs: { steps: Step[] } } =
  readYaml('action.yml');

/** What GitHub knows of the action itself. */
export const context: Record<string, string> = {
  '${{ github.action_repository }}': 'OWNER/lookup-api-conformance',
  '${{ github.action_ref }}': 'v1',
};

/** The value of an expression of `action.yml`: an input, or else a variable of the step that uses the action. */
function evaluated(expression: string, inputs: Environment, env: Environment): string {
  const known = context[expression];
  if (known !== undefined) return known;
  const [, input = '', variable = ''] =
    /^\$\{\{ inputs\.([\w-]+)(?: \|\| env\.(\w+))? \}\}$/.exec(expression) ?? [];
  expect(Object.keys(action.inputs), expression).toContain(input);
  return (inputs[input] ?? action.inputs[input]?.default) || env[variable] || '';
}

/** The step that comes first, before anything uses an input. */
export const firstStep = action.runs.steps[0]?.name;

/** What a runner makes of a step of the action. */
function environmentOf(step: Step, inputs: Environment, env: Environment): Environment {
  const own = Object.entries(step.env ?? {});
  return { ...env, ...Object.fromEntries(own.map(([name, text]) => [name, evaluated(text, inputs, env)])) };
}

/** A job that uses the action: the files of the runner, and what the steps have written. */
export class Job {
  readonly reports: string;
  readonly #folder: string;
  readonly #env: Environment;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.reports = path.join(folder, 'runs/conformance-staging');
    this.#env = {
      GITHUB_ACTION_PATH: root,
      GITHUB_OUTPUT: path.join(folder, 'output'),
      GITHUB_STEP_SUMMARY: path.join(folder, 'summary.md'),
    };
  }

  run(
    name: string,
    inputs: Environment,
    env: Environment = {},
    workspace?: string,
  ): ReturnType<typeof runStepScript> {
    const step = action.runs.steps.find((one) => one.name === name) ?? {};
    const all = { 'reports-dir': this.reports, ...inputs };
    return runStepScript(step.run, environmentOf(step, all, { ...this.#env, ...env }), workspace);
  }

  /** The outputs of the steps; the last of a name counts. */
  outputs(): Environment {
    const lines = this.#text('output').trim().split('\n');
    return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
  }

  summary(): string {
    return this.#text('summary.md');
  }

  written(): ReportFile[] {
    return ['output', 'summary.md'].map((name) => ({ name, text: this.#text(name) }));
  }

  #text(name: string): string {
    return readFileSync(path.join(this.#folder, name), 'utf8');
  }
}
