import { getLastStep, getSiblingPointer, type JsonPointer } from '../json.ts';
import { checkFileSchema, createContractError, type SpecFile } from './files.ts';
import { findSchema, listKnownValues } from './nodes.ts';
import type { AnyCheck, Check, CheckOf, LookupCheck, Operation, Rule } from './types.ts';

/**
 * Sets of keys that the `check` of a rule may have. Each string lists the keys of one set in alphabetical order.
 * For example, the string `echoes pointer` allows the check `{ pointer: '/data/card/id', echoes: 'id' }`.
 */
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
 * Returns the rules of `requirements.yaml`. Adds the line number to each rule.
 * @param operations operations of `openapi.yaml`. Rules may name only parameters and fields of these operations.
 * @throws {ContractError} at the first mistake, such as a rule for an unknown operation
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
  const operationsOfRule = operations.filter((operation) => appliesTo(rule, operation));
  for (const operation of operationsOfRule) {
    const missingName = describeMissingName(rule.check, operation, operations);
    if (missingName) return { key: 'check', message: `${missingName}; correct the name` };
    const earlierRulesOfOperation = selectRules(operation, earlierRules);
    const isTaken = earlierRulesOfOperation.some(({ address }) => address === rule.address);
    if (isTaken) return { key: 'address', message: `${operation.id} has it already; choose another address` };
  }
  return undefined;
}

function describeUnknownCheck(check: Check): string | undefined {
  const checkKeys = Object.keys(check).sort().join(' ');
  if (allowedCheckKeys.includes(checkKeys)) return undefined;
  return `a check of "${checkKeys}" is unknown; use one of ${allowedCheckKeys.join(', ')}`;
}

function describeMissingName(
  check: Check,
  operation: Operation,
  operations: Operation[],
): string | undefined {
  const missingNames = [
    describeMissingParameter(operation, listParameters(check)),
    describeMissingField(operation, listPointersIntoBody(check)),
    'presentWith' in check ? describeMissingValue(operation, check) : undefined,
    'listedBy' in check ? describeMissingInList(check, operations) : undefined,
  ];
  return missingNames.find((description) => description !== undefined);
}

function listParameters({ echoes, needs, found, parameter, when = {} }: AnyCheck): string[] {
  const names = [echoes, needs, found, parameter, ...Object.keys(when)];
  return names.filter((name) => name !== undefined);
}

function listPointersIntoBody(check: Check): JsonPointer[] {
  // Without `key`, which points into the body of the list operation.
  const { pointer, unique, constant = [], same, presentAs }: AnyCheck = check;
  const pointers = [pointer, unique, ...listSiblingFields(check), ...constant, same, presentAs];
  return pointers.filter((fieldPointer) => fieldPointer !== undefined);
}

function listSiblingFields(check: Check): JsonPointer[] {
  // `named` and the keys of `presentWith` are names of fields in the same object.
  if ('unique' in check) return [getSiblingPointer(check.unique, check.named)];
  if ('presentWith' in check)
    return Object.keys(check.presentWith).map((name) => getSiblingPointer(check.pointer, name));
  return [];
}

function describeMissingParameter(operation: Operation, names: string[]): string | undefined {
  const declaredNames = operation.parameters.map(({ name }) => name);
  const missingName = names.find((name) => !declaredNames.includes(name));
  return missingName && `${operation.id} has no parameter ${missingName}`;
}

function describeMissingField(operation: Operation, pointers: JsonPointer[]): string | undefined {
  const missingPointer = pointers.find((pointer) => !findSchema(operation, pointer));
  return missingPointer && `${operation.id} has no field ${missingPointer}`;
}

function describeMissingValue(
  operation: Operation,
  { pointer, presentWith }: CheckOf<'presentWith'>,
): string | undefined {
  for (const [siblingName, value] of Object.entries(presentWith)) {
    const siblingPointer = getSiblingPointer(pointer, siblingName);
    const knownValues = listKnownValues(findSchema(operation, siblingPointer) ?? {});
    if (!knownValues.includes(value)) return `${operation.id} has no value ${value} of ${siblingPointer}`;
  }
  return undefined;
}

function describeMissingInList(check: LookupCheck, operations: Operation[]): string | undefined {
  const { listedBy, key } = check;
  const listOperation = operations.find(({ id }) => id === listedBy);
  if (!listOperation) return `there is no operation ${listedBy}`;
  // A check has at most one of these two. A check with `found` compares no field.
  const { same, presentAs }: AnyCheck = check;
  const comparedField = same ?? presentAs;
  if (comparedField === undefined) return describeMissingField(listOperation, [key]);
  // In the list, the compared field stands beside the key. Its name is the same as in the lookup.
  const fieldInList = getSiblingPointer(key, getLastStep(comparedField));
  return describeMissingField(listOperation, [key, fieldInList]);
}
