import { loadContract } from '../../../schemas/contract/contract.ts';
import { listNodes } from '../../../schemas/contract/nodes.ts';
import { findMatchingFields, isObjectOrArray } from '../../../schemas/json.ts';

/**
 * List elements that get a wrong value, for example customers of a page.
 * `only`: the middle element gets the wrong value, and all other elements are removed.
 */
const placements = ['every', 'first', 'middle', 'last', 'only'] as const;
export type Placement = (typeof placements)[number];

/** Chooses a placement from the letters of a fault's name, so that each run chooses the same one. */
export function choosePlacement(name: string): Placement {
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return placements[sum % placements.length] ?? 'every';
}

/**
 * Sets the field of `object` at a JSON Pointer such as `/data/card/title`, or removes it if `value` is undefined.
 * A `*` in the pointer stands for the list elements that `placement` chooses.
 * Returns false if the object lacks the field.
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
  const hasNode = (index: number) => steps.length === 0 || hasField(list[index], steps);
  const chosenIndices = chooseIndices([...list.keys()].filter(hasNode), placement);
  if (chosenIndices.length === 0) return false;
  for (const index of chosenIndices) setField(list, [String(index), ...steps], value, placement);
  if (placement === 'every') return true;
  const isChosen = (_element: unknown, index: number) => chosenIndices.includes(index);
  if (placement === 'only') list.splice(0, list.length, ...list.filter(isChosen));
  else makeFieldSetUnique(list.filter((element, index) => !isChosen(element, index)));
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

const optionalFieldNames = new Set(
  loadContract()
    .operations.flatMap(listNodes)
    .filter(({ kind, required, schema }) => kind === 'field' && !required && !schema.properties)
    .map(({ name }) => name),
);

let callCount = 0;

/**
 * Removes some optional fields of the record that has the most of them. Changes the record in place.
 * Each call leaves the record with another set of fields.
 * The suite looks up one record for each set of fields, so it then looks up this record, too.
 */
export function makeFieldSetUnique(records: unknown[]): void {
  const fieldsOfRecords = records.map(listOptionalFields);
  const [optionalFields = []] = fieldsOfRecords.sort((first, second) => second.length - first.length);
  callCount += 1;
  // The binary digits of the number of the call select the fields: call 5, in binary 101, removes fields 0 and 2.
  const removedFields = optionalFields.filter((_, index) => (callCount >> index) % 2 === 1);
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
