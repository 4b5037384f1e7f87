import { getLastStep, getSiblingPointer } from '../json.ts';
import { checkFileSchema, createContractError, type SpecFile, type Step } from './files.ts';
import { findSchema, listKnownValues } from './nodes.ts';
import type { Check, Operation, Rule } from './types.ts';

/**
 * Kinds of checks that a rule may have, each as its sorted keys joined by spaces. A check with any other combination of keys is a
 * mistake.
 */
const checkKinds = [
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
 * Reads the rules of `requirements.yaml`, and adds their lines. @throws {ContractError} at the first mistake, because a rule with a
 * mistake would judge nothing.
 */
export function readRules(file: SpecFile, operations: Operation[]): Rule[] {
  checkFileSchema(file, 'requirements');
  const writtenRules = file.value as Omit<Rule, 'line'>[];
  const rules = writtenRules.map((rule, index) => ({ ...rule, line: file.lineOf([index]) }));
  for (const [index, rule] of rules.entries()) {
    const mistake = findMistake(rule, operations, rules.slice(0, index));
    if (mistake)
      throw createContractError(file, [index, ...mistake.steps], `${rule.address}: ${mistake.message}`);
  }
  return rules;
}

/** Selects the rules that hold for an operation. A rule without `operations` holds for all. */
export const selectRules = ({ id }: Operation, rules: Rule[]): Rule[] =>
  rules.filter(({ operations }) => !operations || operations.includes(id));

/**
 * Finds the first mistake of a rule, with the key where it is: an unknown operation, an unknown kind of check, a name that the
 * contract lacks, or an address that an earlier rule of the same operation has. Undefined if the rule has none.
 */
function findMistake(
  rule: Rule,
  operations: Operation[],
  earlierRules: Rule[],
): { steps: Step[]; message: string } | undefined {
  const unknownOperation = rule.operations?.find((name) => !operations.some(({ id }) => id === name));
  if (unknownOperation)
    return { steps: ['operations'], message: `there is no operation ${unknownOperation}; correct the name` };
  const keys = Object.keys(rule.check).sort().join(' ');
  if (!checkKinds.includes(keys))
    return {
      steps: ['check'],
      message: `a check of "${keys}" is unknown; use one of ${checkKinds.join(', ')}`,
    };
  for (const operation of operations.filter((candidate) => selectRules(candidate, [rule]).length > 0)) {
    const missingName = findMissingName(rule.check, operation, operations);
    if (missingName) return { steps: ['check'], message: `${missingName}; correct the name` };
    if (selectRules(operation, earlierRules).some(({ address }) => address === rule.address))
      return { steps: ['address'], message: `${operation.id} has it already; choose another address` };
  }
  return undefined;
}

/** Names in the check of a rule, such as of fields and parameters, that must exist in `openapi.yaml`. */
interface NamedPlaces {
  parameters?: string[];
  /** JSON Pointers to fields in the response of the operation, such as `/data/card/id`. */
  fields?: string[];
  /** Documented value that the check names, such as `CreditCard`, keyed by the JSON Pointer of its field. */
  values?: Record<string, string>;
  /** Id of the list operation that `listedBy` names, such as `listCustomers`, and JSON Pointers to fields of its response. */
  listReference?: { operation: string; fields: string[] };
}

/**
 * Finds the first name in a check that the contract lacks, and returns a message: `getCard has no field /data/card/foo`. Undefined
 * if the contract has all of them.
 */
function findMissingName(check: Check, operation: Operation, operations: Operation[]): string | undefined {
  const { parameters = [], fields = [], values = {}, listReference } = collectNames(check);
  const missingParameter = parameters.find(
    (name) => !operation.parameters.some((parameter) => parameter.name === name),
  );
  if (missingParameter) return `${operation.id} has no parameter ${missingParameter}`;
  const missingField = fields.find((pointer) => !findSchema(operation, pointer));
  if (missingField) return `${operation.id} has no field ${missingField}`;
  const [valuePointer, value] =
    Object.entries(values).find(
      ([pointer, expected]) => !listKnownValues(findSchema(operation, pointer) ?? {}).includes(expected),
    ) ?? [];
  if (valuePointer) return `${operation.id} has no value ${value} of ${valuePointer}`;
  const list = operations.find(({ id }) => id === listReference?.operation);
  if (listReference && !list) return `there is no operation ${listReference.operation}`;
  const missingListField = list && listReference?.fields.find((pointer) => !findSchema(list, pointer));
  return missingListField && `${list?.id} has no field ${missingListField}`;
}

function collectNames(check: Check): NamedPlaces {
  if ('echoes' in check)
    return { parameters: [check.echoes, ...Object.keys(check.when ?? {})], fields: [check.pointer] };
  if ('needs' in check) return { parameters: [check.needs, ...Object.keys(check.when)] };
  if ('presentWith' in check) {
    const conditions = Object.entries(check.presentWith);
    const values = Object.fromEntries(
      conditions.map(([name, value]) => [getSiblingPointer(check.pointer, name), value]),
    );
    return { fields: [check.pointer, ...Object.keys(values)], values };
  }
  if ('unique' in check) return { fields: [check.unique, getSiblingPointer(check.unique, check.named)] };
  if ('constant' in check) return { parameters: [check.parameter], fields: check.constant };
  if (!('listedBy' in check)) return {};
  const { listedBy: operation, key } = check;
  // The list must have the key, and beside the key the field that is compared with the lookup.
  if ('found' in check) return { parameters: [check.found], listReference: { operation, fields: [key] } };
  const field = 'same' in check ? check.same : check.presentAs;
  const fields = [key, getSiblingPointer(key, getLastStep(field))];
  return { parameters: [check.parameter], fields: [field], listReference: { operation, fields } };
}
