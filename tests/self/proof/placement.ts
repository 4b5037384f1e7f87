import { loadContract } from '../../../schemas/contract/contract.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import { isObjectOrArray, placesAt } from '../../../schemas/json.ts';

/** Where in a list a fault is: in every record that has the field, in one of them, or in the only one that is listed. */
const placements = ['every', 'first', 'middle', 'last', 'only'] as const;
export type Placement = (typeof placements)[number];

/** One of the placements for each name of a fault, always the same. */
export function placementOf(name: string): Placement {
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return placements[sum % placements.length] ?? 'every';
}

/**
 * Puts a wrong value at the end of a pointer, undefined for nothing; says whether anything was there. Where it is in one
 * record of a list, a record of a shape that no list has had stands behind it: what is looked up by shape is as new there.
 */
export function plantAt(holder: object, pointer: string, value: unknown, placement: Placement): boolean {
  return plant(holder, pointer.split('/').slice(1), value, placement);
}

function plant(at: unknown, [step = '', ...rest]: string[], value: unknown, placement: Placement): boolean {
  if (!isObjectOrArray(at)) return false;
  if (Array.isArray(at) && step === '*') return plantInList(at, rest, value, placement);
  if (!Object.hasOwn(at, step)) return false;
  if (rest.length > 0) return plant(at[step], rest, value, placement);
  if (value === undefined) delete at[step];
  else at[step] = value;
  return true;
}

function plantInList(list: unknown[], rest: string[], value: unknown, placement: Placement): boolean {
  const having = [...list.keys()].filter((index) => rest.length === 0 || hasPlace(list[index], rest));
  const [first, last] = [having[0], having.at(-1)];
  const middle = having[Math.floor(having.length / 2)];
  if (first === undefined || last === undefined || middle === undefined) return false;
  const chosen = { every: having, first: [first], middle: [middle], last: [last], only: [middle] }[placement];
  for (const index of chosen) plant(list, [String(index), ...rest], value, placement);
  if (placement === 'only') list.splice(0, list.length, list[middle]);
  else if (placement !== 'every') giveNewShape(list.filter((_, index) => !chosen.includes(index)));
  return true;
}

const hasPlace = (at: unknown, steps: string[]) =>
  placesAt(at, `/${steps.join('/')}`).some(({ value }) => value !== undefined);

/** Names of the fields that hold no others and may be left out, wherever they are. */
const optional = new Set(
  loadContract()
    .operations.flatMap(nodesOf)
    .filter(({ kind, required, schema }) => kind === 'field' && !required && !schema.properties)
    .map(({ name }) => name),
);

let shapes = 0;

/** Leaves out some of the optional fields of the record that has most of them, each time others. */
export function giveNewShape(records: unknown[]): void {
  const [richest] = records.map(optionalIn).sort((one, other) => other.length - one.length);
  shapes += 1;
  richest?.forEach(([holder, name], bit) => {
    if ((shapes >> bit) & 1) delete holder[name];
  });
}

function optionalIn(record: unknown): [holder: Record<string, unknown>, name: string][] {
  if (!isObjectOrArray(record)) return [];
  return Object.entries(record).flatMap(([name, value]) =>
    isObjectOrArray(value) ? optionalIn(value) : optional.has(name) ? [[record, name]] : [],
  );
}
