import * as scan from './scan.ts';
import { behindBlanks } from './syntax.ts';

// Constants of this file: in a loop over bytes, each use of an import would be a look-up.
const { stringEnd, tokenAt: kindAt } = scan;
const { string, object, array, comma, end: endToken } = scan.tokens;
const skipBlanks = behindBlanks;

/** Where a value stands in a JSON text: from its first byte to the one behind its last. */
export interface Span {
  begin: number;
  end: number;
}

/** A member of an object: where its key begins, and where its value stands. */
export interface Member extends Span {
  key: number;
}

/** Where a value stands that begins at a place, or behind blanks. */
export function spanAt(bytes: Uint8Array, at: number): Span {
  const begin = skipBlanks(bytes, at);
  return { begin, end: valueEnd(bytes, begin) };
}

/** The members of the object that begins at a place, one by one. */
export function* membersAt(bytes: Uint8Array, begin: number): Generator<Member> {
  let key = skipBlanks(bytes, begin + 1);
  while (kindAt(bytes, key) === string) {
    const colon = skipBlanks(bytes, stringEnd(bytes, key));
    const value = skipBlanks(bytes, colon + 1);
    const end = valueEnd(bytes, value);
    yield { key, begin: value, end };
    key = behindSeparator(bytes, end);
  }
}

/** Calls back with each element of the array that begins at a place: where it begins, and what follows on it. */
export function eachElement(
  bytes: Uint8Array,
  list: number,
  take: (begin: number, end: number) => void,
): void {
  let begin = skipBlanks(bytes, list + 1);
  while (begin < bytes.length && kindAt(bytes, begin) !== endToken) {
    const end = valueEnd(bytes, begin);
    take(begin, end);
    begin = behindSeparator(bytes, end);
  }
}

/** Behind a value and its comma, if one follows. */
function behindSeparator(bytes: Uint8Array, end: number): number {
  const at = skipBlanks(bytes, end);
  return kindAt(bytes, at) === comma ? skipBlanks(bytes, at + 1) : at;
}

function valueEnd(bytes: Uint8Array, begin: number): number {
  const token = kindAt(bytes, begin);
  if (token === string) return stringEnd(bytes, begin);
  return token === object || token === array ? containerEnd(bytes, begin) : scalarEnd(bytes, begin);
}

function containerEnd(bytes: Uint8Array, begin: number): number {
  let depth = 0;
  for (let at = begin; at < bytes.length; at += 1) {
    const token = kindAt(bytes, at);
    if (token === string) at = stringEnd(bytes, at) - 1;
    else if (token === object || token === array) depth += 1;
    else if (token === endToken) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return bytes.length;
}

/** The end of a number or a literal: blanks, a comma, or what ends an object or array follow. */
function scalarEnd(bytes: Uint8Array, begin: number): number {
  let at = begin + 1;
  while (at < bytes.length && (bytes[at] as number) > 0x20 && !isDelimiter(kindAt(bytes, at))) at += 1;
  return at;
}

const isDelimiter = (token: number) => token === comma || token === endToken;
