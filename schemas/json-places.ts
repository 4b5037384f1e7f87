import type { Schema } from './contract.ts';
import { besideInteger, type NumberFault, numberFault } from './json-numbers.ts';
import { numberEnd, stringEnd, textOf } from './json-scan.ts';
import { below, type Pointer, root } from './pointer.ts';

/** A place at which JSON.parse hides something. */
export interface HiddenPlace {
  fault: 'repeated key' | NumberFault;
  pointer: string;
  /** Of an inexact number: the double beside the integer. */
  beside: number;
  schema: Schema | undefined;
}

/** An object or array that is being read. */
interface Level {
  pointer: Pointer;
  schema: Schema | undefined;
  /** Keys so far; an array has none. */
  keys: Set<string> | undefined;
  key: string;
  index: number;
  expectsKey: boolean;
}

/**
 * Finds each place of a JSON text at which JSON.parse hides something, with the schema of the place as far as one is
 * given. Asked only of a text that hides something. Depth and size cost no more than the text itself has.
 */
export function* hiddenPlaces(bytes: Uint8Array, schema?: Schema): Generator<HiddenPlace> {
  const levels: Level[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const level = levels.at(-1);
    const sign = String.fromCharCode(bytes[at] as number);
    if (sign === '"') {
      const end = stringEnd(bytes, at);
      if (level?.expectsKey && isRepeated(level, bytes, at, end))
        yield { fault: 'repeated key', ...placeIn(level, schema), beside: 0 };
      at = end - 1;
    } else if (isNumberStart(sign)) {
      const end = numberEnd(bytes, at);
      const text = textOf(bytes, at, end);
      const fault = numberFault(text);
      if (fault) yield { fault, ...placeIn(level, schema), beside: besideInteger(text) };
      at = end - 1;
    } else structure(levels, sign, schema);
  }
}

const isNumberStart = (sign: string) => sign === '-' || (sign >= '0' && sign <= '9');

/** Takes over a key that has been read. @returns whether its object has it already. */
function isRepeated(level: Level, bytes: Uint8Array, begin: number, end: number): boolean {
  const key: unknown = JSON.parse(textOf(bytes, begin, end));
  level.key = typeof key === 'string' ? key : '';
  level.expectsKey = false;
  const known = level.keys?.has(level.key) ?? false;
  level.keys?.add(level.key);
  return known;
}

function structure(levels: Level[], sign: string, schema: Schema | undefined): void {
  const level = levels.at(-1);
  if (sign === '{' || sign === '[') levels.push(opened(sign === '{', placeIn(level, schema)));
  else if (sign === '}' || sign === ']') levels.pop();
  else if (sign === ',' && level) {
    level.index += 1;
    level.expectsKey = level.keys !== undefined;
  }
}

const opened = (isObject: boolean, place: ReturnType<typeof placeIn>): Level => ({
  ...place,
  keys: isObject ? new Set() : undefined,
  key: '',
  index: 0,
  expectsKey: isObject,
});

/** The place that is being read, in an object or array, or the text as a whole. */
function placeIn(level: Level | undefined, schema: Schema | undefined) {
  if (!level) return { pointer: root, schema };
  const { properties = {} } = level.schema ?? {};
  return level.keys
    ? {
        pointer: below(level.pointer, level.key),
        schema: Object.hasOwn(properties, level.key) ? properties[level.key] : undefined,
      }
    : { pointer: below(level.pointer, level.index), schema: level.schema?.items };
}
