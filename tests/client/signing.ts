import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** What an `AUTH_MODULE` is told of the request that is about to be sent. */
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
  /** Set when this request was refused with 401 a moment ago and is about to be repeated once. */
  unauthorized?: true;
}

/** Default export of an `AUTH_MODULE`: headers that sign one request. */
export type Sign = (request: SignedRequest) => Record<string, string> | Promise<Record<string, string>>;

/** The module could not sign. Names the file; what the module said is withheld, for it may hold a secret. */
export class SigningError extends Error {
  override name = 'SigningError';
}

/** Loads the module that signs requests. @throws {SigningError} when it is missing or exports no function. */
export async function loadSigner(file: string): Promise<Sign> {
  const absolute = path.resolve(file);
  const fail = (reason: string) => new SigningError(`AUTH_MODULE ${file} ${reason}`);
  if (!existsSync(absolute)) throw fail('does not exist: give the path of a TypeScript or JavaScript module');
  const stray = strayErrors(fail);
  const module: { default?: unknown } = await import(pathToFileURL(absolute).href).catch((error: unknown) => {
    throw fail(`could not be loaded: it threw ${nameOf(error)}`);
  });
  const { default: sign } = module;
  if (typeof sign !== 'function') throw fail('must export a function as its default');
  return async (request) => {
    const headers = checked(await attempt(sign as Sign, request, fail), fail);
    if (stray[0]) throw stray[0];
    return headers;
  };
}

type Fail = (reason: string) => SigningError;

/** Collects what a module throws where nobody can catch it, from a timer say: Node would print all of it and end. */
function strayErrors(fail: Fail): SigningError[] {
  const errors: SigningError[] = [];
  process.on('uncaughtException', (error) => {
    const stray = fail(`threw ${nameOf(error)} where nobody could catch it`);
    errors.push(stray);
    process.stderr.write(`\n  ${stray.message}\n`);
  });
  return errors;
}

async function attempt(sign: Sign, request: SignedRequest, fail: Fail): Promise<unknown> {
  try {
    return await sign(request);
  } catch (error) {
    throw fail(`threw ${nameOf(error)} when it was to sign a request`);
  }
}

function checked(headers: unknown, fail: Fail): Record<string, string> {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    throw fail('must return an object of headers');
  try {
    return Object.fromEntries(new Headers(headers as Record<string, string>));
  } catch {
    throw fail('returned a header that HTTP does not allow');
  }
}

/** Class of an error: all that can be said of it without repeating a secret. */
const nameOf = (error: unknown) => {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  return /^[A-Za-z]{1,40}$/.test(name) ? name : 'an error';
};
