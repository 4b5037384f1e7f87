import { isUtf8 } from 'node:buffer';
import type { Schema } from '../contract/contract.ts';
import { iterable } from '../iterable.ts';
import { memoize } from '../memoize.ts';
import { decode, markLength } from './decode.ts';
import { type Extent, extentOf } from './extent.ts';
import { readLarge, usualChunk } from './large.ts';
import { numberPlaces, repeatedKeys } from './places.ts';
import { type Scan, scanJson } from './scan.ts';
import { isJson } from './syntax.ts';

export { membersOf, sizeOf } from './large.ts';

/** A body that was read as JSON, with what JSON.parse would have hidden. The value is as JSON.parse makes it. */
export interface Document {
  value: unknown;
  /** JSON Pointers of keys that stand twice in one object. */
  repeatedKeys: Iterable<string>;
  /** JSON Pointers of numbers that no finite double can hold. */
  infiniteNumbers: Iterable<string>;
  /**
   * Numbers where the schema has an integer that are none, though JSON.parse made one of them, with JSON Pointer: the
   * double beside it. So `200.00000000000000001` is not taken for 200.
   */
  inexactNumbers: Iterable<[pointer: string, beside: number]>;
  /** How many members all objects of the value have, where that was counted. */
  members?: number | undefined;
}

/** Why a body could not be read. */
export interface Unreadable {
  problem: 'empty' | 'not UTF-8' | 'not JSON';
}

/** How a body is read: at once up to a number of bytes, and by pieces of about so many when it is larger. */
export interface ReadingSizes {
  whole: number;
  chunk: number;
}

/** Parsed, so many bytes of any text take less than 200 MB. */
const usualSizes: ReadingSizes = { whole: 4_000_000, chunk: usualChunk };

const readings = Symbol('readings');

/** A body with what was made of it, for all rules that read it. */
type ReadBody = Uint8Array & {
  [readings]?:
    | { text?: string; document?: { schema: Schema | undefined; result: Document | Unreadable } }
    | undefined;
};

/** What was made of a body. It goes with the body: what is in a WeakMap would outlive it until the next full collection. */
function readingsOf(body: ReadBody) {
  body[readings] ??= {};
  return body[readings];
}

/** The text of a body, made once for all who read it; what is no UTF-8 is replaced. */
export function textOf(body: Uint8Array): string {
  const own = readingsOf(body);
  own.text ??= decode(body);
  return own.text;
}

/** Takes note of the text of a body, which need not be decoded then. It must be what `textOf` would return. */
export function noteText(body: Uint8Array, text: string): void {
  readingsOf(body).text = text;
}

/**
 * Lets go of what was made of a body. V8 keeps what an old object holds until all memory is looked through, even when nobody holds
 * that object any more; a body becomes old while it is received.
 */
export function forgetReadings(body: Uint8Array): void {
  (body as ReadBody)[readings] = undefined;
}

/** Reads a body strictly: UTF-8 (a byte order mark is passed over), RFC 8259, no key lost, no digit lost. */
export function readJson(body: Uint8Array, schema?: Schema, sizes = usualSizes): Document | Unreadable {
  const own = readingsOf(body);
  if (own.document && own.document.schema === schema) return own.document.result;
  const result = readStrictly(body, schema, sizes);
  own.document = { schema, result };
  return result;
}

function readStrictly(
  body: Uint8Array,
  schema: Schema | undefined,
  { whole, chunk }: ReadingSizes,
): Document | Unreadable {
  if (!isUtf8(body)) return { problem: 'not UTF-8' };
  if (textOf(body).trim() === '') return { problem: 'empty' };
  const isLarge = body.length > whole;
  const parsed = isLarge ? parseLarge(body, schema, chunk) : parse(textOf(body));
  if (!parsed) return { problem: 'not JSON' };
  const { members, shortest } = isLarge ? unknownExtent : extentOf(parsed.value);
  const isShortest = shortest === textOf(body).length;
  const scan = isShortest ? { members, infiniteNumbers: 0, inexactNumbers: 0 } : scanJson(body);
  return documentOf(body, parsed.value, scan, scan.members === members, schema);
}

/** That of a large body is not looked for, since it is parsed by pieces. */
const unknownExtent: Extent = { members: Number.NaN, shortest: Number.NaN };

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function parseLarge(body: Uint8Array, schema: Schema | undefined, chunk: number) {
  const start = markLength(body);
  return isJson(body, start) ? { value: readLarge(body, start, schema, chunk) } : undefined;
}

/** Places are looked for only where there may be some, and never kept: there may be millions. */
function documentOf(
  body: Uint8Array,
  value: unknown,
  scan: Scan,
  isLossless: boolean,
  schema?: Schema,
): Document {
  return {
    value,
    repeatedKeys: isLossless ? [] : unlessEmpty(iterable(() => repeatedKeys(body))),
    infiniteNumbers: scan.infiniteNumbers > 0 ? iterable(() => infiniteNumbers(body)) : [],
    inexactNumbers: scan.inexactNumbers > 0 ? unlessEmpty(iterable(() => inexactIntegers(body, schema))) : [],
    members: isLossless ? scan.members : undefined,
  };
}

/** Spares a second search for what is not there. */
function unlessEmpty<T>(iterable: Iterable<T>): Iterable<T> {
  for (const _ of iterable) return iterable;
  return [];
}

function* infiniteNumbers(body: Uint8Array): Generator<string> {
  for (const { pointer } of numberPlaces(body, 'infinite')) yield pointer;
}

function* inexactIntegers(body: Uint8Array, schema?: Schema): Generator<[string, number]> {
  for (const { pointer, beside, schema: ofNumber } of numberPlaces(body, 'inexact', schema))
    if (ofNumber?.type === 'integer') yield [pointer, beside];
}

/** The value at a JSON Pointer, or undefined. */
export function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const key of keysOf(pointer)) {
    if (!isObjectOrArray(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}

/** The keys that a JSON Pointer names, from the root on. */
const keysOf = memoize((pointer) =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
);

/** The value at a JSON Pointer; a number that JSON.parse has made an integer is one beside it. */
export function exactValueAt({ value, inexactNumbers }: Document, pointer: string): unknown {
  for (const [at, beside] of inexactNumbers) if (at === pointer) return beside;
  return valueAt(value, pointer);
}

/** Whether a value is an object, and no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObjectOrArray(value) && !Array.isArray(value);
}

/** Whether a value has members: an object, or an array, whose keys are its indices. */
export function isObjectOrArray(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
