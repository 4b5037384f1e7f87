import type { Contract, Operation } from '../schemas/contract/contract.ts';
import { type Requirement, requirementsOf } from '../schemas/contract/requirements.ts';
import type { Step } from '../schemas/contract/yaml.ts';

/** Where something of the contract is written. */
export interface SpecPlace {
  file: 'spec/openapi.yaml' | 'spec/requirements.yaml';
  line: number;
}

/** Finds where the requirement of an address is written; the first line of the document where it is none of this contract. */
export function createLocator(contract: Contract): (address: string) => SpecPlace {
  const requirements = new Map(requirementsOf(contract).map((one) => [one.address, one]));
  return (address) => {
    const requirement = requirements.get(address);
    if (requirement?.kind === 'rule') return { file: 'spec/requirements.yaml', line: requirement.rule.line };
    const operation = contract.operations.find(({ id }) => id === requirement?.operation);
    const steps = requirement && operation ? stepsTo(operation, requirement) : [];
    return { file: 'spec/openapi.yaml', line: contract.document.lineOf(steps) };
  };
}

/** Keys and indexes that lead through the document to what a requirement is derived from. */
export function stepsTo(operation: Operation, requirement: Requirement): Step[] {
  const get = ['paths', operation.path, 'get'];
  const response = [...get, 'responses', String(operation.status)];
  const content = [...response, 'content', operation.mediaType];
  if (requirement.kind === 'status') return response;
  if (requirement.kind === 'parameter')
    return [...get, 'parameters', operation.parameters.indexOf(requirement.parameter)];
  const isNode = requirement.kind === 'node' || requirement.kind === 'occurring-values';
  const schema = isNode
    ? ['schema', ...requirement.node.pointer.split('/').slice(1).flatMap(schemaSteps)]
    : [];
  return [...content, ...schema, ...(requirement.kind === 'occurring-values' ? ['x-values-that-occur'] : [])];
}

const schemaSteps = (step: string) => (step === '*' ? ['items'] : ['properties', step]);
