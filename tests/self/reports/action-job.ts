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

/** Evaluates a GitHub expression such as `${{ inputs.card-ids || env.CARD_IDS }}`. */
function evaluateExpression(expression: string, inputs: Environment, env: Environment): string {
  // `context` has the expressions that begin with `github.`.
  const contextValue = context[expression];
  if (contextValue !== undefined) return contextValue;
  // Such as `${{ inputs.card-ids || env.CARD_IDS }}`, or without the variable.
  const inputOrVariable = /^\$\{\{ inputs\.([\w-]+)(?: \|\| env\.(\w+))? \}\}$/;
  const [, input = '', variable = ''] = inputOrVariable.exec(expression) ?? [];
  expect(Object.keys(action.inputs), expression).toContain(input);
  const inputValue = inputs[input] ?? action.inputs[input]?.default;
  if (inputValue) return inputValue;
  return env[variable] || '';
}

export const firstStep = action.runs.steps[0]?.name;

function buildStepEnvironment(step: Step, inputs: Environment, env: Environment): Environment {
  const stepEnv: Environment = { ...env };
  for (const [name, expression] of Object.entries(step.env ?? {}))
    stepEnv[name] = evaluateExpression(expression, inputs, env);
  return stepEnv;
}

/** Runs single steps of `action.yml` locally, as a GitHub job would. */
export class Job {
  readonly reports: string;
  readonly #folder: string;
  readonly #env: Environment;

  /** @param folder for outputs, summary and reports of the steps, which run elsewhere */
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

  /**
   * Runs the script of a step of `action.yml`.
   * @param inputs inputs of the action, such as `card-ids`
   * @param env variables of the job, such as `BASE_URL`
   */
  run(
    stepName: string,
    inputs: Environment,
    { env = {}, cwd }: { env?: Environment; cwd?: string } = {},
  ): ReturnType<typeof runStepScript> {
    const step = action.runs.steps.find(({ name }) => name === stepName) ?? {};
    const allInputs = { 'reports-dir': this.reports, ...inputs };
    const jobEnv = { ...this.#env, ...env };
    return runStepScript(step.run, buildStepEnvironment(step, allInputs, jobEnv), cwd);
  }

  /** Reads `GITHUB_OUTPUT` of the steps: `{ verdict: 'fail' }` for the line `verdict=fail`. */
  outputs(): Environment {
    const outputs: Environment = {};
    for (const line of this.#text('output').trim().split('\n')) {
      const [name = '', value = ''] = line.split('=');
      outputs[name] = value;
    }
    return outputs;
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
