import { getLastStep, getSiblingPointer, type JsonPointer } from '../json.ts';
import { checkFileSchema, createContractError, type SpecFile } from './files.ts';
import { findSchema, listKnownValues } from './nodes.ts';
import type { Check, CheckOf, LookupCheck, Operation, Rule } from './types.ts';

/** Keys that each kind of `check` has, in alphabetical order: `echoes pointer` for `{ echoes: id, pointer: /data/card/id }`. */
const allowedCheckKeys = [
  'uniqueKeys',
  'finiteNumbers',
  'declaredFields',
  'echoes pointer',
  'echoes pointer when',
  'pointer presentWith',
  'needs when',
  'named unique',
  'found key listedBy',
  'key listedBy parameter same',
  'key listedBy parameter presentAs',
  'constant parameter',
];

/**
 * Checks the rules of `requirements.yaml`, and returns each rule with its line.
 * @throws {ContractError} at the first mistake, such as a field that `openapi.yaml` does not declare
 */
export function readRules(file: SpecFile, operations: Operation[]): Rule[] {
  checkFileSchema(file, 'requirements');
  const writtenRules = file.value as Omit<Rule, 'line'>[];
  const rules = writtenRules.map((rule, index) => ({ ...rule, line: file.getLine([index]) }));
  for (const [index, rule] of rules.entries()) {
    const earlierRules = rules.slice(0, index);
    const mistake = findMistake(rule, operations, earlierRules);
    if (mistake) throw createContractError(file, [index, mistake.key], `${rule.address}: ${mistake.message}`);
  }
  return rules;
}

export const selectRules = (operation: Operation, rules: Rule[]): Rule[] =>
  rules.filter((rule) => appliesTo(rule, operation));

const appliesTo = ({ operations: ids }: Rule, { id }: Operation): boolean =>
  ids === undefined || ids.includes(id);

interface RuleMistake {
  key: keyof Rule;
  message: string;
}

function findMistake(rule: Rule, operations: Operation[], earlierRules: Rule[]): RuleMistake | undefined {
  const operationIds = operations.map(({ id }) => id);
  const unknownOperation = rule.operations?.find((id) => !operationIds.includes(id));
  if (unknownOperation)
    return { key: 'operations', message: `there is no operation ${unknownOperation}; correct the name` };
  const unknownCheck = describeUnknownCheck(rule.check);
  if (unknownCheck) return { key: 'check', message: unknownCheck };
  for (const operation of selectOperations(rule, operations)) {
    const missingName = describeMissingName(rule.check, operation, operations);
    if (missingName) return { key: 'check', message: `${missingName}; correct the name` };
    const earlierRulesOfOperation = selectRules(operation, earlierRules);
    const isTaken = earlierRulesOfOperation.some(({ address }) => address === rule.address);
    if (isTaken) return { key: 'address', message: `${operation.id} has it already; choose another address` };
  }
  return undefined;
}

const selectOperations = (rule: Rule, operations: Operation[]): Operation[] =>
  operations.filter((operation) => appliesTo(rule, operation));

function describeUnknownCheck(check: Check): string | undefined {
  const checkKeys = Object.keys(check).sort().join(' ');
  if (allowedCheckKeys.includes(checkKeys)) return undefined;
  return `a check of "${checkKeys}" is unknown; use one of ${allowedCheckKeys.join(', ')}`;
}

/** Names that a check uses. `openapi.yaml` must declare each of them. */
interface ReferencedNames {
  /** Parameters of the operation to which the rule applies. */
  parameters?: string[];
  /** Fields in the body of that operation. */
  fields?: JsonPointer[];
  /** Values with which the check compares fields: `{ '/data/card/type': 'Virtual' }`. */
  values?: Record<JsonPointer, string>;
  /** Id of the operation in `listedBy` of a `LookupCheck`, and fields in the body of that operation. */
  list?: { operationId: string; fields: JsonPointer[] };
}

/** Describes the first name in a check that `openapi.yaml` does not declare: "getCard has no field /data/card/foo". */
function describeMissingName(
  check: Check,
  operation: Operation,
  operations: Operation[],
): string | undefined {
  const { parameters = [], fields = [], values = {}, list } = collectReferencedNames(check);
  const missingNames = [
    describeMissingParameter(operation, parameters),
    describeMissingField(operation, fields),
    describeMissingValue(operation, values),
    list && describeMissingListName(list, operations),
  ];
  return missingNames.find((description) => description !== undefined);
}

function describeMissingParameter(operation: Operation, names: string[]): string | undefined {
  const declaredNames = operation.parameters.map(({ name }) => name);
  const missingName = names.find((name) => !declaredNames.includes(name));
  return missingName && `${operation.id} has no parameter ${missingName}`;
}

function describeMissingValue(
  operation: Operation,
  valueByPointer: Record<JsonPointer, string>,
): string | undefined {
  for (const [pointer, value] of Object.entries(valueByPointer)) {
    const knownValues = listKnownValues(findSchema(operation, pointer) ?? {});
    if (!knownValues.includes(value)) return `${operation.id} has no value ${value} of ${pointer}`;
  }
  return undefined;
}

function describeMissingListName(
  { operationId, fields }: { operationId: string; fields: JsonPointer[] },
  operations: Operation[],
): string | undefined {
  const listOperation = operations.find(({ id }) => id === operationId);
  if (!listOperation) return `there is no operation ${operationId}`;
  return describeMissingField(listOperation, fields);
}

function describeMissingField(operation: Operation, pointers: JsonPointer[]): string | undefined {
  const missingPointer = pointers.find((pointer) => !findSchema(operation, pointer));
  return missingPointer && `${operation.id} has no field ${missingPointer}`;
}

function collectReferencedNames(check: Check): ReferencedNames {
  if ('echoes' in check) {
    const parametersInWhen = Object.keys(check.when ?? {});
    return { parameters: [check.echoes, ...parametersInWhen], fields: [check.pointer] };
  }
  if ('needs' in check) {
    const parametersInWhen = Object.keys(check.when);
    return { parameters: [check.needs, ...parametersInWhen] };
  }
  if ('unique' in check) {
    const namedField = getSiblingPointer(check.unique, check.named);
    return { fields: [check.unique, namedField] };
  }
  if ('constant' in check) return { parameters: [check.parameter], fields: check.constant };
  if ('presentWith' in check) return collectPresenceNames(check);
  if ('listedBy' in check) return collectLookupNames(check);
  return {};
}

function collectPresenceNames({ pointer, presentWith }: CheckOf<'presentWith'>): ReferencedNames {
  const values: Record<JsonPointer, string> = {};
  for (const [siblingName, value] of Object.entries(presentWith)) {
    const siblingPointer = getSiblingPointer(pointer, siblingName);
    values[siblingPointer] = value;
  }
  return { fields: [pointer, ...Object.keys(values)], values };
}

function collectLookupNames(check: LookupCheck): ReferencedNames {
  const { listedBy: operationId, key } = check;
  if ('found' in check) return { parameters: [check.found], list: { operationId, fields: [key] } };
  const field = 'same' in check ? check.same : check.presentAs;
  // In the list, the compared field stands beside the key. Its name is the same as in the lookup.
  const fieldInList = getSiblingPointer(key, getLastStep(field));
  return {
    parameters: [check.parameter],
    fields: [field],
    list: { operationId, fields: [key, fieldInList] },
  };
}
