import type { Check, LookupCheck, Operation, Relation } from '../../schemas/contract/contract.ts';
import { normalizeTimestamp } from '../../schemas/contract/identifiers.ts';
import { findSchema } from '../../schemas/contract/nodes.ts';
import { formatRuleAddress } from '../../schemas/contract/requirements.ts';
import { compileValidator, isValid } from '../../schemas/contract/validators.ts';
import { getLastStep, getSiblingPointer } from '../../schemas/json.ts';

/** Converts a value for comparison: times of one moment become equal. Undefined for a violation of the schema. */
type ReadValue = (value: unknown) => unknown;

export interface ComparedField {
  /** JSON Pointer, with `*` for each element of a list. `http` for a lookup of which only the existence of its record is compared. */
  pointer: string;
  compares: 'value' | 'presence' | 'record';
  read: ReadValue;
}

/** The records that one operation shows. A list identifies each record by a field such as `uuid`, a lookup by a parameter such as `id`. */
export interface RecordView {
  operation: Operation;
  /** Parameter of a lookup, such as `id`; or JSON Pointer to the identifiers in a list, with `*` for each element. */
  key: string;
  isList: boolean;
  readKey: ReadValue;
  /** Compared fields, in the order of `ComparableRecord.values`. */
  fields: ComparedField[];
  rules: RelationRule[];
}

/** Rule between a list (`first`) and a lookup (`second`) of the same records, or within one list or lookup (`first === second`). */
export interface RelationRule {
  address: string;
  check: Relation;
  /** Operation that declares the rule. A rule between a list and a lookup is declared by the lookup. */
  operation: Operation;
  first: RecordView;
  second: RecordView;
  /** Pairs of compared fields, by index in `first.fields` and `second.fields`. */
  pairs: [first: number, second: number][];
}

export const isBetweenListAndLookup = ({ first, second }: RelationRule): boolean => first !== second;

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

/** Returns what a check compares, and adds its lists, lookups and fields to `views`. Undefined if a check needs only one response. */
function addComparison(
  check: Check,
  operation: Operation,
  operations: Operation[],
  views: RecordView[],
): Omit<RelationRule, 'address' | 'operation'> | undefined {
  const compareWithItself = (view: RecordView, pointers: string[]) => {
    const fieldIndices = pointers.map((pointer) => getOrAddFieldIndex(view, pointer, 'value'));
    const pairs = fieldIndices.map((index): [number, number] => [index, index]);
    return { first: view, second: view, pairs };
  };
  if ('unique' in check) {
    const list = getOrAddView(views, operation, check.unique);
    return { check, ...compareWithItself(list, [getSiblingPointer(check.unique, check.named)]) };
  }
  if ('constant' in check) {
    const lookup = getOrAddView(views, operation, check.parameter);
    return { check, ...compareWithItself(lookup, check.constant) };
  }
  if (!('listedBy' in check)) return undefined;
  const listOperation = operations.find(({ id }) => id === check.listedBy) as Operation;
  const list = getOrAddView(views, listOperation, check.key);
  const lookup = getOrAddView(views, operation, 'found' in check ? check.found : check.parameter);
  return { check, first: list, second: lookup, pairs: [pairFields(check, list, lookup)] };
}

function pairFields(check: LookupCheck, list: RecordView, lookup: RecordView): [number, number] {
  // Each listed record must be found: only the existence of the record is compared.
  if ('found' in check)
    return [getOrAddFieldIndex(list, check.key, 'record'), getOrAddFieldIndex(lookup, 'http', 'record')];
  const compares = 'same' in check ? 'value' : 'presence';
  const lookupPointer = 'same' in check ? check.same : check.presentAs;
  // In the list, the field has the same name and is beside the identifier.
  const listPointer = getSiblingPointer(check.key, getLastStep(lookupPointer));
  return [
    getOrAddFieldIndex(list, listPointer, compares),
    getOrAddFieldIndex(lookup, lookupPointer, compares),
  ];
}

function getOrAddView(views: RecordView[], operation: Operation, key: string): RecordView {
  const existing = views.find((view) => view.operation === operation && view.key === key);
  if (existing) return existing;
  // A key that begins with a slash is a JSON Pointer in a list. Any other key is a parameter, whose value is text already.
  const isList = key.startsWith('/');
  const readKey = isList ? createReader(operation, key) : String;
  const view = { operation, key, isList, readKey, fields: [], rules: [] };
  views.push(view);
  return view;
}

function getOrAddFieldIndex(
  { operation, fields }: RecordView,
  pointer: string,
  compares: ComparedField['compares'],
): number {
  const index = fields.findIndex((field) => field.pointer === pointer && field.compares === compares);
  if (index !== -1) return index;
  // The reader of a whole record is never called: only the presence of the record counts.
  const read = compares === 'record' ? String : createReader(operation, pointer);
  fields.push({ pointer, compares, read });
  return fields.length - 1;
}

function createReader(operation: Operation, pointer: string): ReadValue {
  const schema = findSchema(operation, pointer);
  const validate = schema && compileValidator(schema);
  return (value) => {
    // A value that breaks its schema is a violation already.
    if (validate && !isValid(validate, value)) return undefined;
    const isTime = schema?.format === 'date-time' && typeof value === 'string';
    return isTime ? normalizeTimestamp(value) : value;
  };
}
