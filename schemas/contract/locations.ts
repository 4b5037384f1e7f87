import type { JsonPointer } from '../json.ts';
import type { SpecFile, YamlPath } from './files.ts';
import { listRequirements, type Requirement } from './requirements.ts';
import type { Operation, RequirementAddress } from './types.ts';

/** Finds file, line and column of each requirement, such as `spec/openapi.yaml:120:9`. */
export function locateRequirements(
  operations: Operation[],
  openapiFile: SpecFile,
  rulesFile: SpecFile,
): Record<RequirementAddress, string> {
  const locations: Record<RequirementAddress, string> = {};
  for (const requirement of listRequirements({ operations }))
    locations[requirement.address] =
      requirement.kind === 'rule'
        ? `${rulesFile.name}:${requirement.rule.line}:1`
        : openapiFile.formatLocation(findYamlPath(operations, requirement));
  return locations;
}

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
  return [...contentPath, 'schema', ...convertToSchemaPath(requirement.node.pointer)];
}

/** Converts a JSON Pointer into a body to the path of its schema: `['properties', 'data', 'items']` for `/data/*`. */
const convertToSchemaPath = (pointer: JsonPointer): string[] =>
  pointer
    .split('/')
    .slice(1)
    .flatMap((step) => (step === '*' ? ['items'] : ['properties', step]));
