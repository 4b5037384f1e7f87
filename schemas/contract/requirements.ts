import { expectation } from './expectations.ts';
import { addressOf, type Node, nodesOf, sentenceOf } from './nodes.ts';
import type { Check, Contract, Operation, Parameter, Rule } from './types.ts';

/** A rule of the contract, as a value: its address is test tag, report key and filter at once. */
export type Requirement = RequirementText & Subject;

interface RequirementText {
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

/** What a requirement is about. */
type Subject =
  | { kind: 'status' | 'media-type' | 'json' }
  | { kind: 'parameter'; parameter: Parameter }
  | { kind: 'rule'; rule: Rule }
  | { kind: 'node' | 'occurring-values'; node: Node };

/** Of each operation once: thousands of runs of the proof ask for them. */
const derived = new WeakMap<Operation, Requirement[]>();

/** Every requirement of the contract, operation by operation. */
export function requirementsOf({ operations }: Pick<Contract, 'operations'>): Requirement[] {
  return operations.flatMap((operation) => {
    const requirements = derived.get(operation) ?? requirementsOfOne(operation);
    derived.set(operation, requirements);
    return requirements;
  });
}

const requirementsOfOne = (operation: Operation): Requirement[] => [
  ...httpRequirements(operation),
  ...operation.parameters.map((parameter) => parameterRequirement(operation, parameter)),
  ...operation.rules.map((rule) => ruleRequirement(operation, rule)),
  ...nodesOf(operation).flatMap(nodeRequirements),
];

/** Whether a requirement is judged only on request (`FAIL_ON=undeclared`). */
export const isOptional = (requirement: Requirement) =>
  requirement.kind === 'rule' && 'declaredFields' in requirement.rule.check;

/** Addresses of what is read off a response before its body is. */
export const http = (operation: string) => ({
  status: `${operation}/http/status`,
  contentType: `${operation}/http/content-type`,
  json: `${operation}/http/json`,
});

/** Address of the requirement that a parameter is accepted. */
export const parameterAddress = (operation: string, name: string) => `${operation}/parameters/${name}`;

/** Address of a rule that holds for an operation. */
export const ruleAddress = (operation: string, { address }: Rule) => `${operation}/${address}`;

/** Pointer of the field that a rule is about, as its address says; undefined where it is about the response as a whole. */
export const fieldOfRule = ({ address }: Rule): string | undefined =>
  address.startsWith('rules/') ? undefined : `/${address.slice(0, address.lastIndexOf('/'))}`;

function httpRequirements({ id, status, mediaType, path, sources }: Operation): Requirement[] {
  const at = http(id);
  const shared = { operation: id, level: 'MUST', place: 'http' } as const;
  const rows = [
    ['status', at.status, `answers HTTP ${status} to GET ${path}`, sources.status],
    ['media-type', at.contentType, `answers ${mediaType}`, sources.mediaType],
    ['json', at.json, 'answers with a body that is JSON', sources.mediaType],
  ] as const;
  return rows.map(([kind, address, statement, source]) => ({ ...shared, kind, address, statement, source }));
}

function parameterRequirement({ id }: Operation, parameter: Parameter): Requirement {
  const values = expectation(parameter.schema).replace(/^one of /, '');
  return {
    kind: 'parameter',
    parameter,
    address: parameterAddress(id, parameter.name),
    operation: id,
    level: 'MUST',
    statement: `accepts ${parameter.schema.enum ? 'each' : 'a'} value of \`${parameter.name}\`: ${values}`,
    source: parameter['x-source'],
    place: 'request',
  };
}

function ruleRequirement({ id }: Operation, rule: Rule): Requirement {
  const { level, statement, source, check } = rule;
  const shared = { operation: id, level, statement, source, place: placeOf(check) };
  return { ...shared, kind: 'rule', rule, address: ruleAddress(id, rule) };
}

function placeOf(check: Check): string {
  if ('needs' in check || 'found' in check) return 'request';
  if ('pointer' in check) return check.pointer;
  if ('unique' in check) return check.unique;
  if ('constant' in check) return check.constant[0] ?? '';
  if ('same' in check) return check.same;
  return 'presentAs' in check ? check.presentAs : '';
}

/** Address of the requirement that a value is among those that occur. */
export const occurring = (operation: string, pointer: string) =>
  `${addressOf(operation, pointer)}/values-that-occur`;

function nodeRequirements(node: Node): Requirement[] {
  const { operation, pointer, name, schema, source } = node;
  const shared = { operation, source, place: pointer, node };
  const [address, statement] = [addressOf(operation, pointer), sentenceOf(node)];
  const promised: Requirement = { ...shared, kind: 'node', level: 'MUST', address, statement };
  const values = schema['x-values-that-occur'];
  if (!values) return [promised];
  const occurs = `\`${name}\` is a value that occurs: ${values.join(', ')}`;
  const should = {
    kind: 'occurring-values',
    address: occurring(operation, pointer),
    level: 'SHOULD',
  } as const;
  return [promised, { ...shared, ...should, statement: occurs }];
}
