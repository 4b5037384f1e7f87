import { type Contract, formatSpecName } from './contract.ts';
import { readFile, type Step } from './files.ts';
import type { Requirement } from './requirements.ts';

/**
 * Locates a requirement in the contract, as `spec/openapi.yaml:LINE:COLUMN`, which terminals, editors and GitHub follow: the field,
 * parameter or response in `spec/openapi.yaml`, or the rule in `spec/requirements.yaml`.
 */
export function locateRequirement(
  contract: Pick<Contract, 'operations' | 'text'>,
  requirement: Requirement,
): string {
  if (requirement.kind === 'rule') return `${formatSpecName('requirements.yaml')}:${requirement.rule.line}:1`;
  const name = formatSpecName('openapi.yaml');
  const line = readFile(name, contract.text).lineOf(findSteps(contract, requirement));
  // The column after the spaces, and after the dash of a list.
  const indentation = /^[ -]*/.exec(contract.text.split('\n')[line - 1] ?? '')?.[0].length ?? 0;
  return `${name}:${line}:${indentation + 1}`;
}

/**
 * Finds the path to a requirement in `openapi.yaml`, such as `['paths', '/cards/{id}', 'get', 'parameters', 0]`; an empty path if
 * the operation is unknown.
 */
function findSteps(
  { operations }: Pick<Contract, 'operations'>,
  requirement: Exclude<Requirement, { kind: 'rule' }>,
): Step[] {
  const operation = operations.find(({ id }) => id === requirement.operation);
  if (!operation) return [];
  const { path, status, mediaType, parameters } = operation;
  const get = ['paths', path, 'get'];
  if (requirement.kind === 'parameter')
    return [...get, 'parameters', parameters.indexOf(requirement.parameter)];
  const response = [...get, 'responses', String(status)];
  if (requirement.kind === 'status') return response;
  const content = [...response, 'content', mediaType];
  if (!('node' in requirement)) return content;
  return [...content, 'schema', ...listSchemaSteps(requirement.node.pointer)];
}

/** Converts a pointer to the keys of its schema: `/data/customers/*` to `properties data properties customers items`. */
const listSchemaSteps = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .flatMap((step) => (step === '*' ? ['items'] : ['properties', step]));
