import type { LookupCheck, Operation, Relation, Rule } from '../../schemas/contract/contract.ts';
import { isRelation } from '../../schemas/contract/contract.ts';
import { normalizeTimestamp } from '../../schemas/contract/identifiers.ts';
import { findSchema } from '../../schemas/contract/nodes.ts';
import { formatRuleAddress } from '../../schemas/contract/requirements.ts';
import { compileValidator, isValid } from '../../schemas/contract/validators.ts';
import { getLastStep, getSiblingPointer } from '../../schemas/json.ts';

/** Converts a value for comparison, for example a timestamp to seconds. Returns undefined if the value violates its schema. */
type NormalizeValue = (value: unknown) => unknown;

export interface ComparedField {
  /** JSON Pointer such as `/data/customer/uuid`. In a lookup, `http` stands for the existence of the record. */
  pointer: string;
  compares: 'value' | 'presence' | 'record';
  normalize: NormalizeValue;
}

/** Records as one operation shows them. An operation has one `RecordView` for each identifying field or parameter. */
export interface RecordView {
  operation: Operation;
  /** JSON Pointer of the identifier in a list. For a lookup, the key is the name of a parameter, such as `id`. */
  key: string;
  isList: boolean;
  normalizeKey: NormalizeValue;
  /** Fields that rules compare, in the order of `ComparableRecord.values`. */
  fields: ComparedField[];
  rules: RelationRule[];
}

/** Rule of the contract that compares two records with the same identifier. */
export interface RelationRule {
  /** Address of the rule's requirement, such as `listCustomers/rules/uuid-is-unique`. */
  address: string;
  check: Relation;
  /** Operation for which the contract declares the rule. */
  operation: Operation;
  /**
   * First of the two views that the rule compares. In a rule between a list and a lookup, `firstView` is the view of the list. In
   * any other rule, `firstView` and `secondView` are the same object, because the rule compares responses of one operation.
   */
  firstView: RecordView;
  secondView: RecordView;
  pairs: FieldPair[];
}

/** Two fields to compare, as indices in `firstView.fields` and `secondView.fields`. */
interface FieldPair {
  firstIndex: number;
  secondIndex: number;
}

export const isBetweenListAndLookup = ({ firstView, secondView }: RelationRule): boolean =>
  firstView !== secondView;

/** `ComparedField.pointer` for the existence of a record in a lookup. */
const existencePointer = 'http';

export function createRecordViews(operations: Operation[]): RecordView[] {
  const views: RecordView[] = [];
  for (const operation of operations)
    for (const declaredRule of operation.rules) {
      const rule = createRule(declaredRule, operation, operations, views);
      if (!rule) continue;
      rule.firstView.rules.push(rule);
      // A rule about only one operation has one view, which must not get the rule twice.
      if (isBetweenListAndLookup(rule)) rule.secondView.rules.push(rule);
    }
  return views;
}

function createRule(
  declaredRule: Rule,
  operation: Operation,
  operations: Operation[],
  views: RecordView[],
): RelationRule | undefined {
  const { check } = declaredRule;
  if (!isRelation(check)) return undefined;
  const address = formatRuleAddress(operation.id, declaredRule);
  return { check, operation, address, ...createViewsAndPairs(check, operation, operations, views) };
}

/** Returns the views and field pairs of a rule. Adds missing views to `views`, and missing fields to the views. */
function createViewsAndPairs(
  check: Relation,
  operation: Operation,
  operations: Operation[],
  views: RecordView[],
): Pick<RelationRule, 'firstView' | 'secondView' | 'pairs'> {
  if ('unique' in check) {
    // For example, `check` is `{ unique: '/data/customers/*/uuid', named: 'reference_number' }`.
    const list = getOrAddView(views, operation, check.unique);
    const namedFieldPointer = getSiblingPointer(check.unique, check.named);
    const pairs = [getOrAddPairOfOneView(list, namedFieldPointer)];
    return { firstView: list, secondView: list, pairs };
  }
  if ('constant' in check) {
    const lookup = getOrAddView(views, operation, check.parameter);
    const pairs = check.constant.map((pointer) => getOrAddPairOfOneView(lookup, pointer));
    return { firstView: lookup, secondView: lookup, pairs };
  }
  const listOperation = operations.find(({ id }) => id === check.listedBy) as Operation;
  const list = getOrAddView(views, listOperation, check.key);
  const identifierParameter = 'found' in check ? check.found : check.parameter;
  const lookup = getOrAddView(views, operation, identifierParameter);
  return { firstView: list, secondView: lookup, pairs: [getOrAddPairOfListAndLookup(check, list, lookup)] };
}

function getOrAddPairOfOneView(view: RecordView, pointer: string): FieldPair {
  const index = getOrAddFieldIndex(view, pointer, 'value');
  return { firstIndex: index, secondIndex: index };
}

function getOrAddPairOfListAndLookup(check: LookupCheck, list: RecordView, lookup: RecordView): FieldPair {
  if ('found' in check)
    return {
      firstIndex: getOrAddFieldIndex(list, check.key, 'record'),
      secondIndex: getOrAddFieldIndex(lookup, existencePointer, 'record'),
    };
  const compares = 'same' in check ? 'value' : 'presence';
  const lookupPointer = 'same' in check ? check.same : check.presentAs;
  // In the list, the field has the same name and is a sibling of the identifier: `/data/customers/*/uuid` and `/data/customers/*/name`.
  const listPointer = getSiblingPointer(check.key, getLastStep(lookupPointer));
  return {
    firstIndex: getOrAddFieldIndex(list, listPointer, compares),
    secondIndex: getOrAddFieldIndex(lookup, lookupPointer, compares),
  };
}

function getOrAddView(views: RecordView[], operation: Operation, key: string): RecordView {
  const existing = views.find((view) => view.operation === operation && view.key === key);
  if (existing) return existing;
  // The key of a list is a JSON Pointer, which begins with a slash. The key of a lookup is the name of a parameter: its value is a text.
  const isList = key.startsWith('/');
  const normalizeKey = isList ? createNormalizer(operation, key) : String;
  const view = { operation, key, isList, normalizeKey, fields: [], rules: [] };
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
  // If only the existence of a record is compared, `normalize` is never called.
  const normalize = compares === 'record' ? String : createNormalizer(operation, pointer);
  fields.push({ pointer, compares, normalize });
  return fields.length - 1;
}

function createNormalizer(operation: Operation, pointer: string): NormalizeValue {
  const schema = findSchema(operation, pointer);
  const validate = schema && compileValidator(schema);
  return (value) => {
    // A value that violates its schema is reported elsewhere, so it is not compared.
    if (validate && !isValid(validate, value)) return undefined;
    const isTime = schema?.format === 'date-time' && typeof value === 'string';
    return isTime ? normalizeTimestamp(value) : value;
  };
}
