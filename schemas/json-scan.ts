import { isSuspicious, numberFault } from './json-numbers.ts';

/** What one pass over the bytes of a JSON text tells: all that can be known without knowing where it stands. */
export interface Scan {
  /** Members of all objects, each time that a key is written. */
  members: number;
  depth: number;
  /** An estimate of the memory that the parsed value takes, in bytes; rather too high. */
  memory: number;
  infiniteNumbers: number;
  inexactNumbers: number;
}

/** What a byte begins, outside of strings. */
const kinds = new Uint8Array(256);
const [string, number, member, object, array, close, element] = [1, 2, 3, 4, 5, 6, 7];
for (const byte of Buffer.from('0123456789-')) kinds[byte] = number;
for (const [text, kind] of [
  ['"', string],
  [':', member],
  ['{', object],
  ['[', array],
  [']}', close],
  [',', element],
] as const)
  for (const byte of Buffer.from(text)) kinds[byte] = kind;

/** Bytes of the parsed value for each of these, as measured: objects of ever different keys are the worst. */
const memoryOf = { string: 32, member: 64, object: 64, array: 48, element: 16 };

/** Reads the bytes of a text once. Whether it is JSON is not its matter. */
export function scanJson(bytes: Uint8Array): Scan {
  const counts = new Float64Array(8);
  const scan = { members: 0, depth: 0, memory: 0, infiniteNumbers: 0, inexactNumbers: 0 };
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const kind = kinds[bytes[at] as number] as number;
    if (kind === 0) continue;
    counts[kind] = (counts[kind] as number) + 1;
    if (kind === string) at = stringEnd(bytes, at) - 1;
    else if (kind === number) at = scanNumber(scan, bytes, at) - 1;
    else if (kind === object || kind === array) scan.depth = Math.max(scan.depth, ++depth);
    else if (kind === close) depth -= 1;
  }
  return { ...scan, ...totals(counts) };
}

function totals(counts: Float64Array): Pick<Scan, 'members' | 'memory'> {
  const count = (kind: number) => counts[kind] ?? 0;
  const memory =
    count(string) * memoryOf.string +
    count(member) * memoryOf.member +
    count(object) * memoryOf.object +
    count(array) * memoryOf.array +
    count(element) * memoryOf.element;
  return { members: count(member), memory };
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
  const fault = numberFault(textOf(bytes, begin, end));
  if (fault === 'infinite') scan.infiniteNumbers += 1;
  if (fault === 'inexact') scan.inexactNumbers += 1;
  return end;
}

function hasExponent(bytes: Uint8Array, begin: number, end: number): boolean {
  for (let at = begin; at < end; at += 1) if (isExponent(bytes[at] as number)) return true;
  return false;
}

/** The text of some bytes. */
export const textOf = (bytes: Uint8Array, begin: number, end: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + begin, end - begin).toString('utf8');
