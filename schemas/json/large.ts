import type { Schema } from '../contract/contract.ts';
import { keyAt } from './keys.ts';
import { largeList } from './list.ts';
import { textBetween, tokenAt, tokens } from './scan.ts';
import { type Member, membersAt, type Span, spanAt } from './spans.ts';

/** Bytes of text that are parsed at once. */
export const usualChunk = 16 * 1024;

/** Members of an object that the contract does not name: so many are kept, each no longer than so many bytes. */
const [maxKept, longestKept] = [1000, 1000];

/** What there is of a large object beside the members that are kept. */
interface LargeObject {
  bytes: Uint8Array;
  begin: number;
  size: number;
}

const largeObjects = new WeakMap<object, LargeObject>();

/** How many members an object has. */
export const sizeOf = (value: object): number => largeObjects.get(value)?.size ?? Object.keys(value).length;

/** All members of an object, none of an array; in one that is large, those not kept have an empty value of their type. */
export function* membersOf(value: Record<string, unknown>): Generator<[name: string, value: unknown]> {
  if (Array.isArray(value)) return;
  const large = largeObjects.get(value);
  if (!large) for (const name of Object.keys(value)) yield [name, value[name]];
  else
    for (const member of membersAt(large.bytes, large.begin)) {
      const name = keyAt(large.bytes, member.key);
      yield [name, Object.hasOwn(value, name) ? value[name] : emptyOf(large.bytes, member)];
    }
}

/**
 * Reads a JSON text that is too large to be parsed at once, along its schema: a list is parsed piece by piece, whenever
 * it is walked; of what the schema does not describe little is kept. Memory does not grow with the text.
 * @param bytes a text that is known to be JSON
 */
export function readLarge(bytes: Uint8Array, start: number, schema?: Schema, chunk = usualChunk): unknown {
  return new LargeReader(bytes, chunk).read(spanAt(bytes, start), schema);
}

class LargeReader {
  readonly #bytes: Uint8Array;
  readonly #chunk: number;

  constructor(bytes: Uint8Array, chunk: number) {
    this.#bytes = bytes;
    this.#chunk = chunk;
  }

  /** Goes no deeper than the schema. */
  read(span: Span, schema: Schema | undefined): unknown {
    const kind = tokenAt(this.#bytes, span.begin);
    const isLarge = span.end - span.begin > this.#chunk;
    if (isLarge && kind === tokens.array) return this.#list(span, schema?.items);
    if (isLarge && kind === tokens.object) return this.#object(span, schema);
    return JSON.parse(textBetween(this.#bytes, span.begin, span.end));
  }

  #list({ begin }: Span, items: Schema | undefined): unknown[] {
    const read = (element: Span) => this.read(element, items);
    return largeList({ bytes: this.#bytes, begin, chunk: this.#chunk, read });
  }

  #object({ begin }: Span, { properties = {} }: Schema = {}): object {
    const object = {};
    let [size, kept] = [0, 0];
    for (const member of membersAt(this.#bytes, begin)) {
      const name = keyAt(this.#bytes, member.key);
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
      size += 1;
      if (field) define(object, name, this.read(member, field));
      else if (kept < maxKept) {
        kept += 1;
        define(object, name, this.#undeclared(member));
      }
    }
    largeObjects.set(object, { bytes: this.#bytes, begin, size });
    return object;
  }

  /** A ledger may know it as a field of another name. */
  #undeclared(member: Member): unknown {
    if (member.end - member.begin <= longestKept) return this.read(member, undefined);
    return tokenAt(this.#bytes, member.begin) === tokens.array
      ? this.#list(member, undefined)
      : emptyOf(this.#bytes, member);
  }
}

/** Also one that objects inherit. */
const define = (object: object, name: string, value: unknown) =>
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });

/** The value itself where it is a literal. */
function emptyOf(bytes: Uint8Array, { begin, end }: Span): unknown {
  const kind = tokenAt(bytes, begin);
  if (kind === tokens.object) return {};
  if (kind === tokens.array) return [];
  if (kind === tokens.string) return '';
  return kind === tokens.number ? 0 : JSON.parse(textBetween(bytes, begin, end));
}
