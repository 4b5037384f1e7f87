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

/** Sets an existing field; undefined removes it. `placement` selects the elements for `*` in `pointer`. Returns false if no field exists. */
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
  const chosenIndices = chooseIndices(indices, placement);
  for (const index of chosenIndices) setField(list, [String(index), ...steps], value, placement);
  const chosenRecords = chosenIndices.map((index) => list[index]);
  const otherRecords = list.filter((_, index) => !chosenIndices.includes(index));
  if (chosenRecords.length === 0) return false;
  if (placement === 'only') list.splice(0, list.length, ...chosenRecords);
  else if (placement !== 'every') makeFieldSetUnique(otherRecords);
  return true;
}

function chooseIndices(indices: number[], placement: Placement): number[] {
  if (placement === 'every') return indices;
  if (placement === 'first') return indices.slice(0, 1);
  if (placement === 'last') return indices.slice(-1);
  const middle = Math.floor(indices.length / 2);
  return indices.slice(middle, middle + 1);
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

/** Removes optional fields of one record, in place, so that the suite looks up this record: it looks up one for each set of fields. */
export function makeFieldSetUnique(records: unknown[]): void {
  const [removableFields = []] = records
    .map(listOptionalFields)
    .sort((first, second) => second.length - first.length);
  callCount += 1;
  // Bit n of the number of the call says whether to remove field n, so that each call leaves another set of fields.
  const isRemoved = (fieldIndex: number) => ((callCount >> fieldIndex) & 1) === 1;
  for (const [index, [holder, name]] of removableFields.entries()) if (isRemoved(index)) delete holder[name];
}

function listOptionalFields(record: unknown): [holder: Record<string, unknown>, name: string][] {
  if (!isObjectOrArray(record)) return [];
  return Object.entries(record).flatMap(([name, value]): [Record<string, unknown>, string][] => {
    if (isObjectOrArray(value)) return listOptionalFields(value);
    return optionalNames.has(name) ? [[record, name]] : [];
  });
}
