import { readFileSync } from 'node:fs';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { groupBy } from '../../../schemas/group-by.ts';
import { listIdentifierNames } from '../../../src/run/identifier-variables.ts';
import { listVariableNames } from '../../../src/run/variable-names.ts';
import { type Variable, type VariableName, variableTable } from '../../../src/run/variable-table.ts';
import { listUndetectableInRecordings } from '../proof/unrecorded.ts';
import { renderOperationTypes } from './operation-types.ts';

/** Renders the files that `npm run dev:docs` writes, such as `docs/configuration.md`. */
export const renderDocuments = (): [file: string, text: string][] => [
  renderAgain('docs/configuration.md', renderConfiguration),
  renderAgain('action.yml', renderAction),
  renderAgain('.github/workflows/conformance.yml', renderWorkflow),
  renderAgain('docs/examples/github.yml', renderExample),
  renderAgain('docs/recorded-traffic.md', renderRecordedTraffic),
  ['.env.example', renderEnvExample()],
  ['schemas/generated/operations.ts', renderOperationTypes(loadContract())],
];

const renderAgain = (
  file: string,
  replaceGeneratedPart: (text: string) => string,
): [file: string, text: string] => [file, replaceGeneratedPart(readFileSync(file, 'utf8'))];

function listVariables(): [name: string, entry: Variable][] {
  const identifierVariables = new Map(listIdentifierVariables());
  return listVariableNames().map((name) => {
    const entry = identifierVariables.get(name) ?? variableTable[name as VariableName];
    return [name, entry];
  });
}

const describeIdentifiers = (meaning: string): Variable => ({
  meaning,
  default: 'none',
  mock: 'its own',
  example: '11111111-2222-4333-8444-555555555555,…',
  workflow: 'secrets',
});

/** Request parameter with values from a variable such as `CARD_IDS`. */
interface IdentifierParameter {
  operation: string;
  name: string;
  variable: string;
}

function listIdentifierVariables(): [string, Variable][] {
  const identifierParameters: IdentifierParameter[] = [];
  for (const { id: operation, parameters } of loadContract().operations)
    for (const { name, 'x-identifiers': variable } of parameters)
      if (variable) identifierParameters.push({ operation, name, variable });
  const parametersByVariable = groupBy(identifierParameters, ({ variable }) => variable);
  return [...parametersByVariable].map(([variable, parameters]) => {
    return [variable, describeIdentifiers(formatMeaning(parameters))];
  });
}

function formatMeaning(parameters: IdentifierParameter[]): string {
  const names = [...new Set(parameters.map(({ name }) => `\`${name}\``))].join(' or ');
  const operations = parameters.map(({ operation }) => operation).join(' and ');
  return `values of ${names} for ${operations}, separated by commas, or \`@\` and the name of a file with one value a line`;
}

function formatDefault({ default: value, choices, mock }: Variable): string {
  // A variable with fixed choices uses the first one by default.
  const firstChoice = choices && `\`${choices[0]}\``;
  const defaultValue = String(value ?? firstChoice ?? 'none');
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

function renderAction(text: string): string {
  const actionVariables = listVariables().filter(([name]) => !/_PROXY$|^NODE_|^REPORTS_DIR$/.test(name));
  const inputs = actionVariables.map(([name, entry]) => renderActionInput(name, entry));
  const environmentLines = actionVariables.map(
    ([name]) => `        ${name}: \${{ inputs.${formatInputName(name)} || env.${name} }}\n`,
  );
  const textWithInputs = replaceBlock(text, 'inputs', '  ', inputs);
  return replaceBlock(textWithInputs, 'environment', '        ', environmentLines);
}

function renderActionInput(name: string, entry: Variable): string {
  const meaning = `${capitalize(entry.meaning)}. Default: ${formatDefault(entry)}`.replaceAll('`', '');
  return `  ${formatInputName(name)}:\n    description: ${JSON.stringify(meaning)}\n`;
}

function renderWorkflow(text: string): string {
  const inputLines = renderSecretLines(formatInputName);
  const variableLines = renderSecretLines((variable) => variable);
  const textWithInputs = replaceBlock(text, 'inputs of identifiers', secretIndent, inputLines);
  return replaceBlock(textWithInputs, 'variables of identifiers', secretIndent, variableLines);
}

function renderExample(text: string): string {
  // In the example, the generated lines have no comments around them. They stand between two other inputs.
  const lineBefore = 'probes: "on"\n';
  const lineAfter = `${secretIndent}api-headers:`;
  return replaceBetween(text, lineBefore, lineAfter, renderSecretLines(formatInputName).join(''));
}

const secretIndent = ' '.repeat(10);

const renderSecretLines = (formatKey: (variable: string) => string): string[] =>
  listIdentifierNames().map((name) => `${secretIndent}${formatKey(name)}: \${{ secrets.${name} }}\n`);

function renderRecordedTraffic(text: string): string {
  const listItems = listUndetectableInRecordings().map((address) => `- \`${address}\`\n`);
  return replaceBetween(
    text,
    '<!-- requirements: npm run dev:docs -->',
    '<!-- end of requirements -->',
    `\n\n${listItems.join('')}\n`,
  );
}

/** Returns the GitHub action input for a variable: `card-ids` for `CARD_IDS`. */
export const formatInputName = (name: string): string =>
  name === 'LEDGER_FILE' ? 'ledger' : name.toLowerCase().replaceAll('_', '-');

const replaceBlock = (text: string, blockName: string, indent: string, lines: string[]) =>
  replaceBetween(
    text,
    `# ${blockName}: npm run dev:docs`,
    `${indent}# end of ${blockName}`,
    `\n${lines.join('')}`,
  );

function replaceBetween(text: string, beginLine: string, endLine: string, body: string): string {
  const begin = text.indexOf(beginLine);
  const end = text.indexOf(endLine);
  if (begin < 0 || end < begin)
    throw new Error(`the lines ${beginLine.trim()} and ${endLine.trim()} are missing`);
  return `${text.slice(0, begin + beginLine.length)}${body}${text.slice(end)}`;
}
