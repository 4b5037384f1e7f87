import { readFileSync } from 'node:fs';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { identifierVariables } from '../../../src/run/identifier-variables.ts';
import { variableNames } from '../../../src/run/variable-names.ts';
import { type Variable, type VariableName, variableTable } from '../../../src/run/variable-table.ts';
import { renderOperationTypes } from './operation-types.ts';

/** Files that `npm run dev:docs` writes, relative to the project, each with the text that the contract and the variables give. */
export const documented = (): [file: string, text: string][] => [
  ['docs/configuration.md', configurationWith(readFileSync('docs/configuration.md', 'utf8'))],
  ['action.yml', actionWith(readFileSync('action.yml', 'utf8'))],
  [
    '.github/workflows/conformance.yml',
    workflowWith(readFileSync('.github/workflows/conformance.yml', 'utf8')),
  ],
  ['.env.example', envExample()],
  ['schemas/generated/operations.ts', renderOperationTypes(loadContract())],
];

/** Every variable, in the order of the documents, as they speak of it. */
function entries(): [name: string, entry: Variable][] {
  const identifiers = new Map(identifierEntries());
  const entryOf = (name: string) => identifiers.get(name) ?? variableTable[name as VariableName];
  return variableNames().map((name) => [name, entryOf(name)]);
}

/** What is said of a variable of identifiers. */
const identifierVariable = (meaning: string): Variable => ({
  meaning,
  default: 'none',
  mock: 'its own',
  example: '11111111-2222-4333-8444-555555555555,…',
  workflow: 'secrets',
});

function identifierEntries(): [string, Variable][] {
  const asked = loadContract().operations.flatMap(({ id, parameters }) =>
    parameters.flatMap(({ name, 'x-identifiers': variable }) => (variable ? [{ id, name, variable }] : [])),
  );
  return [...new Set(asked.map(({ variable }) => variable))].map((variable) => {
    const own = asked.filter((one) => one.variable === variable);
    const names = [...new Set(own.map(({ name }) => `\`${name}\``))].join(' or ');
    const ids = own.map(({ id }) => id).join(' and ');
    const meaning = `values of ${names} for ${ids}, separated by commas, or \`@\` and the name of a file with one value a line`;
    return [variable, identifierVariable(meaning)];
  });
}

function defaultOf({ default: value, choices, mock }: Variable): string {
  const defaultValue = String(value ?? (choices ? `\`${choices[0]}\`` : 'none'));
  return mock === undefined ? defaultValue : `${defaultValue}; ${mock} for the mock`;
}

const capitalized = (text: string) => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());

/** `.env.example`: each variable with what it is, commented out. */
function envExample(): string {
  const head =
    '# Copy to .env, which git ignores, and remove the # from each variable that you set. The environment takes precedence.';
  const paragraphs = entries().map(
    ([name, entry]) =>
      `# ${capitalized(entry.meaning)}. Default: ${defaultOf(entry)}.\n#${name}=${entry.example}`,
  );
  return `${[head, ...paragraphs].join('\n\n').replaceAll('`', '')}\n`;
}

function configurationWith(text: string): string {
  const rows = entries().map(([name, entry]) => `| \`${name}\` | ${entry.meaning} | ${defaultOf(entry)} |`);
  const table = ['| variable | meaning | default |', '| --- | --- | --- |', ...rows].join('\n');
  return replaceBetween(
    text,
    '<!-- variables: npm run dev:docs -->',
    '<!-- end of variables -->',
    `\n\n${table}\n\n`,
  );
}

/** `action.yml` with an input for each variable; `reports-dir` has a default of its own, and some are set for whole jobs. */
function actionWith(text: string): string {
  const all = entries().filter(([name]) => !/_PROXY$|^NODE_|^REPORTS_DIR$/.test(name));
  const inputs = all.map(([name, entry]) => {
    const meaning = `${capitalized(entry.meaning)}. Default: ${defaultOf(entry)}`.replaceAll('`', '');
    return `  ${inputName(name)}:\n    description: ${JSON.stringify(meaning)}\n`;
  });
  const set = all.map(([name]) => `        ${name}: \${{ inputs.${inputName(name)} || env.${name} }}\n`);
  const withInputs = withBlock(text, 'inputs', '  ', inputs);
  return withBlock(withInputs, 'environment', '        ', set);
}

/** The nightly workflow with a secret for each variable of identifiers. */
function workflowWith(text: string): string {
  const indent = ' '.repeat(10);
  const secrets = (nameOf: (variable: string) => string) =>
    identifierVariables().map((name) => `${indent}${nameOf(name)}: \${{ secrets.${name} }}\n`);
  const withInputs = withBlock(text, 'inputs of identifiers', indent, secrets(inputName));
  return withBlock(withInputs, 'variables of identifiers', indent, secrets(String));
}

/** The input of the action that sets a variable. */
export const inputName = (name: string): string =>
  name === 'LEDGER_FILE' ? 'ledger' : name.toLowerCase().replaceAll('_', '-');

const withBlock = (text: string, what: string, indent: string, lines: string[]) =>
  replaceBetween(text, `# ${what}: npm run dev:docs`, `${indent}# end of ${what}`, `\n${lines.join('')}`);

/** @throws when the text lacks one of the lines. */
function replaceBetween(text: string, first: string, last: string, body: string): string {
  const begin = text.indexOf(first);
  const end = text.indexOf(last);
  if (begin < 0 || end < begin) throw new Error(`the lines ${first.trim()} and ${last.trim()} are missing`);
  return `${text.slice(0, begin + first.length)}${body}${text.slice(end)}`;
}
