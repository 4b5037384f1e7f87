import { distance } from 'fastest-levenshtein';
import { lastStep } from '../../schemas/contract/check-validation.ts';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { type Entry, toleration } from '../../schemas/contract/ledger.ts';
import { pattern } from '../../schemas/contract/nodes.ts';
import type { Undeclared } from '../../schemas/judge/undeclared.ts';
import type { Finding } from './observation.ts';

/** What is said of a field that the contract does not name. */
export function describeUndeclared(field: Undeclared): Pick<Finding, 'expected' | 'actual'> {
  const hint = suggestion(field);
  return {
    expected: hint ? `only declared fields; did you mean \`${hint}\`?` : 'only declared fields',
    actual: describeType(field.value),
  };
}

const describeType = (value: unknown) =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'an array'
      : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;

/** A name that is longer is no slip of the pen. */
const longestName = 40;

/** An absent declared field whose name is close to that of an undeclared one. */
function suggestion({ name, parent, schema }: Undeclared): string | undefined {
  if (name.length > longestName) return undefined;
  return closeFields(schema, name).find((field) => !Object.hasOwn(parent, field));
}

/** Fields of a schema whose names are close to one, as found before: the same name may come a million times. */
const close = new WeakMap<Schema, Map<string, string[]>>();
const maxNames = 1000;

function closeFields(schema: Schema, name: string): string[] {
  const names = close.get(schema) ?? new Map<string, string[]>();
  close.set(schema, names);
  if (names.size >= maxNames) names.clear();
  const fields =
    names.get(name) ??
    Object.keys(schema.properties ?? {}).filter((field) => isClose(plain(field), plain(name)));
  names.set(name, fields);
  return fields;
}

const plain = (name: string) => name.toLowerCase().replace(/[_-]/g, '');
const isClose = (one: string, other: string) =>
  distance(one, other) <= Math.max(1, Math.floor(one.length / 4));

/** Whether a field is there in place of one that may, as the ledger says, come under its name. */
export function isToleratedName(
  operation: Operation,
  field: Undeclared,
  entries: Entry[],
  body: unknown,
): boolean {
  return entries.some((entry) => {
    if (!('name' in entry.accepts) || entry.accepts.name !== field.name) return false;
    const own = lastStep(entry.requirement);
    const isSibling = entry.requirement === `${operation.id}${pattern(field.parentPointer)}/${own}`;
    return isSibling && isMissed(field, own) && tolerates(entry, field, own, body);
  });
}

/** Whether it is a violation that a field is missing where another has come. */
const isMissed = ({ name, schema }: Undeclared, own: string) =>
  schema.required?.includes(own) || schema.properties?.[own]?.['x-observed-names']?.includes(name);

function tolerates(entry: Entry, { parent, parentPointer }: Undeclared, own: string, body: unknown): boolean {
  const value = Object.hasOwn(parent, own) ? parent[own] : undefined;
  const pointer = `${parentPointer}/${own}`;
  const violation = { requirement: entry.requirement, pointer, expected: '', value };
  return toleration(violation, [entry], body) !== undefined;
}
