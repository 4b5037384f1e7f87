import type { Check, Operation, Schema } from './contract.ts';
import { fieldOf, knownValues } from './nodes.ts';

/** The keys of each kind of check. */
const kinds = [
  'uniqueKeys',
  'finiteNumbers',
  'declaredFields',
  'echoes pointer',
  'echoes pointer when',
  'presentWith pointer',
  'needs pointer when',
  'unique named again',
  'found listedBy key again',
  'same listedBy key parameter again',
  'presentAs listedBy key parameter again',
  'constant parameter again',
];

const sorted = (keys: string[]) => keys.toSorted().join(' ');

/** Why the keys of a check are those of no kind, if so. */
export function mistakeInKeys(check: Check): string | undefined {
  const keys = sorted(Object.keys(check));
  if (kinds.some((kind) => sorted(kind.split(' ')) === keys)) return undefined;
  return `a check of "${keys}" is unknown; use one of ${kinds.join(', ')}`;
}

/** What a check names, by where it has to be. */
interface Names {
  parameters?: string[];
  fields?: string[];
  /** Known values of fields. */
  values?: Record<string, string>;
  /** Places of the list that `listedBy` answers. */
  listed?: { operation: string; fields: string[] };
}

/** Whatever a check names that an operation, or the one that lists its records, does not have; undefined if nothing. */
export function missingIn(check: Check, operation: Operation, operations: Operation[]): string | undefined {
  const { parameters = [], fields = [], values = {}, listed } = namesIn(check);
  const parameter = parameters.find((name) => !operation.parameters.some((one) => one.name === name));
  if (parameter) return `${operation.id} has no parameter ${parameter}`;
  const field = fields.find((one) => !fieldAt(operation.schema, one));
  if (field) return `${operation.id} has no field ${field}`;
  const other = Object.keys(values).find((one) => !isKnown(operation.schema, one, values[one]));
  if (other) return `${operation.id} has no value ${values[other]} of ${other}`;
  const list = listed && operations.find(({ id }) => id === listed.operation);
  if (listed && !list) return `there is no operation ${listed.operation}`;
  const unlisted = list && listed?.fields.find((one) => !fieldAt(list.schema, one));
  return unlisted && `${list?.id} has no field ${unlisted}`;
}

function namesIn(check: Check): Names {
  if ('echoes' in check)
    return { parameters: [check.echoes, ...Object.keys(check.when ?? {})], fields: [check.pointer] };
  if ('needs' in check)
    return { parameters: [check.needs, ...Object.keys(check.when)], fields: [check.pointer] };
  if ('presentWith' in check) {
    const others = Object.entries(check.presentWith).map(([name, value]) => [
      sibling(check.pointer, name),
      value,
    ]);
    const values: Record<string, string> = Object.fromEntries(others);
    return { fields: [check.pointer, ...Object.keys(values)], values };
  }
  if ('unique' in check) return { fields: [check.unique, sibling(check.unique, check.named)] };
  if ('constant' in check) return { parameters: [check.parameter], fields: check.constant };
  if (!('listedBy' in check)) return {};
  const { listedBy: operation, key } = check;
  if ('found' in check) return { parameters: [check.found], listed: { operation, fields: [key] } };
  const field = 'same' in check ? check.same : check.presentAs;
  const fields = [key, sibling(key, lastStep(field))];
  return { parameters: [check.parameter], fields: [field], listed: { operation, fields } };
}

/** The places of a contract that a rule between answers compares: addresses, without those that no check relates. */
export function relatedPlaces(check: Check, operation: string): string[] {
  if (!('again' in check)) return [];
  const { fields = [], listed } = namesIn(check);
  return [
    ...fields.map((field) => operation + field),
    ...(listed?.fields.map((field) => listed.operation + field) ?? []),
  ];
}

/** Name of the field that a pointer leads to. */
export const lastStep = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

/** Pointer to the object that has the field to which a pointer leads. */
export const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));

/** Pointer to another field of the same record. */
export const sibling = (pointer: string, name: string): string => `${parentOf(pointer)}/${name}`;

function fieldAt(schema: Schema, pointer: string): Schema | undefined {
  const steps = pointer.split('/').slice(1);
  const below = (at: Schema | undefined, step: string) => (step === '*' ? at?.items : fieldOf(at, step));
  return steps.reduce<Schema | undefined>(below, schema);
}

function isKnown(schema: Schema, pointer: string, value: unknown): boolean {
  const field = fieldAt(schema, pointer);
  return field !== undefined && knownValues(field).includes(value);
}
