import { setTimeout as pause } from 'node:timers/promises';
import { isHeader, reservedHeaders } from './headers.ts';
import { describeFailure, type Entries, ModuleProcess } from './module-process.ts';

/** What an `AUTH_MODULE` receives about the request that is about to be sent. */
export interface SignedRequest {
  method: 'GET';
  /** Full address, query included, exactly as on the wire. */
  url: string;
  /** Path of `url`, a path in `BASE_URL` included. */
  path: string;
  /** Query of `url` without the question mark; empty when there is none. */
  query: string;
  /** Headers that will be sent besides those that are returned, names in lower case. */
  headers: Record<string, string>;
  /** When the request is sent. */
  now: Date;
  /** Set when this request was rejected with 401 a moment ago and is about to be repeated once. */
  unauthorized?: true;
}

/** Default export of an `AUTH_MODULE`: headers that sign one request. */
export type Sign = (request: SignedRequest) => SignedHeaders | Promise<SignedHeaders>;

type SignedHeaders = Record<string, string> | Iterable<[name: string, value: string]>;

/** The module could not sign. Names the file; what the module said is withheld, for it may hold a secret. */
export class SigningError extends Error {
  override name = 'SigningError';
}

/** How the sentences on a module begin. */
const subject = 'AUTH_MODULE ';

/** Whether a sentence of this suite names a module, and perhaps what it has thrown. */
export const namesModule = (sentence: string): boolean => sentence.includes(subject);

/** A module that signs, in a process of its own. */
export interface Signer {
  /** @throws {SigningError} when the module fails, is late, ends its process, or returns what is no header. */
  sign(request: SignedRequest): Promise<Record<string, string>>;
  close(): void;
}

/** Loads the module that signs requests. @throws {SigningError} when it cannot be loaded or exports no function. */
export async function loadSigner(file: string, timeoutMs: number, loadingMs = 10_000): Promise<Signer> {
  const fail = (reason: string) => new SigningError(`${subject}${file} ${reason}`);
  const module = new ModuleProcess(file, fail);
  try {
    const late = fail(`was not loaded within ${loadingMs} ms`);
    const { loaded, failed } = await inTime(module.loading, loadingMs, late);
    if (failed) throw fail(`could not be loaded: it threw ${describeFailure(failed)}`);
    if (!loaded) throw fail('must export a function as its default');
  } catch (error) {
    module.close();
    throw error;
  }
  return {
    sign: async (request) => {
      const late = fail(`did not answer within ${timeoutMs} ms (REQUEST_TIMEOUT_MS)`);
      const { headers, failed } = await inTime(module.ask(request), timeoutMs, late);
      if (failed) throw fail(`threw ${describeFailure(failed)} when it was to sign a request`);
      return checked(headers, request.headers, fail);
    },
    close: () => module.close(),
  };
}

/** A module that never answers must not make a run hang. */
async function inTime<T>(answer: Promise<T>, ms: number, late: SigningError): Promise<T> {
  const stop = new AbortController();
  const timeout = pause(ms, undefined, { signal: stop.signal }).then(() => Promise.reject(late));
  return Promise.race([answer, timeout]).finally(() => stop.abort());
}

/** @throws {SigningError} for what HTTP cannot carry, or what only the client may set; `sent` may be returned as it is. */
function checked(
  entries: Entries | undefined,
  sent: SignedRequest['headers'],
  fail: (reason: string) => SigningError,
): Record<string, string> {
  if (!entries) throw fail('must return an object of headers');
  const headers = new Map<string, string>();
  for (const [name = '', value] of entries) {
    if (value === undefined) throw fail('returned a header whose value is not a string');
    if (!isHeader(name, value)) throw fail('returned a header that HTTP does not allow');
    headers.set(name.toLowerCase(), value);
  }
  const changed = [...headers].filter(([name, value]) => name === 'accept' && value !== sent.accept);
  const reserved = [...reservedHeaders([...headers.keys()]), ...changed.map(([name]) => name)];
  if (reserved.length > 0) throw fail(`returned ${reserved.join(', ')}: only the client itself may set that`);
  return Object.fromEntries(headers);
}
