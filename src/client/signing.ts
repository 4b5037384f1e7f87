import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CredentialsError } from './reasons.ts';
import type { Target } from './target.ts';

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

/** Default export of an `AUTH_MODULE`: headers that sign one request, as an object, a Map, or Headers. */
export type Sign = (request: SignedRequest) => SignedHeaders | Promise<SignedHeaders>;

type SignedHeaders = Record<string, string> | Iterable<[name: string, value: string]>;

/**
 * Signs one request: headers by name in lower case.
 * @param isAnew whether the request was rejected with 401 a moment ago
 * @throws {CredentialsError} when the module fails, is late, or returns what is no header.
 */
type Signer = (url: URL, headers: Record<string, string>, isAnew: boolean) => Promise<Record<string, string>>;

const loadingMs = 10_000;

/** Loads the module that signs requests. @throws {CredentialsError} when it cannot be loaded or exports no function. */
export async function loadSigner(
  file: string,
  { timeoutMs, requestId, token }: Pick<Target, 'timeoutMs' | 'requestId' | 'token'>,
): Promise<Signer> {
  // What the client sets for each request, and a module may return as it was given.
  const owned = ['accept', ...idNames(requestId), ...(token ? ['authorization'] : [])];
  // Names the file; what the module said is withheld, for it may hold a secret.
  const fail = (reason: string) => new CredentialsError(`AUTH_MODULE ${file} ${reason}`);
  const failing = (what: string) => (error: unknown) => {
    throw error instanceof CredentialsError ? error : fail(`${what}: ${thrown(error, file)}`);
  };
  const tooLate = fail(`was not loaded within ${loadingMs} ms`);
  const sign = await inTime(load(file), loadingMs, tooLate).catch(failing('could not be loaded'));
  if (typeof sign !== 'function') throw fail('must export a function as its default');
  const late = fail(`did not answer within ${timeoutMs} ms (REQUEST_TIMEOUT_MS)`);
  return async (url, headers, isAnew) => {
    const signing = Promise.resolve(aboutRequest(url, headers, isAnew)).then(sign as Sign);
    const signed = await inTime(signing, timeoutMs, late).catch(failing('could not sign a request'));
    return checked(signed, headers, owned, fail);
  };
}

/**
 * Imports the default export, anew for each client of one process, as in UI mode. The loader of Playwright, or of `tsx` in a
 * command, compiles TypeScript; the default export of a CommonJS module compiled from TypeScript is one level deeper.
 */
async function load(file: string): Promise<unknown> {
  const { default: exported } = await import(`${pathToFileURL(path.resolve(file)).href}?${randomUUID()}`);
  return exported?.default ?? exported;
}

/** A module that never answers must not make a run hang. */
async function inTime<T>(answer: Promise<T>, ms: number, late: CredentialsError): Promise<T> {
  const stop = new AbortController();
  const timeout = pause(ms, undefined, { signal: stop.signal }).then(() => Promise.reject(late));
  return Promise.race([answer, timeout]).finally(() => stop.abort());
}

/** Without credentials of the address, which are no part of what is on the wire. */
const aboutRequest = (
  { origin, pathname, search }: URL,
  headers: Record<string, string>,
  isAnew: boolean,
): SignedRequest => ({
  method: 'GET',
  url: origin + pathname + search,
  path: pathname,
  query: search.replace(/^\?/, ''),
  headers,
  now: new Date(),
  ...(isAnew ? { unauthorized: true } : {}),
});

/** @throws {CredentialsError} for what HTTP cannot carry, or what only the client may set; `sent` may be returned as it is. */
function checked(
  signed: unknown,
  sent: Record<string, string>,
  owned: string[],
  fail: (reason: string) => CredentialsError,
): Record<string, string> {
  if (typeof signed !== 'object' || signed === null) throw fail('must return an object of headers');
  const entries = Symbol.iterator in signed ? [...(signed as Iterable<unknown>)] : Object.entries(signed);
  if (!entries.every((entry): entry is [string, unknown] => Array.isArray(entry)))
    throw fail('must return an object of headers');
  const headers = (entries as [string, string][]).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  if (!headers.every(([name, value]) => isHeader(name, value)))
    throw fail('returned a header that HTTP does not allow');
  const changed = headers.filter(([name, value]) => owned.includes(name) && value !== sent[name]);
  const reserved = [...reservedHeaders(headers.map(([name]) => name)), ...changed.map(([name]) => name)];
  if (reserved.length > 0) throw fail(`returned ${reserved.join(', ')}: only the client itself may set that`);
  return Object.fromEntries(headers);
}

/** Class, code and place of what was thrown: all that can be said of it without repeating a secret. @param file named by its line alone */
export function thrown(error: unknown, file = ''): string {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  const { code, stack = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const shownCode = /^(ERR_[A-Z_]{1,40}|E[A-Z]{3,14}|MODULE_NOT_FOUND)$/.test(code ?? '') ? ` (${code})` : '';
  const hint = error instanceof SyntaxError ? syntaxHint(file) : '';
  return `it threw ${/^[A-Za-z]{1,40}$/.test(name) ? name : 'an error'}${shownCode}${placeIn(stack.replace(message, ''), file)}${hint}`;
}

/** Says what to do about a syntax error. Playwright takes a `.ts` file outside of an ES module package for CommonJS. */
function syntaxHint(file: string): string {
  if (file.endsWith('.ts')) return ': unless its package is of "type": "module", name the file .mts';
  return /\.[cm]ts$/.test(file) ? '' : ', which node --check shows';
}

/** The first line of a file that is there, in a stack without its message; only that is known not to be text of the module. */
function placeIn(stack: string, file: string): string {
  for (const [, found = '', line] of stack.matchAll(/(file:\/\/\/[^\s()]+?|\/[^\n:()]+?):(\d+)/g)) {
    const place = found.startsWith('file:') ? fileURLToPath(found.replace(/[?#].*$/, '')) : found;
    if (place === fileURLToPath(import.meta.url) || place.includes('/node_modules/') || !existsSync(place))
      continue;
    return place === path.resolve(file) ? ` at line ${line}` : ` at ${place}:${line}`;
  }
  return '';
}

/** The headers in which requests have ids. */
export const idNames = (requestId: Target['requestId']): string[] =>
  ({ off: [], traceparent: ['traceparent'], 'x-request-id': ['traceparent', 'x-request-id'] })[requestId];

/** Headers that HTTP's own machinery sets; a request with one of them is another request, or none at all. */
const framing =
  'connection content-length expect host http2-settings keep-alive te trailer transfer-encoding upgrade';
/** Headers with which a conforming target answers otherwise than documented, or does something else. */
const altering =
  'accept-encoding content-encoding if-match if-modified-since if-none-match if-range if-unmodified-since range x-http-method x-http-method-override x-method-override';
/** With a name that no object of headers can hold. */
const reserved = new Set(`${framing} ${altering} __proto__`.split(' '));

/** Which of some names, in lower case, nobody but this client may set. All but the known part of a name is withheld. */
export const reservedHeaders = (names: string[]): string[] =>
  names
    .map((name) => name.replace(/^proxy-.*/s, 'proxy-*'))
    .filter((name) => reserved.has(name) || name === 'proxy-*');

/** Whether HTTP/1.1 can carry a header (RFC 9110 section 5). */
export const isHeader = (name: string, value: unknown) =>
  typeof value === 'string' &&
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) &&
  /^[\t -~\u0080-\u00ff]*$/.test(value);
