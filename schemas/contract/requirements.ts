import type { JsonPointer } from '../json.ts';
import { describeExpectation } from './expectations.ts';
import { describeNode, formatAddress, listNodes, type Node } from './nodes.ts';
import type {
  AnyCheck,
  Check,
  Contract,
  ContractSection,
  Operation,
  Parameter,
  RequirementAddress,
  Rule,
} from './types.ts';

/** Requirement of the contract. Each requirement that a run judges has its own test. */
export type Requirement = RequirementSubject & {
  address: RequirementAddress;
  operation: string;
  level: 'MUST' | 'SHOULD';
  /** Title of the test for this requirement, such as "responds with HTTP 200 to GET /cards/{id}". */
  statement: string;
  source: ContractSection;
  /**
   * Part of the request or response that is judged. `http` means the status, the media type or the JSON syntax.
   * `request` means that the target must accept or reject certain requests.
   * Any other value is a JSON Pointer into the body, such as `/data/customers/*`. The pointer of the whole body is ''.
   */
  pointer: string;
};

/** Kind of a requirement, with the part of the contract from which the requirement is derived. */
type RequirementSubject =
  | { kind: 'status' | 'media-type' | 'json' }
  /** The target accepts the values of a parameter. */
  | { kind: 'parameter'; parameter: Parameter }
  | { kind: 'rule'; rule: Rule }
  /** A value conforms to its schema. */
  | { kind: 'node'; node: Node }
  /** A value is one of `x-values-that-occur`. */
  | { kind: 'occurring-values'; node: Node };

/** Requirements that `listRequirements` has already derived. Some commands call `listRequirements` thousands of times. */
const requirementsByOperation = new WeakMap<Operation, Requirement[]>();

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

/**
 * Returns the JSON Pointer of the field that the address of a rule names.
 * For the address `data/card/id/present-with-type`, the pointer is `/data/card/id`.
 * Returns undefined for an address such as `rules/unique-keys`, which names no field.
 */
export function getRulePointer({ address }: Rule): JsonPointer | undefined {
  if (address.startsWith('rules/')) return undefined;
  const addressWithoutName = address.slice(0, address.lastIndexOf('/'));
  return `/${addressWithoutName}`;
}

function createHttpRequirements({ id, status, mediaType, path, sources }: Operation): Requirement[] {
  const addresses = getHttpAddresses(id);
  const commonFields = { operation: id, level: 'MUST', pointer: 'http' } as const;
  return [
    {
      ...commonFields,
      kind: 'status',
      address: addresses.status,
      statement: `responds with HTTP ${status} to GET ${path}`,
      source: sources.status,
    },
    {
      ...commonFields,
      kind: 'media-type',
      address: addresses.contentType,
      statement: `responds with ${mediaType}`,
      source: sources.mediaType,
    },
    {
      ...commonFields,
      kind: 'json',
      address: addresses.json,
      statement: 'responds with a body that is JSON',
      source: sources.mediaType,
    },
  ];
}

function createParameterRequirement({ id }: Operation, parameter: Parameter): Requirement {
  const { name, schema } = parameter;
  const eachOrAny = schema.enum ? 'each' : 'a';
  // "business, user" instead of "one of business, user".
  const values = describeExpectation(schema).replace(/^one of /, '');
  return {
    kind: 'parameter',
    parameter,
    address: formatParameterAddress(id, name),
    operation: id,
    level: 'MUST',
    statement: `accepts ${eachOrAny} value of \`${name}\`: ${values}`,
    source: parameter['x-source'],
    pointer: 'request',
  };
}

function createRuleRequirement({ id }: Operation, rule: Rule): Requirement {
  const { level, statement, source, check } = rule;
  const commonFields = { operation: id, level, statement, source, pointer: getJudgedPointer(check) };
  return { ...commonFields, kind: 'rule', rule, address: formatRuleAddress(id, rule) };
}

function getJudgedPointer(check: Check): string {
  const { needs, found, pointer, unique, constant, same, presentAs }: AnyCheck = check;
  const isAboutRequest = needs !== undefined || found !== undefined;
  if (isAboutRequest) return 'request';
  // The first of several pointers in `constant`. A check without a pointer is about the whole body.
  return pointer ?? unique ?? constant?.[0] ?? same ?? presentAs ?? '';
}

export const formatOccurringValuesAddress = (operation: string, pointer: JsonPointer): RequirementAddress =>
  `${formatAddress(operation, pointer)}/values-that-occur`;

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
  // No MUST, because the contract does not say that the list of values is complete (contract 2.3: `period`).
  const occurringValue: Requirement = {
    ...commonFields,
    kind: 'occurring-values',
    level: 'SHOULD',
    address: formatOccurringValuesAddress(operation, pointer),
    statement: `\`${name}\` is a value that occurs: ${values.join(', ')}`,
  };
  return [validValue, occurringValue];
}
