import { hash } from 'node:crypto';

/**
 * Hashes a text with a secret key to 64 bits, as 11 characters of base64url. Without the secret, nobody can find the text by
 * hashing guesses.
 */
export type HashText = (text: string) => string;

/**
 * Creates a hash function: 64 bits of a SHA-256 of key and text, which takes a quarter of the time of an HMAC. Returns 11
 * characters, because V8 copies a substring of up to 12; a longer one would keep the whole string, 80 MB more for a million
 * records.
 */
export function createKeyedHash(secret: string): HashText {
  const key = hash('sha256', `${secret} records`);
  return (text) => hash('sha256', key + text, 'base64url').slice(0, 11);
}

/** Converts a keyed hash to a 32-bit number, never 0, which stands for a value that cannot be compared. */
export const shortenHash = (text: string): number => Buffer.from(text, 'base64url').readUInt32BE(4) || 1;
