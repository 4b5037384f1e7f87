import { hash, randomBytes } from 'node:crypto';
import { comparable } from '../../schemas/identifiers.ts';

const seed = randomBytes(16).toString('hex');

/**
 * 64 bits that tell the values of a run apart, and that nothing can be read from; the same for identifiers that name the
 * same, and never 0. JSON tells halves of a character apart, which UTF-8 would not.
 */
export function printOf(value: unknown): bigint {
  const text = JSON.stringify(typeof value === 'string' ? comparable(value) : value) ?? '';
  return hash('sha256', seed + text, 'buffer').readBigUInt64LE() || 1n;
}
