/** What JSON.parse makes of a number that its text does not say. */
export type NumberFault = 'infinite' | 'inexact';

/** A double keeps this many digits of a decimal number: below it, no fraction is rounded away. */
const safeLength = 16;

/** Whether JSON.parse may lose something of a number, by the look of its text. Most numbers are passed here. */
export const isSuspicious = (length: number, hasExponent: boolean) => hasExponent || length > safeLength;

/** What is lost of a number; undefined when nothing is. `inexact` is an integer whose text has a fraction. */
export function numberFault(text: string): NumberFault | undefined {
  const number = Number(text);
  if (!Number.isFinite(number)) return 'infinite';
  return Number.isInteger(number) && !denotesInteger(text) ? 'inexact' : undefined;
}

/** Whether decimal text denotes an integer: `200`, `200.0`, `2e2` and `20.5e1` do. Linear in its length. */
function denotesInteger(text: string): boolean {
  const e = text.search(/e/i);
  const mantissa = e < 0 ? text : text.slice(0, e);
  const exponent = e < 0 ? 0 : Number(text.slice(e + 1));
  let last = mantissa.length - 1;
  while (mantissa[last] === '0' || mantissa[last] === '.') last -= 1;
  if (last < 0 || mantissa[last] === '-') return true;
  const point = mantissa.indexOf('.');
  const units = point < 0 ? mantissa.length : point;
  const power = last < units ? units - 1 - last : units - last;
  return exponent + power >= 0;
}

/** The double beside an integer that a text with a fraction was rounded to, so that it is not taken for one. */
export function besideInteger(text: string): number {
  const number = Number(text);
  return number + Math.max(Number.MIN_VALUE, Math.abs(number) * Number.EPSILON * 2);
}
