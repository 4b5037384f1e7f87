import { loadContract } from '../../schemas/contract/contract.ts';
import {
  fileVariableOf,
  identifierFileVariable,
  identifierVariable,
  identifierVariables,
} from '../../tests/configuration/identifier-variables.ts';
import { readConfiguration } from '../../tests/configuration/target.ts';
import { variableNames } from '../../tests/configuration/variable-names.ts';
import { type Variable, type VariableName, variable } from '../../tests/configuration/variable-table.ts';
import { operationQuestions } from '../../tests/exchanges/files.ts';
import { maxProbes } from '../../tests/probes/behaviour.ts';

const contract = loadContract();
const questions = await operationQuestions(contract);

/** The most requests that `PROBES=on` adds to a run: a target with credentials gets one without them as well. */
export function maxProbeRequests(): number {
  const { target } = readConfiguration({}, '/nonexistent');
  return maxProbes(contract, { ...target, probes: true, headers: { authorization: '' } }, questions);
}

/** Every variable, in the order of the documents, as they speak of it. */
function entries(): [name: string, entry: Variable][] {
  const identifiers = identifierEntries();
  return variableNames().map((name) => {
    const entry = identifiers.get(name) ?? variable(name as VariableName);
    return [name, { ...entry, meaning: entry.meaning.replace('{probes}', String(maxProbeRequests())) }];
  });
}

function identifierEntries(): Map<string, Variable> {
  const parameters = contract.operations.flatMap(({ id, parameters }) =>
    parameters.map((parameter) => ({ id, ...parameter })),
  );
  return new Map(
    parameters.flatMap(({ id, name, 'x-identifiers': declared }) =>
      declared
        ? [
            [
              declared,
              identifierVariable(`values of \`${name}\` to request ${id} with, separated by commas`),
            ],
            [fileVariableOf(declared), identifierFileVariable(declared)],
          ]
        : [],
    ),
  );
}

function defaultOf({ default: value, choices, mock }: Variable): string {
  const defaultValue = choices ? `\`${choices[0]}\`` : String(value ?? 'none');
  return mock === undefined ? defaultValue : `${defaultValue}; ${mock} for the mock`;
}

/** The table of variables. */
const variablesTable = (): string =>
  [
    '| variable | meaning | default |',
    '| --- | --- | --- |',
    ...entries().map(([name, entry]) => `| \`${name}\` | ${entry.meaning} | ${defaultOf(entry)} |`),
  ].join('\n');

const head =
  '# Copy to .env, which git ignores, and remove the # from each variable that you set. The environment takes precedence.';

/** `.env.example`: each variable with what it is, commented out. */
export const envExample = (): string =>
  `${[head, ...entries().map(paragraph)].join('\n\n').replaceAll('`', '')}\n`;

const paragraph = ([name, entry]: [string, Variable]) =>
  `# ${capitalized(entry.meaning)}. Default: ${defaultOf(entry)}.\n#${name}=${entry.example}`;

const capitalized = (text: string) => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());

/** The table of `docs/configuration.md`, between its markers. @throws when it has no place for it. */
export const configurationWith = (text: string, table = variablesTable()): string =>
  replaceBetween(text, '<!-- variables: npm run docs -->', '<!-- end of variables -->', `\n\n${table}\n\n`);

/** `action.yml` with an input for each variable. @throws when it has no place for them. */
export function actionWith(text: string): string {
  const inputs = inputEntries().map(([name, entry]) => inputOf(name, entry));
  const variables = inputEntries().map(
    ([name]) => `        ${name}: \${{ inputs.${inputName(name)} || env.${name} }}\n`,
  );
  const withInputs = replaceBetween(
    text,
    '# inputs: npm run docs',
    '  # end of inputs',
    `\n${inputs.join('')}`,
  );
  const [begin, end] = ['# environment: npm run docs', '        # end of environment'];
  return replaceBetween(withInputs, begin, end, `\n${variables.join('')}`);
}

/** The nightly workflow with a secret for each variable of identifiers. @throws when it has no place for them. */
export function workflowWith(text: string): string {
  const given = (nameOf: (variable: string) => string) =>
    identifierVariables().map((name) => `${indent}${nameOf(name)}: \${{ secrets.${name} }}\n`);
  const filled = (within: string, what: string, lines: string[]) =>
    replaceBetween(within, `# ${what}: npm run docs`, `${indent}# end of ${what}`, `\n${lines.join('')}`);
  const withInputs = filled(text, 'inputs of identifiers', given(inputName));
  return filled(withInputs, 'variables of identifiers', given(String));
}

const indent = ' '.repeat(10);

/** The variables that are inputs: `reports-dir` has a default of its own, and these are set for whole jobs. */
const inputEntries = () => entries().filter(([name]) => !/_PROXY$|^NODE_|^REPORTS_DIR$/.test(name));

/** The input of the action that sets a variable. */
export const inputName = (variable: string): string => variable.toLowerCase().replaceAll('_', '-');

function inputOf(name: string, entry: Variable): string {
  const text = `${capitalized(entry.meaning)}. Default: ${defaultOf(entry)}`.replaceAll('`', '');
  return `  ${inputName(name)}:\n    description: ${JSON.stringify(text)}\n`;
}

function replaceBetween(text: string, first: string, last: string, body: string): string {
  const begin = text.indexOf(first);
  const end = text.indexOf(last);
  if (begin < 0 || end < begin) throw new Error(`the lines ${first.trim()} and ${last.trim()} are missing`);
  return `${text.slice(0, begin + first.length)}${body}${text.slice(end)}`;
}
