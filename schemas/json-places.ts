import type { Schema } from './contract.ts';
import { besideInteger, type NumberFault, numberFault } from './json-numbers.ts';
import { numberEnd, stringEnd, textOf } from './json-scan.ts';
import { below, type Pointer, root } from './pointer.ts';

export type HiddenFault = 'repeated key' | NumberFault;

/** A place at which JSON.parse hides something. */
export interface HiddenPlace {
  fault: HiddenFault;
  pointer: Pointer;
  schema: Schema | undefined;
  /** Of an inexact number: the double beside the integer. */
  beside: number;
}

/** An object or array that is being read. What most never need is found only on demand. */
interface Level {
  parent: Level | undefined;
  isObject: boolean;
  expectsKey: boolean;
  /** Where the current key stands in the text, quotes included. */
  begin: number;
  end: number;
  index: number;
  /** Its first key, and all keys as soon as there are two. */
  first: string | undefined;
  keys: Set<string> | undefined;
  pointer: Pointer | undefined;
  schema: Schema | undefined;
}

/**
 * Finds each place of a JSON text at which JSON.parse hides something of one kind, with the schema of the place as far
 * as one is given. Asked only of a text that hides something. Depth and size cost no more than the text itself has.
 */
export function* hiddenPlaces(
  bytes: Uint8Array,
  fault: HiddenFault,
  schema?: Schema,
): Generator<HiddenPlace> {
  let level: Level | undefined;
  for (let at = 0; at < bytes.length; at += 1) {
    const sign = bytes[at] as number;
    if (sign === signs.quote) {
      const end = stringEnd(bytes, at);
      if (level?.expectsKey && takeKey(level, bytes, at, end, fault))
        yield { fault, ...placeIn(bytes, level, schema), beside: 0 };
      at = end - 1;
    } else if (isNumberStart(sign)) {
      const end = numberEnd(bytes, at);
      const text = textOf(bytes, at, end);
      if (numberFault(text) === fault)
        yield { fault, ...placeIn(bytes, level, schema), beside: besideInteger(text) };
      at = end - 1;
    } else level = structure(bytes, level, sign, schema);
  }
}

const signs = { quote: 0x22, comma: 0x2c, minus: 0x2d, array: 0x5b, object: 0x7b, endArray: 0x5d, end: 0x7d };

const isNumberStart = (sign: number) => sign === signs.minus || (sign >= 0x30 && sign <= 0x39);

/** Takes over a key that has been read. @returns whether its object has it already, if that is what is looked for. */
function takeKey(level: Level, bytes: Uint8Array, begin: number, end: number, fault: HiddenFault): boolean {
  level.begin = begin;
  level.end = end;
  level.expectsKey = false;
  return fault === 'repeated key' && isKnown(level, keyOf(bytes, level));
}

function isKnown(level: Level, key: string): boolean {
  if (level.first === undefined) {
    level.first = key;
    return false;
  }
  level.keys ??= new Set([level.first]);
  const known = level.keys.has(key);
  level.keys.add(key);
  return known;
}

function keyOf(bytes: Uint8Array, { begin, end }: Level): string {
  const key = textOf(bytes, begin + 1, end - 1);
  return key.includes('\\') ? String(JSON.parse(`"${key}"`)) : key;
}

/** The object or array that is being read after a sign. */
function structure(
  bytes: Uint8Array,
  level: Level | undefined,
  sign: number,
  schema: Schema | undefined,
): Level | undefined {
  if (sign === signs.object || sign === signs.array)
    return opened(sign === signs.object, level, schemaIn(bytes, level, schema));
  if (sign === signs.end || sign === signs.endArray) return level?.parent;
  if (sign === signs.comma && level) {
    level.index += 1;
    level.expectsKey = level.isObject;
  }
  return level;
}

const opened = (isObject: boolean, parent: Level | undefined, schema: Schema | undefined): Level => ({
  parent,
  isObject,
  expectsKey: isObject,
  begin: 0,
  end: 0,
  index: 0,
  first: undefined,
  keys: undefined,
  pointer: parent ? undefined : root,
  schema,
});

/** The place that is being read, in an object or array, or the text as a whole. */
const placeIn = (bytes: Uint8Array, level: Level | undefined, schema: Schema | undefined) => ({
  pointer: level ? below(pointerOf(bytes, level), stepIn(bytes, level)) : root,
  schema: schemaIn(bytes, level, schema),
});

const stepIn = (bytes: Uint8Array, level: Level) => (level.isObject ? keyOf(bytes, level) : level.index);

function schemaIn(bytes: Uint8Array, level: Level | undefined, schema: Schema | undefined) {
  if (!level) return schema;
  if (!level.schema) return undefined;
  if (!level.isObject) return level.schema.items;
  const { properties = {} } = level.schema;
  const key = keyOf(bytes, level);
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** The pointer of an object or array; found once for each while it is read, without recursion. */
function pointerOf(bytes: Uint8Array, level: Level): Pointer {
  const unnamed: Level[] = [];
  for (let at: Level | undefined = level; at && at.pointer === undefined; at = at.parent) unnamed.push(at);
  for (const one of unnamed.reverse())
    if (one.parent) one.pointer = below(one.parent.pointer ?? root, stepIn(bytes, one.parent));
  return level.pointer ?? root;
}
