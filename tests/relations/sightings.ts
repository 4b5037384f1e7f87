import { sibling } from '../../schemas/check-validation.ts';
import type { Operation } from '../../schemas/contract.ts';
import { placesAt } from '../../schemas/places-at.ts';
import { validatorOf } from '../../schemas/validators.ts';
import { schemaAt } from '../../schemas/violations.ts';
import type { Field, ListPlan } from './plan.ts';
import { printOf } from './prints.ts';

/** What a response shows of one record: prints only. */
export interface Sighting {
  key: bigint;
  /** By field; 0 where a value breaks its own rule, so that it is compared with nothing. */
  values: bigint[];
  /** Where the key stands. */
  pointer: string;
}

/** Each record of a list that has a key, one by one: a list may be long. */
export function* sightingsIn(
  operation: Operation,
  { key, fields }: ListPlan,
  body: unknown,
): Generator<Sighting> {
  const isKey = testOf(operation, key);
  const tests = fields.map((field) => ({ field, isOwn: testOf(operation, sibling(key, field.name)) }));
  for (const { pointer, value, parent } of placesAt(body, key)) {
    if (!isKey(value)) continue;
    const values = tests.map(({ field, isOwn }) => printAt(parent, field, isOwn));
    yield { key: printOf(value), values, pointer };
  }
}

/** A value of a single record, by its pointer. */
export function valueIn(operation: Operation, pointer: string, as: Field['as'], body: unknown): bigint {
  const [place] = placesAt(body, pointer);
  if (!place) return 0n;
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  return printAt(place.parent, { name, as }, testOf(operation, pointer));
}

/** Prints of what is there and what is not. */
export const presence = { absent: printOf(false), present: printOf(true) };

function printAt(
  record: Record<string, unknown>,
  { name, as }: Field,
  isOwn: (value: unknown) => boolean,
): bigint {
  if (!Object.hasOwn(record, name)) return as === 'presence' ? presence.absent : 0n;
  const value = record[name];
  if (!isOwn(value)) return 0n;
  return as === 'value' ? printOf(value) : presence.present;
}

/** Whether a value keeps its own rule. */
function testOf(operation: Operation, pointer: string): (value: unknown) => boolean {
  const schema = schemaAt(operation, pointer);
  const validate = schema && validatorOf(schema, pointer);
  return (value) => value !== undefined && (!validate || validate(value) === true);
}
