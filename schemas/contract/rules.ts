import { getLastStep, getSiblingPointer, type JsonPointer } from '../json.ts';
import { checkFileSchema, createContractError, type SpecFile } from './files.ts';
import { findSchema, listKnownValues } from './nodes.ts';
import type { Check, LookupCheck, Operation, Rule } from './types.ts';

/** Allowed combinations of keys in the `check` of a rule. A combination lists its keys in alphabetical order. */
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
 * Checks the rules of `requirements.yaml`, and adds `line` to each one.
 * @throws {ContractError} at the first mistake, because a rule that names a field wrongly would never be judged.
 */
export function readRules(file: SpecFile, operations: Operation[]): Rule[] {
  checkFileSchema(file, 'requirements');
  const writtenRules = file.value as Omit<Rule, 'line'>[];
  const rules = writtenRules.map((rule, index) => ({ ...rule, line: file.getLine([index]) }));
  for (const [index, rule] of rules.entries()) {
    const mistake = findMistake(rule, operations, rules.slice(0, index));
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
  const unknownOperation = rule.operations?.find((name) => !operations.some(({ id }) => id === name));
  if (unknownOperation)
    return { key: 'operations', message: `there is no operation ${unknownOperation}; correct the name` };
  const unknownCheck = describeUnknownCheck(rule.check);
  if (unknownCheck) return { key: 'check', message: unknownCheck };
  for (const operation of operations.filter((candidate) => appliesTo(rule, candidate))) {
    const missingName = describeMissingName(rule.check, operation, operations);
    if (missingName) return { key: 'check', message: `${missingName}; correct the name` };
    const isTaken = selectRules(operation, earlierRules).some(({ address }) => address === rule.address);
    if (isTaken) return { key: 'address', message: `${operation.id} has it already; choose another address` };
  }
  return undefined;
}

function describeUnknownCheck(check: Check): string | undefined {
  const checkKeys = Object.keys(check).sort().join(' ');
  const isAllowed = allowedCheckKeys.includes(checkKeys);
  return isAllowed
    ? undefined
    : `a check of "${checkKeys}" is unknown; use one of ${allowedCheckKeys.join(', ')}`;
}

/** Names in a check that `openapi.yaml` must have. `parameters`, `fields` and `values` belong to the operation with the rule. */
interface ReferencedNames {
  parameters?: string[];
  fields?: JsonPointer[];
  /** Values with which the check compares fields, such as `CreditCard`, keyed by the pointer of the field. */
  values?: Record<JsonPointer, string>;
  /** Only for a `LookupCheck`: id of its list operation, and fields that the schema of that list must have. */
  list?: { operationId: string; fields: JsonPointer[] };
}

/** Describes the first name in a check that `openapi.yaml` lacks: "getCard has no field /data/card/foo". */
function describeMissingName(
  check: Check,
  operation: Operation,
  operations: Operation[],
): string | undefined {
  const { parameters = [], fields = [], values = {}, list } = collectReferencedNames(check);
  const missingParameter = parameters.find(
    (name) => !operation.parameters.some((parameter) => parameter.name === name),
  );
  if (missingParameter) return `${operation.id} has no parameter ${missingParameter}`;
  const missingField = describeMissingField(operation, fields);
  if (missingField) return missingField;
  for (const [pointer, value] of Object.entries(values)) {
    const knownValues = listKnownValues(findSchema(operation, pointer) ?? {});
    if (!knownValues.includes(value)) return `${operation.id} has no value ${value} of ${pointer}`;
  }
  if (!list) return undefined;
  const listOperation = operations.find(({ id }) => id === list.operationId);
  if (!listOperation) return `there is no operation ${list.operationId}`;
  return describeMissingField(listOperation, list.fields);
}

function describeMissingField(operation: Operation, pointers: JsonPointer[]): string | undefined {
  const missingPointer = pointers.find((pointer) => !findSchema(operation, pointer));
  return missingPointer && `${operation.id} has no field ${missingPointer}`;
}

function collectReferencedNames(check: Check): ReferencedNames {
  if ('echoes' in check)
    return { parameters: [check.echoes, ...Object.keys(check.when ?? {})], fields: [check.pointer] };
  if ('needs' in check) return { parameters: [check.needs, ...Object.keys(check.when)] };
  if ('presentWith' in check) {
    const values: Record<string, string> = {};
    for (const [name, value] of Object.entries(check.presentWith))
      values[getSiblingPointer(check.pointer, name)] = value;
    return { fields: [check.pointer, ...Object.keys(values)], values };
  }
  if ('unique' in check) return { fields: [check.unique, getSiblingPointer(check.unique, check.named)] };
  if ('constant' in check) return { parameters: [check.parameter], fields: check.constant };
  return 'listedBy' in check ? collectLookupNames(check) : {};
}

function collectLookupNames(check: LookupCheck): ReferencedNames {
  const { listedBy: operationId, key } = check;
  if ('found' in check) return { parameters: [check.found], list: { operationId, fields: [key] } };
  const field = 'same' in check ? check.same : check.presentAs;
  // The list has the compared field beside the key, under the same name as in the lookup response.
  const fieldInList = getSiblingPointer(key, getLastStep(field));
  return {
    parameters: [check.parameter],
    fields: [field],
    list: { operationId, fields: [key, fieldInList] },
  };
}
