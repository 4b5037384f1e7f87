import { randomBytes } from 'node:crypto';
import { comparable } from '../../schemas/contract/identifiers.ts';
import { memoize } from '../../schemas/memoize.ts';
import type { Print } from './print-table.ts';

/** Others in each process: nobody can write values that it does not tell apart. */
const seeds = randomBytes(12);
const [first, second, notText] = [0, 4, 8].map((at) => seeds.readInt32LE(at)) as [number, number, number];

/**
 * A whole number of 53 bits that tells the values of a run apart; the same for identifiers that name the same, and never
 * 0. Of two million values, two share one in a run of some five thousand.
 */
export function printOf(value: unknown): number {
  return typeof value === 'string'
    ? printOfText(comparable(value), second)
    : printOfText(JSON.stringify(value) ?? '', notText);
}

/** Prints below an address: of the same text, another address has other ones. */
export const keysAt = memoize((address): ((print: number) => number) => {
  const { high, low } = halvesOf(printOf(address));
  return (print) => (Math.floor(print / 2 ** 32) ^ high) * 2 ** 32 + (((print >>> 0) ^ low) >>> 0) || 1;
});

/** A print of 32 bits, never 0: enough to tell whether one value is another one. */
export const shortPrintOf = (value: unknown): number => printOf(value) >>> 0 || 1;

/** Whether two prints can be compared, and are not the same. @param one 0 where there is nothing to compare */
export const differ = (one: number, other: number): boolean => one !== 0 && other !== 0 && one !== other;

/** A print as a table takes it. */
export const halvesOf = (print: number): Print => ({ high: Math.floor(print / 2 ** 32), low: print >>> 0 });

/** Two hashes of 32 bits, by code units: UTF-8 would not tell halves of a character apart. Records have many values. */
function printOfText(text: string, seed: number): number {
  let one = first;
  let two = seed;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x9e3779b1);
    two = Math.imul(two ^ unit, 0x5f356495);
    two = (two << 13) | (two >>> 19);
  }
  const low = mixed(one ^ Math.imul(two, 0x85ebca6b));
  const high = mixed(two ^ Math.imul(low, 0xc2b2ae35)) & 0x1f_ffff;
  return high * 2 ** 32 + (low >>> 0) || 1;
}

/** Each bit depends on each (the end of MurmurHash3). */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return whole ^ (whole >>> 16);
}
