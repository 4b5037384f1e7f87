import { loadContract } from '../../../schemas/contract/contract.ts';
import { listNodes } from '../../../schemas/contract/nodes.ts';
import { findMatchingFields, isObjectOrArray } from '../../../schemas/json.ts';

/** Records of a list that get a fault. `only`: the middle one, and the others are removed. */
const placements = ['every', 'first', 'middle', 'last', 'only'] as const;
export type Placement = (typeof placements)[number];

/** Chooses a placement by the letters of a fault's name, so that a fault keeps its placement from run to run. */
export function choosePlacement(name: string): Placement {
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return placements[sum % placements.length] ?? 'every';
}

/** Writes a value at a JSON Pointer in place; undefined removes the field. Returns whether the object has the field. */
export function plantAt(holder: object, pointer: string, value: unknown, placement: Placement): boolean {
  return plant(holder, pointer.split('/').slice(1), value, placement);
}

function plant(
  container: unknown,
  [step = '', ...rest]: string[],
  value: unknown,
  placement: Placement,
): boolean {
  if (!isObjectOrArray(container)) return false;
  if (Array.isArray(container) && step === '*') return plantInList(container, rest, value, placement);
  if (!Object.hasOwn(container, step)) return false;
  if (rest.length > 0) return plant(container[step], rest, value, placement);
  if (value === undefined) delete container[step];
  else container[step] = value;
  return true;
}

function plantInList(list: unknown[], rest: string[], value: unknown, placement: Placement): boolean {
  const indices = [...list.keys()].filter((index) => rest.length === 0 || hasPlace(list[index], rest));
  const [first, last] = [indices[0], indices.at(-1)];
  const middle = indices[Math.floor(indices.length / 2)];
  if (first === undefined || last === undefined || middle === undefined) return false;
  const indicesByPlacement = {
    every: indices,
    first: [first],
    middle: [middle],
    last: [last],
    only: [middle],
  };
  const chosenIndices = indicesByPlacement[placement];
  for (const index of chosenIndices) plant(list, [String(index), ...rest], value, placement);
  if (placement === 'only') list.splice(0, list.length, list[middle]);
  else if (placement !== 'every') giveNewShape(list.filter((_, index) => !chosenIndices.includes(index)));
  return true;
}

const hasPlace = (container: unknown, steps: string[]) =>
  findMatchingFields(container, `/${steps.join('/')}`).some(({ value }) => value !== undefined);

const optionalNames = new Set(
  loadContract()
    .operations.flatMap(listNodes)
    .filter(({ kind, required, schema }) => kind === 'field' && !required && !schema.properties)
    .map(({ name }) => name),
);

let shapeCount = 0;

/**
 * Removes some optional fields from the record that has the most, in place, and other ones at each call. The suite then looks this record
 * up, because it looks up one record for each set of fields.
 */
export function giveNewShape(records: unknown[]): void {
  const [largestFields] = records
    .map(listOptionalFields)
    .sort((first, second) => second.length - first.length);
  shapeCount += 1;
  for (const [bit, [holder, name]] of (largestFields ?? []).entries()) {
    const isBitSet = ((shapeCount >> bit) & 1) === 1;
    if (isBitSet) delete holder[name];
  }
}

function listOptionalFields(record: unknown): [holder: Record<string, unknown>, name: string][] {
  if (!isObjectOrArray(record)) return [];
  return Object.entries(record).flatMap(([name, value]): [Record<string, unknown>, string][] => {
    if (isObjectOrArray(value)) return listOptionalFields(value);
    return optionalNames.has(name) ? [[record, name]] : [];
  });
}
