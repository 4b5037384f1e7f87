import type { Check, Listed, Operation, Relation } from '../../schemas/contract/contract.ts';
import { normalizeTime } from '../../schemas/contract/identifiers.ts';
import { findSchema } from '../../schemas/contract/nodes.ts';
import { formatRuleAddress } from '../../schemas/contract/requirements.ts';
import { compileValidator, isValid } from '../../schemas/contract/validators.ts';
import { getLastStep, getSiblingPointer } from '../../schemas/json.ts';

/**
 * Converts a received value to the form that is compared: RFC 3339 times are equal if they name the same moment. Undefined if the
 * value breaks its own schema.
 */
type ReadValue = (value: unknown) => unknown;

/**
 * Field that rules compare between two records with the same identifier, such as a listed record and the one that a lookup returns.
 */
export interface Field {
  /** JSON Pointer to the field in a body, with `*` for the element of a list; `http` for the presence of a looked-up record. */
  pointer: string;
  /** Property of the field that is compared: its value, its presence, or the presence of the whole record. */
  as: 'value' | 'presence' | 'record';
  read: ReadValue;
}

/**
 * Records of one operation that are identified by one key: those of a list by a field such as `uuid`, or that of a lookup by a
 * parameter such as `id`.
 */
export interface RecordView {
  operation: Operation;
  /** JSON Pointer to the identifiers in a list, or name of the lookup's parameter with the identifier, such as `id`. */
  key: string;
  isList: boolean;
  readKey: ReadValue;
  /** Fields that the rules compare, in the order of `ComparableRecord.values`. */
  fields: Field[];
  /** Rules that compare these records, in the order of `spec/requirements.yaml`. */
  rules: RelationRule[];
}

/**
 * Rule of `spec/requirements.yaml` that compares records of two views, a list (`first`) and a lookup (`second`), or records of one
 * view with each other (`first === second`).
 */
export interface RelationRule {
  /** Address of the requirement, such as `getCustomer/rules/same-as-listed`. */
  address: string;
  check: Relation;
  /** Operation that has the requirement: the lookup, if the rule compares a list with a lookup. */
  operation: Operation;
  /** Records of the list, if the rule compares a list with a lookup. */
  first: RecordView;
  second: RecordView;
  /** Compared fields, each as its index in `first.fields` and its index in `second.fields`. */
  pairs: [first: number, second: number][];
}

/** Creates the `RecordView`s of all operations, each with the rules that compare its records. */
export function createRecordViews(operations: Operation[]): RecordView[] {
  const views: RecordView[] = [];
  for (const operation of operations)
    for (const requirement of operation.rules) {
      const comparison = addComparison(requirement.check, operation, operations, views);
      if (!comparison) continue;
      const rule = { ...comparison, address: formatRuleAddress(operation.id, requirement), operation };
      for (const view of new Set([rule.first, rule.second])) view.rules.push(rule);
    }
  return views;
}

/**
 * Returns the views and fields that a check compares. Adds views and fields that do not exist yet to `views`. Undefined if the
 * check compares no responses.
 */
function addComparison(
  check: Check,
  operation: Operation,
  operations: Operation[],
  views: RecordView[],
): Omit<RelationRule, 'address' | 'operation'> | undefined {
  const compareWithItself = (view: RecordView, pointers: string[]) => {
    const fields = pointers.map((pointer) => getOrAddField(view, pointer, 'value'));
    return { first: view, second: view, pairs: fields.map((field): [number, number] => [field, field]) };
  };
  if ('unique' in check) {
    const pointer = getSiblingPointer(check.unique, check.named);
    return { check, ...compareWithItself(getOrAddView(views, operation, check.unique), [pointer]) };
  }
  if ('constant' in check)
    return { check, ...compareWithItself(getOrAddView(views, operation, check.parameter), check.constant) };
  if (!('listedBy' in check)) return undefined;
  const listOperation = operations.find(({ id }) => id === check.listedBy) as Operation;
  const first = getOrAddView(views, listOperation, check.key);
  const second = getOrAddView(views, operation, 'found' in check ? check.found : check.parameter);
  return { check, first, second, pairs: [pairFields(check, first, second)] };
}

/**
 * Adds the fields that a check between a list and a lookup compares to both views. Returns their indexes in `list.fields` and
 * `lookup.fields`.
 */
function pairFields(check: Listed, list: RecordView, lookup: RecordView): [number, number] {
  if ('found' in check)
    return [getOrAddField(list, check.key, 'record'), getOrAddField(lookup, 'http', 'record')];
  const as = 'same' in check ? 'value' : 'presence';
  const pointer = 'same' in check ? check.same : check.presentAs;
  return [
    getOrAddField(list, getSiblingPointer(check.key, getLastStep(pointer)), as),
    getOrAddField(lookup, pointer, as),
  ];
}

/** Returns the view of an operation and a key such as `id`; creates it in `views` if it is missing. */
function getOrAddView(views: RecordView[], operation: Operation, key: string): RecordView {
  const existing = views.find((view) => view.operation === operation && view.key === key);
  if (existing) return existing;
  const isList = key.startsWith('/');
  // The value of a parameter is text already.
  const readKey = isList ? createReader(operation, key) : String;
  const view = { operation, key, isList, readKey, fields: [], rules: [] };
  views.push(view);
  return view;
}

/** Returns the index of a field in the `fields` of a view; adds the field if it is missing. */
function getOrAddField({ operation, fields }: RecordView, pointer: string, as: Field['as']): number {
  const index = fields.findIndex((field) => field.pointer === pointer && field.as === as);
  if (index !== -1) return index;
  // The reader of a whole record is never called: only the presence of the record counts.
  const read = as === 'record' ? String : createReader(operation, pointer);
  fields.push({ pointer, as, read });
  return fields.length - 1;
}

/**
 * Creates the function that reads a field for comparison. It returns undefined for a value that breaks its own schema, because such
 * a value is a violation already.
 */
function createReader(operation: Operation, pointer: string): ReadValue {
  const schema = findSchema(operation, pointer);
  const validate = schema && compileValidator(schema);
  return (value) => {
    if (validate && !isValid(validate, value)) return undefined;
    const isTime = schema?.format === 'date-time' && typeof value === 'string';
    return isTime ? normalizeTime(value) : value;
  };
}
