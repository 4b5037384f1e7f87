import { BitStack } from './bit-stack.ts';

const signs = {
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  point: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  array: 0x5b,
  backslash: 0x5c,
  endArray: 0x5d,
  object: 0x7b,
  end: 0x7d,
};

const literals = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)] as const),
);
const escapes = new Set(Buffer.from('"\\/bfnrt'));
const [escapedUnit, upperE, lowerE] = [0x75, 0x45, 0x65];

/** The place behind blanks. */
export function behindBlanks(bytes: Uint8Array, at: number): number {
  for (let next = at; ; next += 1) {
    const sign = bytes[next];
    if (sign !== 0x20 && sign !== 0x0a && sign !== 0x0d && sign !== 0x09) return next;
  }
}

/** Says whether bytes in UTF-8 are a JSON text (RFC 8259). Needs a bit of memory for each level. */
export function isJson(bytes: Uint8Array, begin = 0): boolean {
  const open = new BitStack();
  let at = beginOfScalar(bytes, begin, open);
  while (at >= 0) {
    at = behindScalar(bytes, at);
    if (at < 0) return false;
    at = behindEnds(bytes, at, open);
    if (open.size === 0) return at === bytes.length;
    if (bytes[at] !== signs.comma) return false;
    at = open.top ? behindKey(bytes, at + 1) : at + 1;
    if (at >= 0) at = beginOfScalar(bytes, at, open);
  }
  return false;
}

/** The place behind the ends of objects and arrays, and behind blanks. */
function behindEnds(bytes: Uint8Array, begin: number, open: BitStack): number {
  let at = behindBlanks(bytes, begin);
  while (open.size > 0 && bytes[at] === (open.top ? signs.end : signs.endArray)) {
    open.pop();
    at = behindBlanks(bytes, at + 1);
  }
  return at;
}

/**
 * Opens objects and arrays until there is a string, a number, a literal, or an empty object or array.
 * @returns where that begins; -1 where a key is none
 */
function beginOfScalar(bytes: Uint8Array, begin: number, open: BitStack): number {
  let at = behindBlanks(bytes, begin);
  for (;;) {
    const isObject = bytes[at] === signs.object;
    if (!isObject && bytes[at] !== signs.array) return at;
    const inside = behindBlanks(bytes, at + 1);
    if (bytes[inside] === (isObject ? signs.end : signs.endArray)) return at;
    open.push(isObject);
    at = isObject ? behindKey(bytes, inside) : inside;
    if (at < 0) return -1;
    at = behindBlanks(bytes, at);
  }
}

/** The place behind a key and its colon, or -1. */
function behindKey(bytes: Uint8Array, begin: number): number {
  const quote = behindBlanks(bytes, begin);
  const end = bytes[quote] === signs.quote ? behindString(bytes, quote) : -1;
  const colon = end < 0 ? -1 : behindBlanks(bytes, end);
  return bytes[colon] === signs.colon ? colon + 1 : -1;
}

function behindScalar(bytes: Uint8Array, at: number): number {
  const sign = bytes[at] as number;
  if (sign === signs.quote) return behindString(bytes, at);
  // Nothing but an empty one is left.
  if (sign === signs.object || sign === signs.array) return behindBlanks(bytes, at + 1) + 1;
  if (sign === signs.minus || isDigit(sign)) return behindNumber(bytes, at);
  const literal = literals.get(sign);
  return literal?.every((byte, index) => bytes[at + index] === byte) ? at + literal.length : -1;
}

function behindString(bytes: Uint8Array, begin: number): number {
  let at = begin + 1;
  while (at >= 0 && bytes[at] !== signs.quote) {
    // Beyond the end there is no number.
    if (!((bytes[at] as number) >= 0x20)) return -1;
    at = bytes[at] === signs.backslash ? behindEscape(bytes, at + 1) : at + 1;
  }
  return at < 0 ? -1 : at + 1;
}

/** The place behind what follows on a backslash, or -1. */
function behindEscape(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== escapedUnit) return escapes.has(bytes[at] as number) ? at + 1 : -1;
  for (let digit = at + 1; digit <= at + 4; digit += 1) if (!isHex(bytes[digit] as number)) return -1;
  return at + 5;
}

function behindNumber(bytes: Uint8Array, begin: number): number {
  const first = bytes[begin] === signs.minus ? begin + 1 : begin;
  let at = bytes[first] === signs.zero ? first + 1 : behindDigits(bytes, first);
  if (at >= 0 && bytes[at] === signs.point) at = behindDigits(bytes, at + 1);
  if (at >= 0 && (bytes[at] === lowerE || bytes[at] === upperE)) {
    const isSigned = bytes[at + 1] === signs.plus || bytes[at + 1] === signs.minus;
    at = behindDigits(bytes, at + (isSigned ? 2 : 1));
  }
  return at;
}

/** The place behind one digit or more, or -1. */
function behindDigits(bytes: Uint8Array, begin: number): number {
  let at = begin;
  while (isDigit(bytes[at] as number)) at += 1;
  return at > begin ? at : -1;
}

const isDigit = (sign: number) => sign >= signs.zero && sign <= signs.nine;
const isHex = (sign: number) =>
  isDigit(sign) || (sign >= 0x41 && sign <= 0x46) || (sign >= 0x61 && sign <= 0x66);
