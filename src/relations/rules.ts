import type { Check, LookupCheck, Operation, Relation } from '../../schemas/contract/contract.ts';
import { normalizeTime } from '../../schemas/contract/identifiers.ts';
import { findSchema } from '../../schemas/contract/nodes.ts';
import { formatRuleAddress } from '../../schemas/contract/requirements.ts';
import { compileValidator, isValid } from '../../schemas/contract/validators.ts';
import { getLastStep, getSiblingPointer } from '../../schemas/json.ts';

/**
 * Converts a value for comparison, so that RFC 3339 times of one moment are equal. Undefined if the value breaks its own schema.
 */
type ReadValue = (value: unknown) => unknown;

export interface Field {
  /** JSON Pointer with `*` for the element of a list; `http` for the presence of a looked-up record. */
  pointer: string;
  as: 'value' | 'presence' | 'record';
  read: ReadValue;
}

/** Records of one operation, identified by a field of a list such as `uuid`, or by a parameter of a lookup such as `id`. */
export interface RecordView {
  operation: Operation;
  /** JSON Pointer to the identifiers in a list, or parameter of a lookup, such as `id`. */
  key: string;
  isList: boolean;
  readKey: ReadValue;
  /** Fields that the rules compare, in the order of `ComparableRecord.values`. */
  fields: Field[];
  rules: RelationRule[];
}

/**
 * Rule of `spec/requirements.yaml` that compares a list (`first`) with a lookup (`second`), or records of one view with each other
 * (`first === second`).
 */
export interface RelationRule {
  address: string;
  check: Relation;
  /** Operation that has the requirement: the lookup, for a rule between a list and a lookup. */
  operation: Operation;
  first: RecordView;
  second: RecordView;
  /** Compared fields, each as its index in `first.fields` and in `second.fields`. */
  pairs: [first: number, second: number][];
}

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

/** Returns what a check compares, and adds missing views to `views`. Undefined if the check compares no responses. */
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

/** Adds the fields that a check compares to both views. Returns their indexes in `list.fields` and `lookup.fields`. */
function pairFields(check: LookupCheck, list: RecordView, lookup: RecordView): [number, number] {
  if ('found' in check)
    return [getOrAddField(list, check.key, 'record'), getOrAddField(lookup, 'http', 'record')];
  const as = 'same' in check ? 'value' : 'presence';
  const pointer = 'same' in check ? check.same : check.presentAs;
  return [
    getOrAddField(list, getSiblingPointer(check.key, getLastStep(pointer)), as),
    getOrAddField(lookup, pointer, as),
  ];
}

function getOrAddView(views: RecordView[], operation: Operation, key: string): RecordView {
  const existing = views.find((view) => view.operation === operation && view.key === key);
  if (existing) return existing;
  // The key of a list is a pointer such as `/data/customers/*/uuid`; else it is the name of a parameter, whose value is text already.
  const isList = key.startsWith('/');
  const readKey = isList ? createReader(operation, key) : String;
  const view = { operation, key, isList, readKey, fields: [], rules: [] };
  views.push(view);
  return view;
}

function getOrAddField({ operation, fields }: RecordView, pointer: string, as: Field['as']): number {
  const index = fields.findIndex((field) => field.pointer === pointer && field.as === as);
  if (index !== -1) return index;
  // The reader of a whole record is never called: only the presence of the record counts.
  const read = as === 'record' ? String : createReader(operation, pointer);
  fields.push({ pointer, as, read });
  return fields.length - 1;
}

/** Creates a function that returns undefined for a value that breaks its own schema, because that is a violation already. */
function createReader(operation: Operation, pointer: string): ReadValue {
  const schema = findSchema(operation, pointer);
  const validate = schema && compileValidator(schema);
  return (value) => {
    if (validate && !isValid(validate, value)) return undefined;
    const isTime = schema?.format === 'date-time' && typeof value === 'string';
    return isTime ? normalizeTime(value) : value;
  };
}
