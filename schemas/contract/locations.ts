import type { JsonPointer } from '../json.ts';
import type { SpecFile, YamlPath } from './files.ts';
import { listRequirements, type Requirement } from './requirements.ts';
import type { Operation, RequirementAddress } from './types.ts';

/** Locates each requirement, as line and column of a field, parameter, response or rule: `spec/openapi.yaml:120:9`. */
export const locateRequirements = (
  operations: Operation[],
  openapi: SpecFile,
  rules: SpecFile,
): Record<RequirementAddress, string> =>
  Object.fromEntries(
    listRequirements({ operations }).map((requirement) => [
      requirement.address,
      requirement.kind === 'rule'
        ? `${rules.name}:${requirement.rule.line}:1`
        : openapi.formatLocation(findYamlPath(operations, requirement)),
    ]),
  );

type OpenapiRequirement = Exclude<Requirement, { kind: 'rule' }>;

/** Finds the path to a requirement in `openapi.yaml`, such as `['paths', '/cards/{id}', 'get', 'parameters', 0]`. */
function findYamlPath(operations: Operation[], requirement: OpenapiRequirement): YamlPath {
  const operation = operations.find(({ id }) => id === requirement.operation) as Operation;
  const { path, status, mediaType, parameters } = operation;
  const operationPath = ['paths', path, 'get'];
  if (requirement.kind === 'parameter')
    return [...operationPath, 'parameters', parameters.indexOf(requirement.parameter)];
  const responsePath = [...operationPath, 'responses', String(status)];
  if (requirement.kind === 'status') return responsePath;
  const contentPath = [...responsePath, 'content', mediaType];
  if (!('node' in requirement)) return contentPath;
  return [...contentPath, 'schema', ...listSchemaKeys(requirement.node.pointer)];
}

/** Lists the keys that lead from the schema of a body to that of a field: `['properties', 'data', 'items']` for `/data/*`. */
const listSchemaKeys = (pointer: JsonPointer): string[] =>
  pointer
    .split('/')
    .slice(1)
    .flatMap((step) => (step === '*' ? ['items'] : ['properties', step]));
