import type { Contract, Operation, Parameter } from './contract.ts';
import { loadContract } from './contract.ts';
import { addressOf, expectation, type Node, nodesOf } from './nodes.ts';

/** A rule of the contract, as a value: its address is test tag, report key and filter at once. */
export interface Requirement {
  /** Such as `getCard/data/card/expiration_date`. */
  address: string;
  operation: string;
  level: 'MUST' | 'SHOULD';
  /** The sentence; title of the test. */
  statement: string;
  /** Section of the contract. */
  source: string;
  /** Where it looks: a JSON Pointer pattern into the body, `http` or `request`. */
  place: string;
}

/** Every requirement of the contract, operation by operation. */
export function requirementsOf(contract: Contract = loadContract()): Requirement[] {
  return contract.operations.flatMap((operation) => [
    ...httpRequirements(operation),
    ...operation.parameters.map((parameter) => parameterRequirement(operation, parameter)),
    ...ruleRequirements(contract, operation),
    ...nodesOf(operation).flatMap(nodeRequirements),
  ]);
}

/** Addresses of what is read off an answer before its body is. */
export const http = (operation: string) => ({
  status: `${operation}/http/status`,
  contentType: `${operation}/http/content-type`,
  json: `${operation}/http/json`,
});

function httpRequirements({ id, status, mediaType, path }: Operation): Requirement[] {
  const at = http(id);
  const shared = { operation: id, level: 'MUST', place: 'http' } as const;
  return [
    { ...shared, address: at.status, statement: `answers HTTP ${status} to GET ${path}`, source: '7' },
    { ...shared, address: at.contentType, statement: `answers ${mediaType}`, source: '1' },
    { ...shared, address: at.json, statement: 'answers with a body that is JSON', source: '1' },
  ];
}

function parameterRequirement({ id }: Operation, parameter: Parameter): Requirement {
  const values = parameter.schema.enum ? 'each of ' : '';
  return {
    address: `${id}/parameters/${parameter.name}`,
    operation: id,
    level: 'MUST',
    statement: `accepts \`${parameter.name}\`, ${values}${expectation(parameter.schema).replace(/^one of /, '')}`,
    source: parameter['x-source'],
    place: 'request',
  };
}

function ruleRequirements({ rules }: Contract, { id }: Operation): Requirement[] {
  return rules
    .filter(({ operations }) => !operations || operations.includes(id))
    .map(({ address, level, statement, source, check }) => ({
      address: `${id}/${address}`,
      operation: id,
      level,
      statement,
      source,
      place: 'needs' in check ? 'request' : 'pointer' in check ? check.pointer : '',
    }));
}

/** Address of the requirement that a value is among those that occur. */
export const occurring = (operation: string, pointer: string) =>
  `${addressOf(operation, pointer)}/values-that-occur`;

function nodeRequirements(node: Node): Requirement[] {
  const { operation, pointer, name, schema, source } = node;
  const shared = { operation, source, place: pointer };
  const promised: Requirement = {
    ...shared,
    address: addressOf(operation, pointer),
    level: 'MUST',
    statement: sentence(node),
  };
  const values = schema['x-values-that-occur'];
  if (!values) return [promised];
  const statement = `\`${name}\` is a value that occurs: ${values.join(', ')}`;
  return [promised, { ...shared, address: occurring(operation, pointer), level: 'SHOULD', statement }];
}

function sentence({ pointer, name, schema, required }: Node): string {
  const what = expectation(schema);
  if (pointer === '') return `the body is ${what}`;
  if (pointer.endsWith('/*')) return `each element of \`${name.replace('[]', '')}\` is ${what}`;
  return `\`${name}\`${required ? '' : ', when present,'} is ${what}`;
}
