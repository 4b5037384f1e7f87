import { isSuspicious, numberFault } from './numbers.ts';

/** What one pass over the bytes of a JSON text finds: all that can be known without knowing where it stands. */
export interface Scan {
  /** Members of all objects, each time that a key is written. */
  members: number;
  infiniteNumbers: number;
  inexactNumbers: number;
}

/** What a byte begins, outside of strings. */
export const tokens = { string: 1, number: 2, member: 3, object: 4, array: 5, end: 6, comma: 7 } as const;

const kinds = new Uint8Array(256);
for (const [signs, kind] of [
  ['0123456789-', tokens.number],
  ['"', tokens.string],
  [':', tokens.member],
  ['{', tokens.object],
  ['[', tokens.array],
  [']}', tokens.end],
  [',', tokens.comma],
] as const)
  for (const byte of Buffer.from(signs)) kinds[byte] = kind;

/** What a byte begins; 0 when that does not matter. */
export const tokenAt = (bytes: Uint8Array, at: number) => kinds[bytes[at] as number] as number;

/** Reads the bytes of a text once. Whether it is JSON is not its matter. */
export function scanJson(bytes: Uint8Array): Scan {
  const scan = { members: 0, infiniteNumbers: 0, inexactNumbers: 0 };
  for (let at = 0; at < bytes.length; at += 1) {
    const token = tokenAt(bytes, at);
    if (token === 0) continue;
    if (token === tokens.string) at = stringEnd(bytes, at) - 1;
    else if (token === tokens.number) at = scanNumber(scan, bytes, at) - 1;
    else if (token === tokens.member) scan.members += 1;
  }
  return scan;
}

const [quote, backslash] = [0x22, 0x5c];

/** The place behind a string that begins at one. */
export function stringEnd(bytes: Uint8Array, begin: number): number {
  let at = begin + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at + 1;
}

const [upperE, lowerE, plus, minus, point] = [0x45, 0x65, 0x2b, 0x2d, 0x2e];
const isExponent = (byte: number) => byte === lowerE || byte === upperE;
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
const isNumeric = (byte: number) =>
  isDigit(byte) || byte === point || byte === minus || byte === plus || isExponent(byte);

/** The place behind a number that begins at one. */
export function numberEnd(bytes: Uint8Array, begin: number): number {
  let at = begin + 1;
  while (at < bytes.length && isNumeric(bytes[at] as number)) at += 1;
  return at;
}

function scanNumber(scan: Scan, bytes: Uint8Array, begin: number): number {
  const end = numberEnd(bytes, begin);
  if (!isSuspicious(end - begin, hasExponent(bytes, begin, end))) return end;
  const fault = numberFault(textBetween(bytes, begin, end));
  if (fault === 'infinite') scan.infiniteNumbers += 1;
  if (fault === 'inexact') scan.inexactNumbers += 1;
  return end;
}

function hasExponent(bytes: Uint8Array, begin: number, end: number): boolean {
  for (let at = begin; at < end; at += 1) if (isExponent(bytes[at] as number)) return true;
  return false;
}

/** The text of some bytes. */
export const textBetween = (bytes: Uint8Array, begin: number, end: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + begin, end - begin).toString('utf8');
