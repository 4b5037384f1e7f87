import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes, randomUUID } from 'node:crypto';

/** Identity that all processes of a run share. Workers inherit it in the environment variable `CONFORMANCE_RUN`. */
export interface RunIdentity {
  /** Random UUID. */
  id: string;
  /** Time in ISO 8601. */
  startedAt: string;
  /** Secret of the run, never written to disk: 32 random bytes in hexadecimal. Encrypts stored identifiers and keys their hashes. */
  key: string;
}

const { env } = process;

/** Creates a random identity, and sets `CONFORMANCE_RUN` to it in this process, whose workers inherit the variable. */
export function nameRun(): RunIdentity {
  const identity = {
    id: randomUUID(),
    startedAt: new Date().toISOString(),
    key: randomBytes(32).toString('hex'),
  };
  env.CONFORMANCE_RUN = JSON.stringify(identity);
  return identity;
}

/** Reads the identity of the run from `CONFORMANCE_RUN`; undefined if no run has begun. */
export const readCurrentRun = (): RunIdentity | undefined =>
  env.CONFORMANCE_RUN ? (JSON.parse(env.CONFORMANCE_RUN) as RunIdentity) : undefined;

/** Derives the trace id of all requests of a run (W3C Trace Context, section 3.2.2.3) from the run id, so that all workers use one. */
export const createTraceId = ({ id }: RunIdentity): string => hash('sha256', id).slice(0, 32);

/** Derives the key with which a run hashes the identifiers and values of records, equal in every worker. */
export const deriveHashKey = ({ key }: RunIdentity): string =>
  createHmac('sha256', key).update('records').digest('hex');

const algorithm = 'aes-256-gcm';

/**
 * Encrypts a value, such as identifiers of listed records, so that only workers of the run can read it from disk.
 * @returns 12 bytes of nonce, 16 bytes of authentication tag, and the text, in Base64
 */
export function seal({ key }: RunIdentity, value: unknown): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv(algorithm, Buffer.from(key, 'hex'), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

/** Decrypts a value that `seal` of the same run encrypted. @throws an error of Node if another run encrypted the value */
export function unseal<Value>({ key }: RunIdentity, sealed: string): Value {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(algorithm, Buffer.from(key, 'hex'), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as Value;
}
