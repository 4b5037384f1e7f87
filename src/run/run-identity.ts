import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes, randomUUID } from 'node:crypto';

/** Identity that all processes of a run share. Workers inherit it in the environment variable `CONFORMANCE_RUN`. */
export interface RunIdentity {
  id: string;
  startedAt: string;
  /** 32 random bytes in hexadecimal, held by the processes of the run alone. */
  key: string;
}

const { env } = process;

/** Creates the identity of a run, for this process and for the workers that it starts. */
export function nameRun(): RunIdentity {
  const identity = {
    id: randomUUID(),
    startedAt: new Date().toISOString(),
    key: randomBytes(32).toString('hex'),
  };
  env.CONFORMANCE_RUN = JSON.stringify(identity);
  return identity;
}

/** Returns the run of this process; undefined if none has begun. */
export const readCurrentRun = (): RunIdentity | undefined =>
  env.CONFORMANCE_RUN ? (JSON.parse(env.CONFORMANCE_RUN) as RunIdentity) : undefined;

/** Creates the trace id of the requests of a run (W3C Trace Context, section 3.2.2.3), equal in every worker. */
export const createTraceId = ({ id }: RunIdentity): string => hash('sha256', id).slice(0, 32);

/** Derives the key of the hashes of records and identities of a run. */
export const deriveHashKey = ({ key }: RunIdentity): string =>
  createHmac('sha256', key).update('records').digest('hex');

const algorithm = 'aes-256-gcm';

/** Encrypts a value for later workers of the run, such as identifiers of listed records, because no other process may read it. */
export function seal({ key }: RunIdentity, value: unknown): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv(algorithm, Buffer.from(key, 'hex'), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

/** Decrypts a value that another worker of the run sealed. @throws if the value belongs to another run */
export function unseal<Value>({ key }: RunIdentity, sealed: string): Value {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(algorithm, Buffer.from(key, 'hex'), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as Value;
}
