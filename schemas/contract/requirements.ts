import type { JsonPointer } from '../json.ts';
import { describeExpectation } from './expectations.ts';
import { describeNode, formatAddress, listNodes, type Node } from './nodes.ts';
import type {
  Check,
  Contract,
  ContractSection,
  Operation,
  Parameter,
  RequirementAddress,
  Rule,
} from './types.ts';

/** One requirement of the contract, which has a test of its own. */
export type Requirement = RequirementSubject & {
  address: RequirementAddress;
  operation: string;
  level: 'MUST' | 'SHOULD';
  /** Requirement in words, such as "responds with HTTP 200 to GET /cards/{id}"; the title of the test. */
  statement: string;
  source: ContractSection;
  /**
   * JSON Pointer to the judged value, such as `/data/customers/*`; empty for the whole body. `http` for status, media type and
   * JSON syntax. `request` for a rule about how the target must treat a request.
   */
  pointer: string;
};

/** Subject of a requirement. `node`: a value is valid. `occurring-values`: a value is one of `x-values-that-occur`. */
type RequirementSubject =
  | { kind: 'status' | 'media-type' | 'json' }
  | { kind: 'parameter'; parameter: Parameter }
  | { kind: 'rule'; rule: Rule }
  | { kind: 'node' | 'occurring-values'; node: Node };

/** Cache of `listRequirements`. The command `npm run dev:prove`, which plants faults, calls it thousands of times. */
const requirementsByOperation = new WeakMap<Operation, Requirement[]>();

/** Lists the requirements of all operations. Returns the same objects at each call. */
export function listRequirements({ operations }: Pick<Contract, 'operations'>): Requirement[] {
  return operations.flatMap((operation) => {
    const cachedRequirements = requirementsByOperation.get(operation);
    if (cachedRequirements) return cachedRequirements;
    const requirements = deriveRequirements(operation);
    requirementsByOperation.set(operation, requirements);
    return requirements;
  });
}

const deriveRequirements = (operation: Operation): Requirement[] => [
  ...createHttpRequirements(operation),
  ...operation.parameters.map((parameter) => createParameterRequirement(operation, parameter)),
  ...operation.rules.map((rule) => createRuleRequirement(operation, rule)),
  ...listNodes(operation).flatMap(createNodeRequirements),
];

/** Returns whether a requirement forbids undeclared fields, which fail a run only with `FAIL_ON=undeclared`. */
export const isDeclaredFieldsRule = (requirement: Requirement) =>
  requirement.kind === 'rule' && 'declaredFields' in requirement.rule.check;

export const getHttpAddresses = (operation: string) => ({
  status: `${operation}/http/status`,
  contentType: `${operation}/http/content-type`,
  json: `${operation}/http/json`,
});

export const formatParameterAddress = (operation: string, name: string): RequirementAddress =>
  `${operation}/parameters/${name}`;

export const formatRuleAddress = (operation: string, { address }: Rule): RequirementAddress =>
  `${operation}/${address}`;

/** Returns the JSON Pointer in the address of a rule: `/data/a` for `data/a/present-with-b`; undefined for `rules/unique-keys`. */
export const getRulePointer = ({ address }: Rule): JsonPointer | undefined =>
  address.startsWith('rules/') ? undefined : `/${address.slice(0, address.lastIndexOf('/'))}`;

function createHttpRequirements({ id, status, mediaType, path, sources }: Operation): Requirement[] {
  const addresses = getHttpAddresses(id);
  const create = (
    kind: 'status' | 'media-type' | 'json',
    address: RequirementAddress,
    statement: string,
    source: ContractSection,
  ) => ({ operation: id, level: 'MUST', pointer: 'http', kind, address, statement, source }) as const;
  return [
    create('status', addresses.status, `responds with HTTP ${status} to GET ${path}`, sources.status),
    create('media-type', addresses.contentType, `responds with ${mediaType}`, sources.mediaType),
    create('json', addresses.json, 'responds with a body that is JSON', sources.mediaType),
  ];
}

function createParameterRequirement({ id }: Operation, parameter: Parameter): Requirement {
  const { name, schema } = parameter;
  // "accepts each value of `type`: business, user" without the words "one of" before the values.
  const values = describeExpectation(schema).replace(/^one of /, '');
  return {
    kind: 'parameter',
    parameter,
    address: formatParameterAddress(id, name),
    operation: id,
    level: 'MUST',
    statement: `accepts ${schema.enum ? 'each' : 'a'} value of \`${name}\`: ${values}`,
    source: parameter['x-source'],
    pointer: 'request',
  };
}

function createRuleRequirement({ id }: Operation, rule: Rule): Requirement {
  const { level, statement, source, check } = rule;
  const commonFields = { operation: id, level, statement, source, pointer: getJudgedPointer(check) };
  return { ...commonFields, kind: 'rule', rule, address: formatRuleAddress(id, rule) };
}

/** Returns `Requirement.pointer` for a check. A `constant` check has several pointers: returns the first. */
function getJudgedPointer(check: Check): string {
  if ('needs' in check || 'found' in check) return 'request';
  if ('pointer' in check) return check.pointer;
  if ('unique' in check) return check.unique;
  if ('constant' in check) return check.constant[0] ?? '';
  if ('same' in check) return check.same;
  return 'presentAs' in check ? check.presentAs : '';
}

export const formatOccurringValuesAddress = (operation: string, pointer: JsonPointer): RequirementAddress =>
  `${formatAddress(operation, pointer)}/values-that-occur`;

/**
 * Creates the requirement (MUST) that the value at a schema node is valid. If its schema has `x-values-that-occur`, adds the
 * requirement (SHOULD) that the value is one of these. Not MUST: the contract does not call the list complete (2.3: `period`).
 */
function createNodeRequirements(node: Node): Requirement[] {
  const { operation, pointer, name, schema, source } = node;
  const commonFields = { operation, source, pointer, node };
  const validValue: Requirement = {
    ...commonFields,
    kind: 'node',
    level: 'MUST',
    address: formatAddress(operation, pointer),
    statement: describeNode(node),
  };
  const values = schema['x-values-that-occur'];
  if (!values) return [validValue];
  const occurringValue: Requirement = {
    ...commonFields,
    kind: 'occurring-values',
    level: 'SHOULD',
    address: formatOccurringValuesAddress(operation, pointer),
    statement: `\`${name}\` is a value that occurs: ${values.join(', ')}`,
  };
  return [validValue, occurringValue];
}
