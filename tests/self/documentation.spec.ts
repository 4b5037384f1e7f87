import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { variants } from '../../mock/variants/index.ts';
import {
  actionWith,
  configurationWith,
  envExample,
  inputName,
  maxProbes,
} from '../../reports/configuration-docs.ts';
import { loadContract } from '../../schemas/contract.ts';
import { identifierVariables } from '../client/identifier-variables.ts';
import { readConfiguration } from '../client/target.ts';
import { type VariableName, variable, variableTable } from '../client/variable-table.ts';
import { requirementsFor } from '../run/results.ts';

const textOf = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

test('README, .env.example and action.yml say of each variable what the table says (npm run docs)', () => {
  expect(textOf('README.md')).toBe(configurationWith(textOf('README.md')));
  expect(textOf('action.yml')).toBe(actionWith(textOf('action.yml')));
  expect(textOf('.env.example')).toBe(envExample());
});

test('the variables of identifiers are those that parameters of the contract declare', () => {
  const declared = loadContract().operations.flatMap(({ parameters }) =>
    parameters.flatMap((parameter) => parameter['x-identifiers'] ?? []),
  );
  expect(identifierVariables()).toEqual([...new Set(declared)]);
});

test('each confidential parameter has a variable of identifiers, so that its values are masked', () => {
  const open = loadContract().operations.flatMap(({ id, parameters }) =>
    parameters
      .filter((one) => one['x-data-classification'].sensitivity !== 'public' && !one['x-identifiers'])
      .map(({ name }) => `${id}/${name}`),
  );
  expect(open).toEqual([]);
});

const { target } = readConfiguration({}, '/nonexistent');
const lines = (name: string) => textOf(name).trim().split('\n').length;

/** Each number that README states, with where it comes from. */
const numbers: [pattern: RegExp, number: () => number][] = [
  [/requirements \((\d+) of them\)/, () => requirementsFor(loadContract(), target).length],
  [/at most (\d+) more requests, each sent once/, maxProbes],
  [/(\d+) faults, each a breach/, () => lines('tests/self/faults.txt')],
  [/(\d+) unusual but conforming providers/, () => variants.length],
];

for (const [pattern, number] of numbers)
  test(`README states the right number: ${pattern.source}`, () => {
    expect(Number(pattern.exec(textOf('README.md'))?.[1])).toBe(number());
  });

interface Workflow {
  jobs: Record<string, { steps: { uses?: string; with?: Record<string, unknown>; env?: object }[] }>;
}

const workflow: Workflow = parse(textOf('.github/workflows/conformance.yml'));
const judging = Object.entries(workflow.jobs).flatMap(([job, { steps }]) =>
  steps
    .filter(({ uses }) => uses === './')
    .map((step) => ({ job, inputs: step.with ?? {}, env: step.env ?? {} })),
);

test('each job says what it judges, so that none judges the mock by mistake', () => {
  expect(judging.map(({ job, inputs }) => [job, inputs['base-url']])).toEqual([
    ['mock', 'mock'],
    ['staging', expect.stringContaining('vars.STAGING_URL')],
  ]);
  expect(textOf('README.md')).toMatch(/variables: \{ BASE_URL: \$STAGING_URL/);
});

test('the nightly job is given each variable from where the table says', () => {
  const { inputs, env } = judging.find(({ job }) => job === 'staging') ?? { inputs: {}, env: {} };
  const named = Object.keys(variableTable) as VariableName[];
  const expected = [
    ...named.flatMap((name) => {
      const { workflow } = variable(name);
      return workflow ? [[inputName(name), workflow]] : [];
    }),
    ...identifierVariables().map((name) => [inputName(name), 'secrets']),
  ];
  const given = Object.entries(inputs).map(([name, text]) => [
    name,
    /^\$\{\{ (\w+)\./.exec(String(text))?.[1],
  ]);
  expect(given).toEqual(expect.arrayContaining(expected));
  expect(given.map(([name]) => name).sort()).toEqual(
    [...expected.map(([name]) => name), 'target-name'].sort(),
  );
  // What the examples of AUTH_MODULE read.
  expect(Object.keys(env)).toEqual(['TOKEN_URL', 'CLIENT_ID', 'CLIENT_SECRET']);
});

test('default output goes to a folder that git ignores', () => {
  expect(target.reportsDir).toMatch(/reports\/out$/);
  expect(textOf('.gitignore').split('\n')).toContain('/reports/out/');
  for (const name of ['playwright-report', 'blob-report', 'test-results'])
    expect(existsSync(new URL(`../../${name}`, import.meta.url)), name).toBe(false);
});
