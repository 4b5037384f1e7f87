import { describeExpectation } from './expectations.ts';
import { describeNode, formatAddress, listNodes, type Node } from './nodes.ts';
import type { Check, Contract, Operation, Parameter, Rule } from './types.ts';

/** Requirement of the contract. Its address is the tag of its test, its key in reports, and a filter on the command line. */
export type Requirement = RequirementText & RequirementSubject;

interface RequirementText {
  /** Stable address of the requirement, such as `getCard/data/card/expiration_date`. */
  address: string;
  /** Id of the operation, such as `getCard`. */
  operation: string;
  level: 'MUST' | 'SHOULD';
  /** Requirement as a sentence, such as "responds with HTTP 200 to GET /cards/{id}"; also the title of its test. */
  statement: string;
  /** Section of the contract that states the requirement, such as `4.1`. */
  source: string;
  /**
   * Place in a response that is judged: a JSON Pointer such as `/data/customers/*`, or an empty text for the whole body. `http`
   * stands for status, media type and JSON, `request` for the whole response to a certain request.
   */
  place: string;
}

/** Subject of a requirement: the HTTP response, a parameter, a rule of `spec/requirements.yaml`, or a schema node. */
type RequirementSubject =
  | { kind: 'status' | 'media-type' | 'json' }
  | { kind: 'parameter'; parameter: Parameter }
  | { kind: 'rule'; rule: Rule }
  | { kind: 'node' | 'occurring-values'; node: Node };

/** Cache of `listRequirements`, because `npm run dev:prove` needs the requirements of each operation thousands of times. */
const requirementsByOperation = new WeakMap<Operation, Requirement[]>();

/** Lists all requirements of the contract, operation by operation. Returns the same objects at each call. */
export function listRequirements({ operations }: Pick<Contract, 'operations'>): Requirement[] {
  return operations.flatMap((operation) => {
    const requirements = requirementsByOperation.get(operation) ?? deriveRequirements(operation);
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

/** Returns whether a requirement is the rule against undeclared fields, whose violations count only with `FAIL_ON=undeclared`. */
export const isDeclaredFieldsRule = (requirement: Requirement) =>
  requirement.kind === 'rule' && 'declaredFields' in requirement.rule.check;

/**
 * Returns the addresses of the three requirements that are judged before the body: `getCard/http/status`,
 * `getCard/http/content-type` and `getCard/http/json`.
 */
export const getHttpAddresses = (operation: string) => ({
  status: `${operation}/http/status`,
  contentType: `${operation}/http/content-type`,
  json: `${operation}/http/json`,
});

/** Returns the address of the requirement that a parameter is accepted, such as `listCustomers/parameters/limit`. */
export const formatParameterAddress = (operation: string, name: string) => `${operation}/parameters/${name}`;

/** Returns the address of a rule of `spec/requirements.yaml` for an operation, such as `getCard/rules/unique-keys`. */
export const formatRuleAddress = (operation: string, { address }: Rule) => `${operation}/${address}`;

/**
 * Returns the pointer of the field that a rule is about: `/data/card/id` for a rule with the address `data/card/id/NAME`. Undefined
 * for a rule about the whole response, whose address begins with `rules/`.
 */
export const getRulePointer = ({ address }: Rule): string | undefined =>
  address.startsWith('rules/') ? undefined : `/${address.slice(0, address.lastIndexOf('/'))}`;

function createHttpRequirements({ id, status, mediaType, path, sources }: Operation): Requirement[] {
  const addresses = getHttpAddresses(id);
  const commonFields = { operation: id, level: 'MUST', place: 'http' } as const;
  const rows = [
    ['status', addresses.status, `responds with HTTP ${status} to GET ${path}`, sources.status],
    ['media-type', addresses.contentType, `answers ${mediaType}`, sources.mediaType],
    ['json', addresses.json, 'answers with a body that is JSON', sources.mediaType],
  ] as const;
  return rows.map(([kind, address, statement, source]) => ({
    ...commonFields,
    kind,
    address,
    statement,
    source,
  }));
}

function createParameterRequirement({ id }: Operation, parameter: Parameter): Requirement {
  // "accepts each value of `type`: business, user" instead of "one of business, user".
  const values = describeExpectation(parameter.schema).replace(/^one of /, '');
  return {
    kind: 'parameter',
    parameter,
    address: formatParameterAddress(id, parameter.name),
    operation: id,
    level: 'MUST',
    statement: `accepts ${parameter.schema.enum ? 'each' : 'a'} value of \`${parameter.name}\`: ${values}`,
    source: parameter['x-source'],
    place: 'request',
  };
}

function createRuleRequirement({ id }: Operation, rule: Rule): Requirement {
  const { level, statement, source, check } = rule;
  const commonFields = { operation: id, level, statement, source, place: getCheckPlace(check) };
  return { ...commonFields, kind: 'rule', rule, address: formatRuleAddress(id, rule) };
}

/** Returns the place that the check of a rule judges: the pointer to its field, `request`, or an empty text for the whole body. */
function getCheckPlace(check: Check): string {
  if ('needs' in check || 'found' in check) return 'request';
  if ('pointer' in check) return check.pointer;
  if ('unique' in check) return check.unique;
  if ('constant' in check) return check.constant[0] ?? '';
  if ('same' in check) return check.same;
  return 'presentAs' in check ? check.presentAs : '';
}

/** Returns the address of the SHOULD that a value is one of `x-values-that-occur`: `getCard/…/period/values-that-occur`. */
export const formatOccurringValuesAddress = (operation: string, pointer: string) =>
  `${formatAddress(operation, pointer)}/values-that-occur`;

/**
 * Creates the requirement of a schema node, and a second one if the schema has `x-values-that-occur`. The second one is a SHOULD,
 * because contract section 2.3 only reports the values of `period` that occur.
 */
function createNodeRequirements(node: Node): Requirement[] {
  const { operation, pointer, name, schema, source } = node;
  const commonFields = { operation, source, place: pointer, node };
  const [address, statement] = [formatAddress(operation, pointer), describeNode(node)];
  const nodeRequirement: Requirement = { ...commonFields, kind: 'node', level: 'MUST', address, statement };
  const values = schema['x-values-that-occur'];
  if (!values) return [nodeRequirement];
  const occurringStatement = `\`${name}\` is a value that occurs: ${values.join(', ')}`;
  const occurringFields = {
    kind: 'occurring-values',
    address: formatOccurringValuesAddress(operation, pointer),
    level: 'SHOULD',
  } as const;
  return [nodeRequirement, { ...commonFields, ...occurringFields, statement: occurringStatement }];
}
