import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';
import { parse } from 'yaml';
import { root } from '../harness/project-files.ts';
import { runStepScript } from '../harness/runner-script.ts';
import type { Environment, ReportFile } from '../harness/whole-run.ts';

export interface Step {
  name?: string;
  run?: string;
  env?: Record<string, string>;
}

export const readYaml = (file: string) => parse(readFileSync(path.join(root, file), 'utf8'));

const action: { inputs: Record<string, { default?: string }>; runs: { steps: Step[] } } =
  readYaml('action.yml');

export const context: Record<string, string> = {
  '${{ github.action_repository }}': 'OWNER/lookup-api-conformance',
  '${{ github.action_ref }}': 'v1',
};

/** Evaluates an expression of `action.yml` as GitHub does: an input, or a variable of the calling step if the input is empty. */
function evaluateExpression(expression: string, inputs: Environment, env: Environment): string {
  const contextValue = context[expression];
  if (contextValue !== undefined) return contextValue;
  const inputOrVariable = /^\$\{\{ inputs\.([\w-]+)(?: \|\| env\.(\w+))? \}\}$/;
  const [, input = '', variable = ''] = inputOrVariable.exec(expression) ?? [];
  expect(Object.keys(action.inputs), expression).toContain(input);
  return (inputs[input] ?? action.inputs[input]?.default) || env[variable] || '';
}

export const firstStep = action.runs.steps[0]?.name;

function buildEnvironment(step: Step, inputs: Environment, env: Environment): Environment {
  const variables = Object.entries(step.env ?? {});
  const evaluated = variables.map(([name, text]) => [name, evaluateExpression(text, inputs, env)]);
  return { ...env, ...Object.fromEntries(evaluated) };
}

/** Job of a GitHub workflow that uses the action, with the files by which steps pass outputs and the summary to the runner. */
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
    stepName: string,
    inputs: Environment,
    { env = {}, cwd }: { env?: Environment; cwd?: string } = {},
  ): ReturnType<typeof runStepScript> {
    const step = action.runs.steps.find(({ name }) => name === stepName) ?? {};
    const allInputs = { 'reports-dir': this.reports, ...inputs };
    return runStepScript(step.run, buildEnvironment(step, allInputs, { ...this.#env, ...env }), cwd);
  }

  outputs(): Environment {
    const lines = this.#text('output').trim().split('\n');
    return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
  }

  summary(): string {
    return this.#text('summary.md');
  }

  writtenFiles(): ReportFile[] {
    return ['output', 'summary.md'].map((name) => ({ name, text: this.#text(name) }));
  }

  #text(name: string): string {
    return readFileSync(path.join(this.#folder, name), 'utf8');
  }
}
