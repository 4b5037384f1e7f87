import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { variants } from '../../mock/variants/index.ts';
import { envExample, maxProbes, readmeWith } from '../../reports/configuration-docs.ts';
import { loadContract } from '../../schemas/contract.ts';
import { identifierVariables } from '../client/identifier-variables.ts';
import { readConfiguration } from '../client/target.ts';
import { type VariableName, variable, variableTable } from '../client/variable-table.ts';
import { requirementsFor } from '../run/results.ts';

const textOf = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

test('README and .env.example say of each variable what the table says (npm run docs)', () => {
  expect(textOf('README.md')).toBe(readmeWith(textOf('README.md')));
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
  jobs: Record<string, { steps: { run?: string; env?: Record<string, string> }[] }>;
}

const workflow: Workflow = parse(textOf('.github/workflows/conformance.yml'));
const runs = Object.entries(workflow.jobs).map(([job, { steps }]) => ({
  job,
  env: steps.find(({ run }) => run === 'npm run conformance')?.env ?? {},
}));

test('each job says what it judges, so that none judges the mock by mistake', () => {
  expect(runs.map(({ job, env }) => [job, env.BASE_URL])).toEqual([
    ['mock', 'mock'],
    ['staging', expect.stringContaining('vars.STAGING_URL')],
  ]);
  expect(textOf('README.md')).toMatch(/variables: \{ BASE_URL: \$STAGING_URL/);
});

test('the nightly job is given each variable from where the table says', () => {
  const { env } = runs.find(({ job }) => job === 'staging') ?? { env: {} };
  const named = Object.keys(variableTable) as VariableName[];
  const expected = [
    ...named.flatMap((name) => {
      const { workflow } = variable(name);
      return workflow ? [[name, workflow]] : [];
    }),
    ...identifierVariables().map((name) => [name, 'secrets']),
  ];
  const given = Object.entries(env).map(([name, text]) => [name, /^\$\{\{ (\w+)\./.exec(String(text))?.[1]]);
  expect(given).toEqual(expect.arrayContaining(expected));
  const others = ['TARGET_NAME', 'TOKEN_URL', 'CLIENT_ID', 'CLIENT_SECRET'];
  expect(given.map(([name]) => name).sort()).toEqual([...expected.map(([name]) => name), ...others].sort());
});

test('default output goes to a folder that git ignores', () => {
  expect(target.reportsDir).toMatch(/reports\/out$/);
  expect(textOf('.gitignore').split('\n')).toContain('/reports/out/');
  for (const name of ['playwright-report', 'blob-report', 'test-results'])
    expect(existsSync(new URL(`../../${name}`, import.meta.url)), name).toBe(false);
});
