import { type Contract, formatSpecName } from './contract.ts';
import { readFile, type Step } from './files.ts';
import type { Requirement } from './requirements.ts';

/**
 * Returns where the contract states a requirement, as `spec/openapi.yaml:LINE:COLUMN`, which terminals, editors and GitHub
 * follow: the line of the field, parameter or response, or of the rule in `spec/requirements.yaml`.
 */
export function locateRequirement(
  contract: Pick<Contract, 'operations' | 'text'>,
  requirement: Requirement,
): string {
  if (requirement.kind === 'rule') return `${formatSpecName('requirements.yaml')}:${requirement.rule.line}:1`;
  const name = formatSpecName('openapi.yaml');
  const line = readFile(name, contract.text).lineOf(stepsTo(contract, requirement));
  // The column after the spaces, and after the dash of a list.
  const indentation = /^[ -]*/.exec(contract.text.split('\n')[line - 1] ?? '')?.[0].length ?? 0;
  return `${name}:${line}:${indentation + 1}`;
}

/** Returns the path of keys and indices to a requirement in `openapi.yaml`; an empty path if the operation is unknown. */
function stepsTo(
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
  return 'node' in requirement ? [...content, 'schema', ...schemaSteps(requirement.node.pointer)] : content;
}

/** Converts a pointer to the keys of its schema: `/data/customers/*` to `properties data properties customers items`. */
const schemaSteps = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .flatMap((step) => (step === '*' ? ['items'] : ['properties', step]));
