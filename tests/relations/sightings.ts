import { lastStep, sibling } from '../../schemas/contract/check-validation.ts';
import type { Operation } from '../../schemas/contract/contract.ts';
import { comparableTime } from '../../schemas/contract/timestamps.ts';
import { isValid, validatorOf } from '../../schemas/contract/validators.ts';
import { placesAt } from '../../schemas/judge/places-at.ts';
import { schemaAt } from '../../schemas/judge/violations.ts';
import { printOf, shortPrintOf } from './prints.ts';
import type { ComparePlan, Field } from './relation-rules.ts';

/** What a response shows of one record: a print of its key, and prints of 32 bits of its values. */
export interface Sighting {
  key: number;
  /** By field; 0 where a value breaks its own rule, so that it is compared with nothing. */
  values: number[];
  /** Where the key stands. */
  pointer: string;
}

/** Each record of a list that has a key, one by one: a list may be long. */
export function* sightingsIn(operation: Operation, plan: ComparePlan, body: unknown): Generator<Sighting> {
  const { isKey, fields } = testsOf(operation, plan);
  for (const place of placesAt(body, plan.key)) {
    const { value, parent, pointer } = place;
    if (!isKey(value)) continue;
    const values = new Array<number>(fields.length);
    for (const [at, { field, read }] of fields.entries()) values[at] = printAt(parent, field, read);
    yield { key: printOf(value), values, pointer };
  }
}

type Test = (value: unknown) => boolean;

/** The one form in which a value is compared; undefined where it breaks its own rule. */
type Read = (value: unknown) => unknown;

/** What tells whether values of a list can be compared. */
interface ListTests {
  isKey: Test;
  fields: { field: Field; read: Read }[];
}

/** Made once for all pages. */
const tests = new WeakMap<ComparePlan, ListTests>();

function testsOf(operation: Operation, plan: ComparePlan): ListTests {
  const known = tests.get(plan);
  if (known) return known;
  const { key } = plan;
  const fields = plan.fields.map((field) => ({
    field,
    read: readerOf(operation, sibling(key, field.name)),
  }));
  const made = { isKey: testOf(operation, key), fields };
  tests.set(plan, made);
  return made;
}

/** A value of a single record, by its pointer. */
export function valueIn(operation: Operation, pointer: string, as: Field['as'], body: unknown): number {
  const [place] = placesAt(body, pointer);
  if (!place) return 0;
  return printAt(place.parent, { name: lastStep(pointer), as }, readerOf(operation, pointer));
}

/** Prints of what is there and what is not. */
export const presence = { absent: 1, present: 2 };

function printAt(record: Record<string, unknown>, { name, as }: Field, read: Read): number {
  if (!Object.hasOwn(record, name)) return as === 'presence' ? presence.absent : 0;
  const value = read(record[name]);
  if (value === undefined) return 0;
  return as === 'value' ? shortPrintOf(value) : presence.present;
}

function readerOf(operation: Operation, pointer: string): Read {
  const isOwn = testOf(operation, pointer);
  const isTime = schemaAt(operation, pointer)?.format === 'date-time';
  const formOf: Read = (value) => (isTime && typeof value === 'string' ? comparableTime(value) : value);
  return (value) => (isOwn(value) ? formOf(value) : undefined);
}

/** Whether a value keeps its own rule. */
function testOf(operation: Operation, pointer: string): Test {
  const schema = schemaAt(operation, pointer);
  const validate = schema && validatorOf(schema, pointer);
  return (value) => value !== undefined && (!validate || isValid(validate, value));
}
