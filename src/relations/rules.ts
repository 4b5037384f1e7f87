import type { Check, Listed, Operation, Relation } from '../../schemas/contract/contract.ts';
import { comparableTime } from '../../schemas/contract/identifiers.ts';
import { schemaAt } from '../../schemas/contract/nodes.ts';
import { ruleAddress } from '../../schemas/contract/requirements.ts';
import { isValid, validatorOf } from '../../schemas/contract/validators.ts';
import { lastStep, sibling } from '../../schemas/json.ts';

/** The one form in which a value is compared; undefined where it breaks its own rule. */
type Read = (value: unknown) => unknown;

/** What is compared of a record: the value at a pointer, whether it is there, or whether the record itself is. */
export interface Field {
  pointer: string;
  as: 'value' | 'presence' | 'record';
  read: Read;
}

/** What one operation shows of records: a list shows many, a lookup the one that its parameter names. */
export interface Side {
  operation: Operation;
  /** Pointer to the keys of a list, or the parameter of a lookup. */
  key: string;
  isList: boolean;
  readKey: Read;
  fields: Field[];
  /** The rules that it takes part in, in the order of `spec/requirements.yaml`. */
  rules: RelationRule[];
}

/** A rule between two responses: of a list and a lookup, or of the same side twice. */
export interface RelationRule {
  address: string;
  check: Relation;
  /** The operation that the rule is about. */
  operation: Operation;
  first: Side;
  second: Side;
  /** Which fields of the first side are compared with which of the second one. */
  pairs: [first: number, second: number][];
}

/** What the rules between responses compare, and these rules. */
export function sidesOf(operations: Operation[]): Side[] {
  const sides: Side[] = [];
  for (const operation of operations)
    for (const rule of operation.rules) {
      const compared = comparedBy(rule.check, operation, operations, sides);
      if (!compared) continue;
      const own = { ...compared, address: ruleAddress(operation.id, rule), operation };
      for (const side of new Set([own.first, own.second])) side.rules.push(own);
    }
  return sides;
}

/** Undefined where a rule is about one response alone. */
function comparedBy(
  check: Check,
  operation: Operation,
  operations: Operation[],
  sides: Side[],
): Omit<RelationRule, 'address' | 'operation'> | undefined {
  const twice = (side: Side, pointers: string[]) => {
    const fields = pointers.map((pointer) => addField(side, pointer, 'value'));
    return { first: side, second: side, pairs: fields.map((field): [number, number] => [field, field]) };
  };
  if ('unique' in check) {
    const named = sibling(check.unique, check.named);
    return { check, ...twice(sideOf(sides, operation, check.unique), [named]) };
  }
  if ('constant' in check)
    return { check, ...twice(sideOf(sides, operation, check.parameter), check.constant) };
  if (!('listedBy' in check)) return undefined;
  const lister = operations.find(({ id }) => id === check.listedBy) as Operation;
  const first = sideOf(sides, lister, check.key);
  const second = sideOf(sides, operation, 'found' in check ? check.found : check.parameter);
  return { check, first, second, pairs: [pairOf(check, first, second)] };
}

function pairOf(check: Listed, list: Side, lookup: Side): [number, number] {
  if ('found' in check) return [addField(list, check.key, 'record'), addField(lookup, 'http', 'record')];
  const as = 'same' in check ? 'value' : 'presence';
  const pointer = 'same' in check ? check.same : check.presentAs;
  return [addField(list, sibling(check.key, lastStep(pointer)), as), addField(lookup, pointer, as)];
}

/** A side, which is added where it is missing. */
function sideOf(sides: Side[], operation: Operation, key: string): Side {
  const known = sides.find((side) => side.operation === operation && side.key === key);
  const isList = key.startsWith('/');
  const readKey = isList ? readerOf(operation, key) : String;
  const side = known ?? { operation, key, isList, readKey, fields: [], rules: [] };
  if (!known) sides.push(side);
  return side;
}

/** The number of a field of a side, which is added where it is missing. */
function addField({ operation, fields }: Side, pointer: string, as: Field['as']): number {
  const known = fields.findIndex((field) => field.pointer === pointer && field.as === as);
  const read = as === 'record' ? String : readerOf(operation, pointer);
  return known === -1 ? fields.push({ pointer, as, read }) - 1 : known;
}

function readerOf(operation: Operation, pointer: string): Read {
  const schema = schemaAt(operation, pointer);
  const validate = schema && validatorOf(schema);
  return (value) => {
    if (validate && !isValid(validate, value)) return undefined;
    return schema?.format === 'date-time' && typeof value === 'string' ? comparableTime(value) : value;
  };
}
