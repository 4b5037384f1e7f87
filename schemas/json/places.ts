import type { Schema } from '../contract/contract.ts';
import { BitStack } from './bit-stack.ts';
import { keyAt, OpenKeys } from './keys.ts';
import { besideInteger, type NumberFault, numberFault } from './numbers.ts';
import { below, longest, type Pointer, root } from './pointer.ts';
import * as scan from './scan.ts';

// Constants of this file: in a loop over bytes, each use of an import would be a look-up.
const { numberEnd, stringEnd, textBetween, tokenAt, tokens } = scan;

/** A number of which JSON.parse loses something. */
export interface NumberPlace {
  pointer: Pointer;
  schema: Schema | undefined;
  /** The double beside the one that it becomes. */
  beside: number;
}

/**
 * Finds each number of a JSON text that has a fault, with the schema of its place as far as one is given. Time is
 * linear in the size of the text; memory is a bit for each level.
 */
export function* numberPlaces(
  bytes: Uint8Array,
  fault: NumberFault,
  schema?: Schema,
): Generator<NumberPlace> {
  const path = new Path(bytes, schema);
  for (const begin of beginnings(tokens.number, bytes, path)) {
    const text = textBetween(bytes, begin, numberEnd(bytes, begin));
    if (numberFault(text) === fault) yield { ...path.place(), beside: besideInteger(text) };
  }
}

/**
 * Finds each key of a JSON text that its object has already. Time is linear in the size of the text; memory is a bit
 * for each level, and some twenty bytes for each key of the objects that are open.
 */
export function* repeatedKeys(bytes: Uint8Array): Generator<Pointer> {
  const keys = new OpenKeys(bytes);
  const path = new Path(bytes, undefined, keys);
  for (const begin of beginnings(tokens.member, bytes, path)) if (keys.add(begin)) yield path.place().pointer;
}

/** Where each number begins, or each key of a member; `path` stands there meanwhile. */
function* beginnings(sought: number, bytes: Uint8Array, path: Path): Generator<number> {
  let key = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const token = tokenAt(bytes, at);
    if (token === tokens.string) {
      key = at;
      at = stringEnd(bytes, at) - 1;
    } else if (token === tokens.member) {
      path.enterMember(key);
      if (sought === tokens.member) yield key;
    } else if (token === tokens.number) {
      if (sought === tokens.number) yield at;
      at = numberEnd(bytes, at) - 1;
    } else if (token !== 0) path.step(token);
  }
}

/** An object or array that is open. */
interface Level {
  isObject: boolean;
  /** Where the current key begins, or the current index. */
  step: number;
  /** Found on demand. */
  pointer: Pointer | undefined;
  schema: Schema | undefined;
}

/** Where the reading of a text stands. Of deeper levels than a pointer names, only the kind is kept. */
class Path {
  readonly #bytes: Uint8Array;
  readonly #schema: Schema | undefined;
  readonly #keys: OpenKeys | undefined;
  readonly #kinds = new BitStack();
  readonly #levels: Level[] = [];

  constructor(bytes: Uint8Array, schema?: Schema, keys?: OpenKeys) {
    this.#bytes = bytes;
    this.#schema = schema;
    this.#keys = keys;
  }

  /** Takes over what begins or ends an object or array, or separates its parts. */
  step(token: number): void {
    if (token === tokens.comma) this.#enterNext();
    else if (token === tokens.end) this.#close();
    else this.#open(token === tokens.object);
  }

  #open(isObject: boolean): void {
    const depth = this.#kinds.size;
    if (depth <= longest)
      this.#levels[depth] = { isObject, step: 0, pointer: undefined, schema: this.#schemaHere() };
    this.#kinds.push(isObject);
    if (isObject) this.#keys?.open();
  }

  #close(): void {
    if (this.#kinds.top) this.#keys?.close();
    this.#kinds.pop();
  }

  enterMember(begin: number): void {
    const level = this.#level;
    if (level) level.step = begin;
  }

  #enterNext(): void {
    const level = this.#level;
    if (level && !level.isObject) level.step += 1;
  }

  place(): { pointer: Pointer; schema: Schema | undefined } {
    return { pointer: this.#pointer(), schema: this.#schemaHere() };
  }

  get #level(): Level | undefined {
    return this.#levels[this.#kinds.size - 1];
  }

  #stepIn = ({ isObject, step }: Level) => (isObject ? keyAt(this.#bytes, step) : step);

  #schemaHere(): Schema | undefined {
    if (this.#kinds.size === 0) return this.#schema;
    const level = this.#level;
    if (!level?.schema) return undefined;
    if (!level.isObject) return level.schema.items;
    const { properties = {} } = level.schema;
    const key = keyAt(this.#bytes, level.step);
    return Object.hasOwn(properties, key) ? properties[key] : undefined;
  }

  /** The pointer of a level is found once, when something in it is found. */
  #pointer(): Pointer {
    const last = Math.min(this.#kinds.size, this.#levels.length) - 1;
    let depth = Math.max(last, 0);
    while (depth > 0 && this.#levels[depth]?.pointer === undefined) depth -= 1;
    let pointer = this.#levels[depth]?.pointer ?? root;
    for (; depth <= last; depth += 1) {
      const level = this.#levels[depth] as Level;
      level.pointer ??= pointer;
      pointer = below(level.pointer, this.#stepIn(level));
    }
    return pointer;
  }
}
