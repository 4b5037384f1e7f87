import type { Check, Listed, Operation, Relation } from '../../schemas/contract/contract.ts';
import { normalizeTime } from '../../schemas/contract/identifiers.ts';
import { findSchema } from '../../schemas/contract/nodes.ts';
import { formatRuleAddress } from '../../schemas/contract/requirements.ts';
import { compileValidator, isValid } from '../../schemas/contract/validators.ts';
import { getLastStep, getSiblingPointer } from '../../schemas/json.ts';

/**
 * Converts a value to the form that is compared: RFC 3339 times are equal if they name the same moment.
 * Returns undefined if the value breaks its own schema.
 */
type ReadValue = (value: unknown) => unknown;

/** Field of a record that rules compare: its value, its presence, or the presence of the record itself. */
export interface Field {
  pointer: string;
  as: 'value' | 'presence' | 'record';
  read: ReadValue;
}

/** Records as one operation shows them: a list shows many records, a lookup only the record that its parameter names. */
export interface RecordView {
  operation: Operation;
  /** Pointer to the keys of the records of a list, or name of the parameter of a lookup. */
  key: string;
  isList: boolean;
  readKey: ReadValue;
  fields: Field[];
  /** Rules that compare this view, in the order of `spec/requirements.yaml`. */
  rules: RelationRule[];
}

/** Rule between two responses: a list and a lookup, or two responses of the same view. */
export interface RelationRule {
  address: string;
  check: Relation;
  /** Operation of the requirement. */
  operation: Operation;
  first: RecordView;
  second: RecordView;
  /** Indexes of the compared fields, in `first.fields` and in `second.fields`. */
  pairs: [first: number, second: number][];
}

/** Creates the views of all operations, each with the rules between responses that compare it. */
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

/** Returns what a rule compares; undefined for a rule about one response. Adds missing views and fields to `views`. */
function addComparison(
  check: Check,
  operation: Operation,
  operations: Operation[],
  views: RecordView[],
): Omit<RelationRule, 'address' | 'operation'> | undefined {
  const compareWithItself = (view: RecordView, pointers: string[]) => {
    const fields = pointers.map((pointer) => addField(view, pointer, 'value'));
    return { first: view, second: view, pairs: fields.map((field): [number, number] => [field, field]) };
  };
  if ('unique' in check) {
    const pointer = getSiblingPointer(check.unique, check.named);
    return { check, ...compareWithItself(addView(views, operation, check.unique), [pointer]) };
  }
  if ('constant' in check)
    return { check, ...compareWithItself(addView(views, operation, check.parameter), check.constant) };
  if (!('listedBy' in check)) return undefined;
  const listOperation = operations.find(({ id }) => id === check.listedBy) as Operation;
  const first = addView(views, listOperation, check.key);
  const second = addView(views, operation, 'found' in check ? check.found : check.parameter);
  return { check, first, second, pairs: [pairFields(check, first, second)] };
}

/** Adds the fields that a rule between a list and a lookup compares, and returns their indexes. */
function pairFields(check: Listed, list: RecordView, lookup: RecordView): [number, number] {
  if ('found' in check) return [addField(list, check.key, 'record'), addField(lookup, 'http', 'record')];
  const as = 'same' in check ? 'value' : 'presence';
  const pointer = 'same' in check ? check.same : check.presentAs;
  return [
    addField(list, getSiblingPointer(check.key, getLastStep(pointer)), as),
    addField(lookup, pointer, as),
  ];
}

/** Returns the view of an operation and a key; adds the view if it is missing. */
function addView(views: RecordView[], operation: Operation, key: string): RecordView {
  const existing = views.find((view) => view.operation === operation && view.key === key);
  if (existing) return existing;
  const isList = key.startsWith('/');
  const readKey = isList ? createReader(operation, key) : String;
  const view = { operation, key, isList, readKey, fields: [], rules: [] };
  views.push(view);
  return view;
}

/** Returns the index of a field of a view; adds the field if it is missing. */
function addField({ operation, fields }: RecordView, pointer: string, as: Field['as']): number {
  const index = fields.findIndex((field) => field.pointer === pointer && field.as === as);
  if (index !== -1) return index;
  // The reader of a whole record is never called: only the presence of the record counts.
  const read = as === 'record' ? String : createReader(operation, pointer);
  return fields.push({ pointer, as, read }) - 1;
}

/** Creates the reader of a field. A value that breaks its own schema is a violation already, so it is compared with nothing. */
function createReader(operation: Operation, pointer: string): ReadValue {
  const schema = findSchema(operation, pointer);
  const validate = schema && compileValidator(schema);
  return (value) => {
    if (validate && !isValid(validate, value)) return undefined;
    return schema?.format === 'date-time' && typeof value === 'string' ? normalizeTime(value) : value;
  };
}
