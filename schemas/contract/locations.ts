import type { JsonPointer, Path } from '../json.ts';
import type { SpecFile } from './files.ts';
import { getOperationPaths } from './openapi.ts';
import { listRequirements, type Requirement } from './requirements.ts';
import type { Operation, RequirementAddress } from './types.ts';

/** Locates each requirement in its file: `{ 'getCard/data/card/id': 'spec/openapi.yaml:120:9' }`. */
export function locateRequirements(
  operations: Operation[],
  openapiFile: SpecFile,
  rulesFile: SpecFile,
): Record<RequirementAddress, string> {
  const locations: Record<RequirementAddress, string> = {};
  for (const operation of operations)
    for (const requirement of listRequirements({ operations: [operation] })) {
      const { address } = requirement;
      if (requirement.kind === 'rule') locations[address] = `${rulesFile.name}:${requirement.rule.line}:1`;
      else locations[address] = openapiFile.formatLocation(findYamlPath(operation, requirement));
    }
  return locations;
}

type OpenapiRequirement = Exclude<Requirement, { kind: 'rule' }>;

function findYamlPath(operation: Operation, requirement: OpenapiRequirement): Path {
  const yamlPaths = getOperationPaths(operation);
  if (requirement.kind === 'parameter')
    return [...yamlPaths.parameters, operation.parameters.indexOf(requirement.parameter)];
  if (requirement.kind === 'status') return yamlPaths.response;
  const isAboutNode = 'node' in requirement;
  if (!isAboutNode) return yamlPaths.content;
  return [...yamlPaths.schema, ...convertToSchemaPath(requirement.node.pointer)];
}

function convertToSchemaPath(pointer: JsonPointer): string[] {
  const schemaPath: string[] = [];
  const steps = pointer.split('/').slice(1);
  for (const step of steps) {
    if (step === '*') schemaPath.push('items');
    else schemaPath.push('properties', step);
  }
  return schemaPath;
}
