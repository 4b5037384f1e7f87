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

/** Sets the existing field at a JSON Pointer, in place; undefined removes the field. Returns false if there is no such field. */
export function plantAt(holder: object, pointer: string, value: unknown, placement: Placement): boolean {
  return setField(holder, pointer.split('/').slice(1), value, placement);
}

function setField(
  container: unknown,
  [step = '', ...furtherSteps]: string[],
  value: unknown,
  placement: Placement,
): boolean {
  if (!isObjectOrArray(container)) return false;
  if (Array.isArray(container) && step === '*') return setInList(container, furtherSteps, value, placement);
  if (!Object.hasOwn(container, step)) return false;
  if (furtherSteps.length > 0) return setField(container[step], furtherSteps, value, placement);
  if (value === undefined) delete container[step];
  else container[step] = value;
  return true;
}

function setInList(list: unknown[], steps: string[], value: unknown, placement: Placement): boolean {
  const indices = [...list.keys()].filter((index) => steps.length === 0 || hasField(list[index], steps));
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
  for (const index of chosenIndices) setField(list, [String(index), ...steps], value, placement);
  const otherRecords = list.filter((_, index) => !chosenIndices.includes(index));
  if (placement === 'only') list.splice(0, list.length, list[middle]);
  else if (placement !== 'every') makeFieldSetUnique(otherRecords);
  return true;
}

const hasField = (container: unknown, steps: string[]) =>
  findMatchingFields(container, `/${steps.join('/')}`).some(({ value }) => value !== undefined);

const optionalNames = new Set(
  loadContract()
    .operations.flatMap(listNodes)
    .filter(({ kind, required, schema }) => kind === 'field' && !required && !schema.properties)
    .map(({ name }) => name),
);

let callCount = 0;

/**
 * Gives one record a new set of fields, in place: removes optional fields from the record with the most of them. The suite then looks
 * up this record, because it looks up one record for each set of fields.
 */
export function makeFieldSetUnique(records: unknown[]): void {
  const [mostFields = []] = records
    .map(listOptionalFields)
    .sort((first, second) => second.length - first.length);
  callCount += 1;
  // The bits of the number of the call select the fields to remove, so that each call leaves another set.
  for (const [index, [holder, name]] of mostFields.entries()) {
    const isBitSet = ((callCount >> index) & 1) === 1;
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
