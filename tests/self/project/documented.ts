import { readFileSync } from 'node:fs';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { groupBy } from '../../../schemas/group-by.ts';
import { listIdentifierNames } from '../../../src/run/identifier-variables.ts';
import { listVariableNames } from '../../../src/run/variable-names.ts';
import { type Variable, type VariableName, variableTable } from '../../../src/run/variable-table.ts';
import { listUndetectableInRecordings } from '../proof/unrecorded.ts';
import { renderOperationTypes } from './operation-types.ts';

/** Renders the files that `npm run dev:docs` writes, such as `docs/configuration.md`, as pairs of path and text. */
export const renderDocuments = (): [file: string, text: string][] => [
  ['docs/configuration.md', renderConfiguration(readFileSync('docs/configuration.md', 'utf8'))],
  ['action.yml', renderAction(readFileSync('action.yml', 'utf8'))],
  [
    '.github/workflows/conformance.yml',
    renderWorkflow(readFileSync('.github/workflows/conformance.yml', 'utf8')),
  ],
  ['docs/examples/github.yml', renderExample(readFileSync('docs/examples/github.yml', 'utf8'))],
  ['docs/recorded-traffic.md', renderRecordedTraffic(readFileSync('docs/recorded-traffic.md', 'utf8'))],
  ['.env.example', renderEnvExample()],
  ['schemas/generated/operations.ts', renderOperationTypes(loadContract())],
];

function listVariables(): [name: string, entry: Variable][] {
  const identifiers = new Map(listIdentifierVariables());
  const findVariable = (name: string) => identifiers.get(name) ?? variableTable[name as VariableName];
  return listVariableNames().map((name) => [name, findVariable(name)]);
}

const describeIdentifiers = (meaning: string): Variable => ({
  meaning,
  default: 'none',
  mock: 'its own',
  example: '11111111-2222-4333-8444-555555555555,…',
  workflow: 'secrets',
});

function listIdentifierVariables(): [string, Variable][] {
  const identifierParameters = loadContract().operations.flatMap(({ id: operation, parameters }) =>
    parameters.flatMap(({ name, 'x-identifiers': variable }) =>
      variable ? [{ operation, name, variable }] : [],
    ),
  );
  const parametersByVariable = groupBy(identifierParameters, ({ variable }) => variable);
  return [...parametersByVariable].map(([variable, parameters]) => {
    const names = [...new Set(parameters.map(({ name }) => `\`${name}\``))].join(' or ');
    const operations = parameters.map(({ operation }) => operation).join(' and ');
    const meaning = `values of ${names} for ${operations}, separated by commas, or \`@\` and the name of a file with one value a line`;
    return [variable, describeIdentifiers(meaning)];
  });
}

/** Formats the default of a variable: "none", or "10; 100 for the mock" if the embedded mock has another one. */
function formatDefault({ default: value, choices, mock }: Variable): string {
  const defaultValue = String(value ?? (choices ? `\`${choices[0]}\`` : 'none'));
  return mock === undefined ? defaultValue : `${defaultValue}; ${mock} for the mock`;
}

const capitalize = (text: string) => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());

function renderEnvExample(): string {
  const head =
    '# Copy to .env, which git ignores, and remove the # from each variable that you set. The environment takes precedence.';
  const paragraphs = listVariables().map(
    ([name, entry]) =>
      `# ${capitalize(entry.meaning)}. Default: ${formatDefault(entry)}.\n#${name}=${entry.example}`,
  );
  return `${[head, ...paragraphs].join('\n\n').replaceAll('`', '')}\n`;
}

function renderConfiguration(text: string): string {
  const rows = listVariables().map(
    ([name, entry]) => `| \`${name}\` | ${entry.meaning} | ${formatDefault(entry)} |`,
  );
  const table = ['| variable | meaning | default |', '| --- | --- | --- |', ...rows].join('\n');
  return replaceBetween(
    text,
    '<!-- variables: npm run dev:docs -->',
    '<!-- end of variables -->',
    `\n\n${table}\n\n`,
  );
}

/** Renders `action.yml` with an input for each variable, except `REPORTS_DIR`, proxies and Node's variables. */
function renderAction(text: string): string {
  const actionVariables = listVariables().filter(([name]) => !/_PROXY$|^NODE_|^REPORTS_DIR$/.test(name));
  const inputs = actionVariables.map(([name, entry]) => {
    const meaning = `${capitalize(entry.meaning)}. Default: ${formatDefault(entry)}`.replaceAll('`', '');
    return `  ${formatInputName(name)}:\n    description: ${JSON.stringify(meaning)}\n`;
  });
  const environmentLines = actionVariables.map(
    ([name]) => `        ${name}: \${{ inputs.${formatInputName(name)} || env.${name} }}\n`,
  );
  const withInputs = replaceBlock(text, 'inputs', '  ', inputs);
  return replaceBlock(withInputs, 'environment', '        ', environmentLines);
}

function renderWorkflow(text: string): string {
  const secretsByInput = listSecrets(formatInputName);
  const secretsByVariable = listSecrets((variable) => variable);
  const withInputs = replaceBlock(text, 'inputs of identifiers', secretIndent, secretsByInput);
  return replaceBlock(withInputs, 'variables of identifiers', secretIndent, secretsByVariable);
}

const renderExample = (text: string): string =>
  replaceBetween(
    text,
    'probes: "on"\n',
    `${secretIndent}api-headers:`,
    listSecrets(formatInputName).join(''),
  );

const secretIndent = ' '.repeat(10);

const listSecrets = (formatName: (variable: string) => string): string[] =>
  listIdentifierNames().map((name) => `${secretIndent}${formatName(name)}: \${{ secrets.${name} }}\n`);

const renderRecordedTraffic = (text: string): string =>
  replaceBetween(
    text,
    '<!-- requirements: npm run dev:docs -->',
    '<!-- end of requirements -->',
    `\n\n${listUndetectableInRecordings()
      .map((address) => `- \`${address}\`\n`)
      .join('')}\n`,
  );

/** Returns the input of the GitHub action that sets a variable: `card-ids` for `CARD_IDS`. */
export const formatInputName = (name: string): string =>
  name === 'LEDGER_FILE' ? 'ledger' : name.toLowerCase().replaceAll('_', '-');

/** Replaces the lines of a YAML block between its comments `# NAME: npm run dev:docs` and `# end of NAME`. */
const replaceBlock = (text: string, blockName: string, indent: string, lines: string[]) =>
  replaceBetween(
    text,
    `# ${blockName}: npm run dev:docs`,
    `${indent}# end of ${blockName}`,
    `\n${lines.join('')}`,
  );

/** Replaces the text between two lines by `body`. @throws an `Error` if one of the lines is missing */
function replaceBetween(text: string, beginLine: string, endLine: string, body: string): string {
  const begin = text.indexOf(beginLine);
  const end = text.indexOf(endLine);
  if (begin < 0 || end < begin)
    throw new Error(`the lines ${beginLine.trim()} and ${endLine.trim()} are missing`);
  return `${text.slice(0, begin + beginLine.length)}${body}${text.slice(end)}`;
}
