import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes, randomUUID } from 'node:crypto';

/** Identity of a run, which workers inherit in the environment variable `CONFORMANCE_RUN`. */
export interface RunIdentity {
  id: string;
  startedAt: string;
  /** Secret key of the run: 32 random bytes in hexadecimal. Must not be written to disk. */
  key: string;
}

/** Creates the identity of a new run, and stores it in the environment (`CONFORMANCE_RUN`). */
export function exportNewRunIdentity(): RunIdentity {
  const identity = {
    id: randomUUID(),
    startedAt: new Date().toISOString(),
    key: randomBytes(32).toString('hex'),
  };
  process.env.CONFORMANCE_RUN = JSON.stringify(identity);
  return identity;
}

export const readCurrentRun = (): RunIdentity | undefined =>
  process.env.CONFORMANCE_RUN ? (JSON.parse(process.env.CONFORMANCE_RUN) as RunIdentity) : undefined;

/** Derives the trace id that all requests of a run share. The id has 32 hex digits (W3C Trace Context, section 3.2.2.3). */
export const createTraceId = ({ id }: RunIdentity): string => hash('sha256', id).slice(0, 32);

/** Derives the secret key for hashing identifiers and records. All workers of a run derive the same key. */
export const deriveHashKey = ({ key }: RunIdentity): string =>
  createHmac('sha256', key).update('records').digest('hex');

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const authTagLength = 16;

/**
 * Encrypts a value with AES-256-GCM and the key of the run.
 * @returns Base64 of nonce (12 bytes), authentication tag (16 bytes) and encrypted JSON text
 */
export function encrypt({ key }: RunIdentity, value: unknown): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, Buffer.from(key, 'hex'), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

/** Decrypts the result of `encrypt`. Throws if another run has encrypted the value. */
export function decrypt<Value>({ key }: RunIdentity, sealed: string): Value {
  const bytes = Buffer.from(sealed, 'base64');
  const textStart = nonceLength + authTagLength;
  const nonce = bytes.subarray(0, nonceLength);
  const authTag = bytes.subarray(nonceLength, textStart);
  const encryptedText = bytes.subarray(textStart);
  const decipher = createDecipheriv(algorithm, Buffer.from(key, 'hex'), nonce);
  decipher.setAuthTag(authTag);
  const text = Buffer.concat([decipher.update(encryptedText), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as Value;
}
