import { loadContract } from '../../../schemas/contract/contract.ts';
import { listNodes } from '../../../schemas/contract/nodes.ts';
import { findMatchingFields, isObjectOrArray } from '../../../schemas/json.ts';

/** List elements that get a wrong value; `only` means the middle one, and removes all others. */
const placements = ['every', 'first', 'middle', 'last', 'only'] as const;
export type Placement = (typeof placements)[number];

/** Chooses which list elements get a wrong value: always the same for the same `name`, such as that of a fault. */
export function choosePlacement(name: string): Placement {
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return placements[sum % placements.length] ?? 'every';
}

/**
 * Sets the field at `pointer`; `*` stands for the elements that `placement` chooses.
 * @param value undefined removes the field
 * @returns false if `object` lacks the field
 */
export function plantAt(object: object, pointer: string, value: unknown, placement: Placement): boolean {
  return setField(object, pointer.split('/').slice(1), value, placement);
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
  const canSetAt = (index: number) => steps.length === 0 || hasField(list[index], steps);
  const chosenIndices = chooseIndices([...list.keys()].filter(canSetAt), placement);
  if (chosenIndices.length === 0) return false;
  for (const index of chosenIndices) setField(list, [String(index), ...steps], value, placement);
  const chosenElements = list.filter((_, index) => chosenIndices.includes(index));
  const otherElements = list.filter((_, index) => !chosenIndices.includes(index));
  if (placement === 'only') list.splice(0, list.length, ...chosenElements);
  // The suite looks up one record for each set of fields. With a new set, it also looks up a record without the wrong value.
  else if (placement !== 'every') makeFieldSetUnique(otherElements);
  return true;
}

function chooseIndices(indices: number[], placement: Placement): number[] {
  if (placement === 'every') return indices;
  if (placement === 'first') return indices.slice(0, 1);
  if (placement === 'last') return indices.slice(-1);
  // Both `middle` and `only` choose the middle element.
  const middle = Math.floor(indices.length / 2);
  return indices.slice(middle, middle + 1);
}

const hasField = (container: unknown, steps: string[]) =>
  findMatchingFields(container, `/${steps.join('/')}`).some(({ value }) => value !== undefined);

const optionalFieldNames = new Set(
  loadContract()
    .operations.flatMap(listNodes)
    .filter(({ kind, required, schema }) => kind === 'field' && !required && !schema.properties)
    .map(({ name }) => name),
);

let callCount = 0;

/** Removes a selection of the optional fields from the record that has most of them. The selection changes with each call. */
export function makeFieldSetUnique(records: unknown[]): void {
  let mostFields: OptionalField[] = [];
  for (const record of records) {
    const optionalFields = listOptionalFields(record);
    if (optionalFields.length > mostFields.length) mostFields = optionalFields;
  }
  callCount += 1;
  // Bit N of `callCount` decides whether field N is removed: call 5, in binary 101, removes the fields 0 and 2.
  const removedFields = mostFields.filter((_, index) => (callCount >> index) % 2 === 1);
  for (const { parent, name } of removedFields) delete parent[name];
}

interface OptionalField {
  parent: Record<string, unknown>;
  name: string;
}

function listOptionalFields(record: unknown): OptionalField[] {
  if (!isObjectOrArray(record)) return [];
  return Object.entries(record).flatMap(([name, value]): OptionalField[] => {
    if (isObjectOrArray(value)) return listOptionalFields(value);
    return optionalFieldNames.has(name) ? [{ parent: record, name }] : [];
  });
}
