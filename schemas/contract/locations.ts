import type { JsonPointer } from '../json.ts';
import type { SpecFile, YamlPath } from './files.ts';
import { listRequirements, type Requirement } from './requirements.ts';
import type { Operation, RequirementAddress } from './types.ts';

/** Locates each requirement, keyed by address: `{ 'getCard/data/card/id': 'spec/openapi.yaml:120:9' }` with line and column. */
export function locateRequirements(
  operations: Operation[],
  openapiFile: SpecFile,
  rulesFile: SpecFile,
): Record<RequirementAddress, string> {
  const locations: Record<RequirementAddress, string> = {};
  for (const requirement of listRequirements({ operations })) {
    const { address } = requirement;
    if (requirement.kind === 'rule') locations[address] = `${rulesFile.name}:${requirement.rule.line}:1`;
    else locations[address] = openapiFile.formatLocation(findYamlPath(operations, requirement));
  }
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
  const isAboutNode = 'node' in requirement;
  if (!isAboutNode) return contentPath;
  return [...contentPath, 'schema', ...convertToSchemaPath(requirement.node.pointer)];
}

/** Converts a JSON Pointer in a body to a path in the schema of the body: `['properties', 'data', 'items']` for `/data/*`. */
function convertToSchemaPath(pointer: JsonPointer): string[] {
  const schemaPath: string[] = [];
  const steps = pointer.split('/').slice(1);
  for (const step of steps) {
    if (step === '*') schemaPath.push('items');
    else schemaPath.push('properties', step);
  }
  return schemaPath;
}
