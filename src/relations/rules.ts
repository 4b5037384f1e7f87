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
  /** JSON Pointer such as `/data/customer/uuid`, with `*` for each element of a list. `http` if a lookup must only find the record. */
  pointer: string;
  /** Compared property: the value of the field, its presence, or only whether the record exists (`record`). */
  compares: 'value' | 'presence' | 'record';
  read: ReadValue;
}

/** Records as the responses of one operation show them: where their identifier is, and which of their fields are compared. */
export interface RecordView {
  operation: Operation;
  /** Identifier of a record. For a lookup: name of its parameter, such as `id`. For a list: JSON Pointer to each `uuid` in it. */
  key: string;
  isList: boolean;
  readKey: ReadValue;
  /** Compared fields. `ComparableRecord.values` has the same order. */
  fields: ComparedField[];
  rules: RelationRule[];
}

/**
 * Rule that compares two responses about one record. Example: a lookup (`secondView`) shows the values that the list (`firstView`)
 * shows. If a rule is about the list alone, or about the lookup alone, both views are the same object.
 */
export interface RelationRule {
  address: string;
  check: Relation;
  /** Operation that declares the rule: for a rule between a list and a lookup, the lookup. */
  operation: Operation;
  firstView: RecordView;
  secondView: RecordView;
  /** Fields whose values must be equal in both views. */
  pairs: FieldPair[];
}

/** Two fields to compare, as an index in `firstView.fields` and an index in `secondView.fields`. */
interface FieldPair {
  firstIndex: number;
  secondIndex: number;
}

export const isBetweenListAndLookup = ({ firstView, secondView }: RelationRule): boolean =>
  firstView !== secondView;

const existencePointer = 'http';

/** Creates the views that the rules of the contract compare, such as the list of customers and the lookup of a customer. */
export function createRecordViews(operations: Operation[]): RecordView[] {
  const views: RecordView[] = [];
  for (const operation of operations)
    for (const declaredRule of operation.rules) {
      const rule = createRule(declaredRule, operation, operations, views);
      if (!rule) continue;
      // Both may be one view.
      const differentViews = new Set([rule.firstView, rule.secondView]);
      for (const view of differentViews) view.rules.push(rule);
    }
  return views;
}

/** Creates a `RelationRule` from a rule of the contract. Undefined if the rule compares no records. Adds new views to `views`. */
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
    const namedFieldPointer = getSiblingPointer(check.unique, check.named);
    const pairs = [getOrAddFieldOfBothViews(list, namedFieldPointer)];
    return { ...rule, firstView: list, secondView: list, pairs };
  }
  if ('constant' in check) {
    const lookup = getOrAddView(views, operation, check.parameter);
    const pairs = check.constant.map((pointer) => getOrAddFieldOfBothViews(lookup, pointer));
    return { ...rule, firstView: lookup, secondView: lookup, pairs };
  }
  const listOperation = operations.find(({ id }) => id === check.listedBy) as Operation;
  const list = getOrAddView(views, listOperation, check.key);
  const identifierParameter = 'found' in check ? check.found : check.parameter;
  const lookup = getOrAddView(views, operation, identifierParameter);
  return { ...rule, firstView: list, secondView: lookup, pairs: [getOrAddFieldPair(check, list, lookup)] };
}

/** Pairs a field with itself, for a rule whose two views are the same. Adds the field to the view if needed. */
function getOrAddFieldOfBothViews(view: RecordView, pointer: string): FieldPair {
  const index = getOrAddFieldIndex(view, pointer, 'value');
  return { firstIndex: index, secondIndex: index };
}

/** Pairs a field of a list with the field of a lookup that a rule compares with it. Adds both fields to their views if needed. */
function getOrAddFieldPair(check: LookupCheck, list: RecordView, lookup: RecordView): FieldPair {
  if ('found' in check)
    return {
      firstIndex: getOrAddFieldIndex(list, check.key, 'record'),
      secondIndex: getOrAddFieldIndex(lookup, existencePointer, 'record'),
    };
  const compares = 'same' in check ? 'value' : 'presence';
  const lookupPointer = 'same' in check ? check.same : check.presentAs;
  // In the list, the field has the same name, and stands beside the identifier.
  const listPointer = getSiblingPointer(check.key, getLastStep(lookupPointer));
  return {
    firstIndex: getOrAddFieldIndex(list, listPointer, compares),
    secondIndex: getOrAddFieldIndex(lookup, lookupPointer, compares),
  };
}

/** Finds the view of an operation whose records `key` identifies, such as the parameter `id`. Adds the view if it is missing. */
function getOrAddView(views: RecordView[], operation: Operation, key: string): RecordView {
  const existing = views.find((view) => view.operation === operation && view.key === key);
  if (existing) return existing;
  // A JSON Pointer begins with a slash. Any other key is the name of a parameter, whose value is text already.
  const isList = key.startsWith('/');
  const readKey = isList ? createReader(operation, key) : String;
  const view = { operation, key, isList, readKey, fields: [], rules: [] };
  views.push(view);
  return view;
}

/** Returns the index of a field in `view.fields`. Adds the field if it is missing. */

function getOrAddFieldIndex(
  { operation, fields }: RecordView,
  pointer: string,
  compares: ComparedField['compares'],
): number {
  const index = fields.findIndex((field) => field.pointer === pointer && field.compares === compares);
  if (index !== -1) return index;
  // If only the existence of a record is compared, `encodeField` never calls `read`.
  const read = compares === 'record' ? String : createReader(operation, pointer);
  fields.push({ pointer, compares, read });
  return fields.length - 1;
}

/** Creates a function that prepares the values of a field for comparison, by the schema of the field. */
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
