import { hash } from 'node:crypto';

/** Hashes a text to 64 bits, as 16 hexadecimal digits. Without the secret, nothing leads back to the text. */
export type HashOf = (text: string) => string;

/** Returns a hash function: the first half of a SHA-256 of key and text, which takes a quarter of the time of an HMAC. */
export function keyedHash(secret: string): HashOf {
  const key = hash('sha256', `${secret} records`);
  return (text) => hash('sha256', key + text).slice(0, 16);
}

/** Returns half of a hash as a number of 32 bits other than 0. */
export const numberOf = (hash: string): number => Number.parseInt(hash.slice(8), 16) || 1;
