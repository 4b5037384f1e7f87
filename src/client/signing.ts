import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CredentialsError } from './reasons.ts';
import type { Target } from './target.ts';

/** Request to sign, as an `AUTH_MODULE` receives it. */
export interface SignedRequest {
  method: 'GET';
  /** Full address of the request with its query, exactly as sent, without user and password. */
  url: string;
  /** Path of `url`, including the path of `BASE_URL`, such as `/svc/ts/api/v1/openapi/cards/1`. */
  path: string;
  /** Query of `url` without the question mark, such as `limit=20`; empty if there is none. */
  query: string;
  /** Headers of the request so far, names in lower case. The headers that the module returns are added to them. */
  headers: Record<string, string>;
  now: Date;
  /** Set for the one retry after HTTP 401, so that the module can renew a credential that it has cached. */
  unauthorized?: true;
}

/** Default export of an `AUTH_MODULE`. Returns the headers that sign a request, as an object, a `Map` or `Headers`. */
export type Sign = (request: SignedRequest) => SignedHeaders | Promise<SignedHeaders>;

type SignedHeaders = Record<string, string> | Iterable<[name: string, value: string]>;

/**
 * Signs one request by the `AUTH_MODULE`. Returns the validated headers of the module, keyed by name in lower case.
 * @param isRenewal true if HTTP 401 rejected the previous attempt of the request
 * @throws {CredentialsError} if the module fails, exceeds the timeout, or returns an invalid header
 */
type Signer = (
  url: URL,
  headers: Record<string, string>,
  isRenewal: boolean,
) => Promise<Record<string, string>>;

const loadingMs = 10_000;

/**
 * Loads an `AUTH_MODULE` from a file. Returns the function that signs one request by it.
 * @throws {CredentialsError} if the module cannot be loaded within `loadingMs`, or its default export is no function
 */
export async function loadSigner(
  file: string,
  { timeoutMs, requestId, token }: Pick<Target, 'timeoutMs' | 'requestId' | 'token'>,
): Promise<Signer> {
  // Headers that the client sets. A module may return them only unchanged.
  const clientHeaders = ['accept', ...listTraceHeaders(requestId), ...(token ? ['authorization'] : [])];
  const createError = (reason: string) => new CredentialsError(`AUTH_MODULE ${file} ${reason}`);
  // Replaces an error of the module, whose message may hold a secret. A `CredentialsError` is this suite's own time-out: kept.
  const rethrow = (failure: string) => (error: unknown) => {
    throw error instanceof CredentialsError
      ? error
      : createError(`${failure}: ${describeThrown(error, file)}`);
  };
  const loadTimeout = createError(`was not loaded within ${loadingMs} ms`);
  const sign = await limitTime(load(file), loadingMs, loadTimeout).catch(rethrow('could not be loaded'));
  if (typeof sign !== 'function') throw createError('must export a function as its default');
  const signTimeout = createError(`did not return within ${timeoutMs} ms (REQUEST_TIMEOUT_MS)`);
  return async (url, headers, isRenewal) => {
    // `then` also turns an error that the module throws synchronously into a rejection.
    const signing = Promise.resolve(describeRequest(url, headers, isRenewal)).then(sign as Sign);
    const signed = await limitTime(signing, timeoutMs, signTimeout).catch(
      rethrow('could not sign a request'),
    );
    return validateHeaders(signed, headers, clientHeaders, createError);
  };
}

/**
 * Imports an `AUTH_MODULE` and returns its default export. A random query bypasses the module cache, so that each run of UI mode,
 * which keeps one process, loads the current file. The loader of Playwright, or of `tsx` in a command, compiles TypeScript.
 */
async function load(file: string): Promise<unknown> {
  const { default: exported } = await import(`${pathToFileURL(path.resolve(file)).href}?${randomUUID()}`);
  // TypeScript that was compiled to CommonJS has its default export one level deeper.
  return exported?.default ?? exported;
}

/**
 * Waits for a promise, at most `timeoutMs`, so that a module that never responds does not hang the run. @throws {CredentialsError}
 * `timeoutError` after that time
 */
async function limitTime<T>(
  promise: Promise<T>,
  timeoutMs: number,
  timeoutError: CredentialsError,
): Promise<T> {
  const stop = new AbortController();
  const timeout = pause(timeoutMs, undefined, { signal: stop.signal }).then(() =>
    Promise.reject(timeoutError),
  );
  return Promise.race([promise, timeout]).finally(() => stop.abort());
}

/** Builds the argument of an `AUTH_MODULE`. `url` has no user and password, because they are sent as a header instead. */
const describeRequest = (
  { origin, pathname, search }: URL,
  headers: Record<string, string>,
  isRenewal: boolean,
): SignedRequest => ({
  method: 'GET',
  url: origin + pathname + search,
  path: pathname,
  query: search.replace(/^\?/, ''),
  headers,
  now: new Date(),
  ...(isRenewal ? { unauthorized: true } : {}),
});

/**
 * Validates the headers that an `AUTH_MODULE` returned. Returns them keyed by name in lower case.
 * @param requestHeaders headers that the module received, which it may return unchanged
 * @param clientHeaders names of headers that the client sets, and the module must not change
 * @throws {CredentialsError} if HTTP cannot carry a header, or only the client may set it
 */
function validateHeaders(
  signed: unknown,
  requestHeaders: Record<string, string>,
  clientHeaders: string[],
  createError: (reason: string) => CredentialsError,
): Record<string, string> {
  if (typeof signed !== 'object' || signed === null) throw createError('must return an object of headers');
  // A `Map` or `Headers` is iterable, a plain object is not.
  const entries = Symbol.iterator in signed ? [...(signed as Iterable<unknown>)] : Object.entries(signed);
  if (!entries.every((entry): entry is [string, unknown] => Array.isArray(entry)))
    throw createError('must return an object of headers');
  const headers = (entries as [string, string][]).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  if (!headers.every(([name, value]) => isHeader(name, value)))
    throw createError('returned a header that HTTP does not allow');
  const changed = headers.filter(
    ([name, value]) => clientHeaders.includes(name) && value !== requestHeaders[name],
  );
  const forbidden = [...listReservedHeaders(headers.map(([name]) => name)), ...changed.map(([name]) => name)];
  if (forbidden.length > 0)
    throw createError(`returned ${forbidden.join(', ')}: only the client itself may set that`);
  return Object.fromEntries(headers);
}

// A module can give its errors any code and class name, even a secret. Only those that match these patterns are shown.
const nodeErrorCode = /^(ERR_[A-Z_]{1,40}|E[A-Z]{3,14}|MODULE_NOT_FOUND)$/;
const shortClassName = /^[A-Za-z]{1,40}$/;

/**
 * Describes an error of a module without its message, which may hold a secret: "it threw TypeError (ERR_X) at line 7".
 * @param file loaded module: a place in this file is shown as a line, any other place as path and line
 */
export function describeThrown(error: unknown, file = ''): string {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  const {
    code = '',
    stack = '',
    message = '',
  } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const shownCode = nodeErrorCode.test(code) ? ` (${code})` : '';
  const hint = error instanceof SyntaxError ? formatSyntaxHint(file) : '';
  const shownName = shortClassName.test(name) ? name : 'an error';
  // A stack begins with the message, which could hold a text that looks like a place.
  const place = findPlace(stack.replace(message, ''), file);
  return `it threw ${shownName}${shownCode}${place}${hint}`;
}

/**
 * Returns a hint for a syntax error in an `AUTH_MODULE`, as the end of a sentence: ", which node --check shows". Empty for `.mts`
 * and `.cts`. Playwright loads `.ts` outside an ES module package as CommonJS.
 */
function formatSyntaxHint(file: string): string {
  if (file.endsWith('.ts')) return ': unless its package is of "type": "module", name the file .mts';
  return /\.[cm]ts$/.test(file) ? '' : ', which node --check shows';
}

/** Matches an address or path with its line in a stack trace: `file:///a/b.mjs:7` or `/a/b.mjs:7`. */
const placePattern = /(file:\/\/\/[^\s()]+?|\/[^\n:()]+?):(\d+)/g;

/**
 * Finds the first place in a stack trace that is an existing file outside of `node_modules` and of this file: " at line 7" in the
 * file of the module, or " at /path/other.mjs:7". Empty if there is none. A path that does not exist is skipped, because it may be
 * any text of the module.
 * @param stack stack trace without the message
 */
function findPlace(stack: string, file: string): string {
  for (const [, location = '', line] of stack.matchAll(placePattern)) {
    const place = location.startsWith('file:') ? fileURLToPath(location.replace(/[?#].*$/, '')) : location;
    if (place === fileURLToPath(import.meta.url) || place.includes('/node_modules/') || !existsSync(place))
      continue;
    return place === path.resolve(file) ? ` at line ${line}` : ` at ${place}:${line}`;
  }
  return '';
}

/** Returns the names of the headers that carry the trace id: none, `traceparent`, or also `x-request-id`. */
export const listTraceHeaders = (requestId: Target['requestId']): string[] =>
  ({ off: [], traceparent: ['traceparent'], 'x-request-id': ['traceparent', 'x-request-id'] })[requestId];

/** Headers that the HTTP client sets to frame a request (RFC 9112 section 6). Any other value makes the request invalid. */
const framing =
  'connection content-length expect host http2-settings keep-alive te trailer transfer-encoding upgrade';
/** Headers that change the response of a conforming target, such as conditions, ranges and method overrides (RFC 9110 section 13). */
const altering =
  'accept-encoding content-encoding if-match if-modified-since if-none-match if-range if-unmodified-since range x-http-method x-http-method-override x-method-override';
/** Names that neither an `AUTH_MODULE` nor `API_HEADERS` may set, and `__proto__`, which an object of headers cannot hold. */
const reserved = new Set(`${framing} ${altering} __proto__`.split(' '));

/**
 * Returns those header names, given in lower case, that an `AUTH_MODULE` or `API_HEADERS` must not set. A name such as `proxy-x` is
 * always reserved, and is returned as `proxy-*`.
 */
export function listReservedHeaders(names: string[]): string[] {
  const namesOrPatterns = new Set(names.map((name) => (name.startsWith('proxy-') ? 'proxy-*' : name)));
  return [...namesOrPatterns].filter((name) => reserved.has(name) || name === 'proxy-*');
}

// RFC 9110, sections 5.1 and 5.5: the name is a token, the value is Latin-1 without control characters other than the tab.
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t -~\u0080-\u00ff]*$/;

/** Returns whether HTTP/1.1 can carry a header with this name and value. */
export const isHeader = (name: string, value: unknown) =>
  typeof value === 'string' && headerName.test(name) && headerValue.test(value);
