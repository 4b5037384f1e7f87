import type { Contract, Operation } from './contract.ts';
import { type Position, readFile, type SpecFile, type Step } from './files.ts';
import type { Node } from './nodes.ts';
import { contentSteps, schemaSteps } from './openapi.ts';
import type { Requirement } from './requirements.ts';

/** Position in a file of `spec/`, relative to the folder of the project. */
export interface Location extends Position {
  file: 'spec/openapi.yaml' | 'spec/requirements.yaml';
}

/** Locates what a requirement is derived from: the entry of a rule, or else a key of `openapi.yaml`. */
export function locateRequirement(contract: Contract, requirement: Requirement): Location {
  if (requirement.kind === 'rule') return { file: 'spec/requirements.yaml', ...requirement.rule.position };
  const operation = contract.operations.find(({ id }) => id === requirement.operation);
  const steps = operation ? listSteps(operation, requirement) : [];
  return { file: 'spec/openapi.yaml', ...readDocument(contract).findPosition(steps) };
}

const documents = new WeakMap<Contract, SpecFile>();

/** Reads the positions of `openapi.yaml` once for each contract: reading the YAML takes longer than all judging of a small run. */
function readDocument(contract: Contract): SpecFile {
  const document = documents.get(contract) ?? readFile('openapi.yaml', contract.text);
  documents.set(contract, document);
  return document;
}

/** Lists the keys that lead to a requirement in `openapi.yaml`. */
function listSteps(operation: Operation, requirement: Exclude<Requirement, { kind: 'rule' }>): Step[] {
  const content = contentSteps(operation);
  switch (requirement.kind) {
    case 'status':
      return content.slice(0, -2);
    case 'media-type':
    case 'json':
      return content;
    case 'parameter':
      return [
        'paths',
        operation.path,
        'get',
        'parameters',
        operation.parameters.indexOf(requirement.parameter),
      ];
    case 'node':
      return nodeSteps(operation, requirement.node);
    case 'occurring-values':
      return [...nodeSteps(operation, requirement.node), 'x-values-that-occur'];
  }
}

const nodeSteps = (operation: Operation, { pointer }: Node): Step[] => [
  ...schemaSteps(operation),
  ...pointer
    .split('/')
    .slice(1)
    .flatMap((step) => (step === '*' ? ['items'] : ['properties', step])),
];
