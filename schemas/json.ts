import { isUtf8 } from 'node:buffer';
import type { Schema } from './contract.ts';
import { memoryOf } from './json-memory.ts';
import { type HiddenFault, hiddenPlaces } from './json-places.ts';
import { type Scan, scanJson } from './json-scan.ts';

/** A body that was read as JSON, with what JSON.parse would have hidden. The value is as JSON.parse made it. */
export interface Document {
  value: unknown;
  /** JSON Pointers of keys that stand twice in one object. */
  repeatedKeys: Iterable<string>;
  /** JSON Pointers of numbers that no finite double can hold. */
  infiniteNumbers: Iterable<string>;
  /**
   * Numbers where the schema has an integer that are none, though JSON.parse made one of them, by JSON Pointer: the
   * double beside it. So `200.00000000000000001` is not taken for 200.
   */
  inexactNumbers: ReadonlyMap<string, number>;
}

/** Why a body could not be read: what breaks the contract, or a limit of this suite. */
export type Unreadable = { problem: 'empty' | 'not UTF-8' | 'not JSON' } | { limit: string };

/** Levels of objects and arrays. JSON.stringify of Node.js fails at less than 5,000. */
const deepest = 3500;
/** Bytes that a parsed value may take. With the text it comes from, a run stays below 500 MB. */
const mostMemory = 200_000_000;
/** Bytes of text that never become more than that. */
const alwaysFits = 4_000_000;

const tooDeep = `the body is nested deeper than this suite can read: more than ${deepest} levels`;
const tooMany =
  'the body holds more values than this suite can keep: they would take more than 200 MB of memory';

const texts = new WeakMap<Uint8Array, string>();

/** The text of a body, made once for all who read it; what is no UTF-8 is replaced. */
export function textOf(body: Uint8Array): string {
  const text = texts.get(body) ?? new TextDecoder().decode(body);
  texts.set(body, text);
  return text;
}

/** Reads a body strictly: UTF-8 (a byte order mark is passed over), RFC 8259, no key lost, no digit lost. */
export function readJson(body: Uint8Array, schema?: Schema): Document | Unreadable {
  const before = read.get(body);
  if (before && before.schema === schema) return before.result;
  const result = readStrictly(body, schema);
  read.set(body, { schema, result });
  return result;
}

/** A body is read by several rules: its value takes memory once, and no longer than the body. */
const read = new WeakMap<Uint8Array, { schema: Schema | undefined; result: Document | Unreadable }>();

function readStrictly(body: Uint8Array, schema?: Schema): Document | Unreadable {
  if (!isUtf8(body)) return { problem: 'not UTF-8' };
  const text = textOf(body);
  if (text.trim() === '') return { problem: 'empty' };
  if (body.length > alwaysFits && memoryOf(body) > mostMemory) return { limit: tooMany };
  const parsed = parse(text);
  if (!parsed) return { problem: 'not JSON' };
  const scan = scanJson(body);
  return scan.depth > deepest ? { limit: tooDeep } : documentOf(body, parsed.value, scan, schema);
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Places are looked for only where the counts say that there are some, and never kept: there may be millions. */
function documentOf(body: Uint8Array, value: unknown, scan: Scan, schema?: Schema): Document {
  const places = (fault: HiddenFault) => ({
    *[Symbol.iterator]() {
      for (const { pointer } of hiddenPlaces(body, fault)) yield pointer;
    },
  });
  return {
    value,
    repeatedKeys: scan.members > countMembers(value) ? places('repeated key') : [],
    infiniteNumbers: scan.infiniteNumbers > 0 ? places('infinite') : [],
    inexactNumbers: new Map(scan.inexactNumbers > 0 ? inexactIntegers(body, schema) : []),
  };
}

function* inexactIntegers(body: Uint8Array, schema?: Schema): Generator<[string, number]> {
  for (const place of hiddenPlaces(body, 'inexact', schema))
    if (place.schema?.type === 'integer') yield [place.pointer, place.beside];
}

/** Members of all objects of a value, at any depth. */
function countMembers(value: unknown): number {
  let count = 0;
  const pending = [value];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const parts: unknown[] = Array.isArray(at) ? at : isObject(at) ? Object.values(at) : [];
    if (!Array.isArray(at)) count += parts.length;
    for (const part of parts) if (isObject(part)) pending.push(part);
  }
  return count;
}

/** The value at a JSON Pointer, or undefined. */
export function valueAt(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  let at = value;
  for (const step of pointer.slice(1).split('/')) {
    const key = step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step;
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}

/** The value at a JSON Pointer; a number that JSON.parse has made an integer is one beside it. */
export const exactValueAt = ({ value, inexactNumbers }: Document, pointer: string): unknown =>
  inexactNumbers.get(pointer) ?? valueAt(value, pointer);

/** Whether a value has members: an object, or an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
