import type { Check, Operation, Schema } from './contract.ts';
import { fieldOf } from './nodes.ts';

/** The keys of each kind of check. */
const kinds = [
  'uniqueKeys',
  'finiteNumbers',
  'declaredFields',
  'echoes pointer',
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
  /** Places of the list that `listedBy` answers. */
  listed?: { operation: string; fields: string[] };
}

/** Whatever a check names that an operation, or the one that lists its records, does not have; undefined if nothing. */
export function missingIn(check: Check, operation: Operation, operations: Operation[]): string | undefined {
  const { parameters = [], fields = [], listed } = namesIn(check);
  const parameter = parameters.find((name) => !operation.parameters.some((one) => one.name === name));
  if (parameter) return `${operation.id} has no parameter ${parameter}`;
  const field = fields.find((one) => !isField(operation.schema, one));
  if (field) return `${operation.id} has no field ${field}`;
  const list = listed && operations.find(({ id }) => id === listed.operation);
  if (listed && !list) return `there is no operation ${listed.operation}`;
  const unlisted = list && listed?.fields.find((one) => !isField(list.schema, one));
  return unlisted && `${list?.id} has no field ${unlisted}`;
}

function namesIn(check: Check): Names {
  if ('echoes' in check) return { parameters: [check.echoes], fields: [check.pointer] };
  if ('needs' in check)
    return { parameters: [check.needs, ...Object.keys(check.when)], fields: [check.pointer] };
  if ('presentWith' in check) {
    const others = Object.keys(check.presentWith).map((name) => sibling(check.pointer, name));
    return { fields: [check.pointer, ...others] };
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

/** Pointer to another field of the same record. */
export const sibling = (pointer: string, name: string): string =>
  `${pointer.slice(0, pointer.lastIndexOf('/'))}/${name}`;

function isField(schema: Schema, pointer: string): boolean {
  const steps = pointer.split('/').slice(1);
  const below = (at: Schema | undefined, step: string) => (step === '*' ? at?.items : fieldOf(at, step));
  return steps.reduce<Schema | undefined>(below, schema) !== undefined;
}
