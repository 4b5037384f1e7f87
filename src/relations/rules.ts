import type { LookupCheck, Operation, Relation, Rule } from '../../schemas/contract/contract.ts';
import { isRelation } from '../../schemas/contract/contract.ts';
import { normalizeTimestamp } from '../../schemas/contract/identifiers.ts';
import { findSchema } from '../../schemas/contract/nodes.ts';
import { formatRuleAddress } from '../../schemas/contract/requirements.ts';
import { compileValidator, isValid } from '../../schemas/contract/validators.ts';
import { getLastStep, getSiblingPointer } from '../../schemas/json.ts';

/** Converts a value so that `10:00Z` and `12:00+02:00` are equal. Returns undefined for a value that violates its schema. */
type ReadValue = (value: unknown) => unknown;

export interface ComparedField {
  /** JSON Pointer, with `*` for each element of a list; or `http` for the existence of a looked-up record. */
  pointer: string;
  compares: 'value' | 'presence' | 'record';
  read: ReadValue;
}

/** How to find and compare the records in the responses of one operation, which is a list or a lookup of one record. */
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

/** Rule between a list (`firstView`) and a lookup (`secondView`) of the same records; or within one of them: both views are equal. */
export interface RelationRule {
  address: string;
  check: Relation;
  /** Operation that declares the rule. A rule between a list and a lookup is declared by the lookup. */
  operation: Operation;
  firstView: RecordView;
  secondView: RecordView;
  /** Pairs of compared fields, by index in `firstView.fields` and `secondView.fields`. */
  pairs: [first: number, second: number][];
}

export const isBetweenListAndLookup = ({ firstView, secondView }: RelationRule): boolean =>
  firstView !== secondView;

const existencePointer = 'http';

export function createRecordViews(operations: Operation[]): RecordView[] {
  const views: RecordView[] = [];
  for (const operation of operations)
    for (const declaredRule of operation.rules) {
      const rule = createRule(declaredRule, operation, operations, views);
      if (!rule) continue;
      for (const view of new Set([rule.firstView, rule.secondView])) view.rules.push(rule);
    }
  return views;
}

/** Creates the rule for a check that compares records, and adds missing views and fields to `views`. Undefined for other checks. */
function createRule(
  declaredRule: Rule,
  operation: Operation,
  operations: Operation[],
  views: RecordView[],
): RelationRule | undefined {
  const { check } = declaredRule;
  if (!isRelation(check)) return undefined;
  const rule = { check, operation, address: formatRuleAddress(operation.id, declaredRule) };
  if ('unique' in check) {
    const list = getOrAddView(views, operation, check.unique);
    const pairs = getOrAddSelfPairs(list, [getSiblingPointer(check.unique, check.named)]);
    return { ...rule, firstView: list, secondView: list, pairs };
  }
  if ('constant' in check) {
    const lookup = getOrAddView(views, operation, check.parameter);
    const pairs = getOrAddSelfPairs(lookup, check.constant);
    return { ...rule, firstView: lookup, secondView: lookup, pairs };
  }
  const listOperation = operations.find(({ id }) => id === check.listedBy) as Operation;
  const list = getOrAddView(views, listOperation, check.key);
  const identifierParameter = 'found' in check ? check.found : check.parameter;
  const lookup = getOrAddView(views, operation, identifierParameter);
  return { ...rule, firstView: list, secondView: lookup, pairs: [getOrAddFieldPair(check, list, lookup)] };
}

const getOrAddSelfPairs = (view: RecordView, pointers: string[]) =>
  pointers.map((pointer): [number, number] => {
    const index = getOrAddFieldIndex(view, pointer, 'value');
    return [index, index];
  });

function getOrAddFieldPair(check: LookupCheck, list: RecordView, lookup: RecordView): [number, number] {
  // Each listed record must be found: only the existence of the record is compared.
  if ('found' in check)
    return [
      getOrAddFieldIndex(list, check.key, 'record'),
      getOrAddFieldIndex(lookup, existencePointer, 'record'),
    ];
  // `same` and `presentAs` are the pointer of a field in the lookup.
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
  // `encodeField` never calls the reader of a whole record, of which only the presence counts.
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
