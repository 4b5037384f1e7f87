import type { SpecFile, Step } from './files.ts';
import { listRequirements, type Requirement } from './requirements.ts';
import type { Operation } from './types.ts';

/**
 * Locates each requirement in `spec/`, as file, line and column, keyed by its address: the field, parameter or response in
 * `openapi.yaml`, or the rule in `requirements.yaml`.
 */
export const locateRequirements = (
  operations: Operation[],
  openapi: SpecFile,
  rules: SpecFile,
): Record<string, string> =>
  Object.fromEntries(
    listRequirements({ operations }).map((requirement) => [
      requirement.address,
      requirement.kind === 'rule'
        ? `${rules.name}:${requirement.rule.line}:1`
        : openapi.locate(findSteps(operations, requirement)),
    ]),
  );

/** Finds the path to a requirement in `openapi.yaml`, such as `['paths', '/cards/{id}', 'get', 'parameters', 0]`. */
function findSteps(operations: Operation[], requirement: Exclude<Requirement, { kind: 'rule' }>): Step[] {
  const operation = operations.find(({ id }) => id === requirement.operation) as Operation;
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
