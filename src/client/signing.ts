import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CredentialsError } from './reasons.ts';
import type { Target } from './target.ts';

/** Request that an `AUTH_MODULE` has to sign. The default export of the module receives the request as its argument. */
export interface RequestToSign {
  method: 'GET';
  /** URL as sent, with the query, but without user and password. */
  url: string;
  /** Complete path of `url`, such as `/svc/ts/api/v1/openapi/cards/1`. */
  path: string;
  /** Query of `url` without the question mark, such as `limit=20`. */
  query: string;
  /** Headers set so far, keyed by name in lower case. */
  headers: Record<string, string>;
  now: Date;
  /** True for the retry after HTTP 401. The module should then renew the credentials that it has cached. */
  unauthorized?: true;
}

/** Default export of an `AUTH_MODULE`: returns the headers that sign a request. */
export type Sign = (request: RequestToSign) => SignedHeaders | Promise<SignedHeaders>;

type SignedHeaders = Record<string, string> | Iterable<[name: string, value: string]>;

const loadingMs = 10_000;

/** Signs a request with `AUTH_MODULE`. Returns the headers that the module sets, keyed by name in lower case. */
type SignRequest = (
  url: URL,
  headers: Record<string, string>,
  wasUnauthorized: boolean,
) => Promise<Record<string, string>>;

/**
 * Loads an `AUTH_MODULE`. Returns a function that signs requests with the module. The returned function throws a `CredentialsError`
 * if the module fails, or if it returns a forbidden header. The module must not change `accept` or a trace header. If
 * `token` is set, the module must not change `authorization` either.
 * @throws {CredentialsError} if the module cannot be loaded
 */
export async function loadSigner(
  file: string,
  { timeoutMs, traceHeaders, token }: Pick<Target, 'timeoutMs' | 'traceHeaders' | 'token'>,
): Promise<SignRequest> {
  const sign = await loadSignFunction(file);
  const clientHeaders = ['accept', ...listTraceHeaders(traceHeaders)];
  if (token) clientHeaders.push('authorization');
  return async (url, headers, wasUnauthorized) => {
    const request = buildRequestToSign(url, headers, wasUnauthorized);
    // `then` also turns an error that the module throws synchronously into a rejection.
    const returnedHeaders = Promise.resolve(request).then(sign);
    const signedHeaders = await awaitModuleResult(file, returnedHeaders, {
      timeoutMs,
      timeoutText: `did not return within ${timeoutMs} ms (REQUEST_TIMEOUT_MS)`,
      failureText: 'could not sign a request',
      // No `syntaxHint`, because `JSON.parse` throws a `SyntaxError`, too.
    });
    return validateHeaders(file, signedHeaders, headers, clientHeaders);
  };
}

async function loadSignFunction(file: string): Promise<Sign> {
  const sign = await awaitModuleResult(file, importDefaultExport(file), {
    timeoutMs: loadingMs,
    timeoutText: `was not loaded within ${loadingMs} ms`,
    failureText: 'could not be loaded',
    syntaxHint: formatSyntaxHint(file),
  });
  if (typeof sign !== 'function') throw createModuleError(file, 'must export a function as its default');
  return sign as Sign;
}

const createModuleError = (file: string, reason: string) =>
  new CredentialsError(`AUTH_MODULE ${file} ${reason}`);

interface WaitOptions {
  timeoutMs: number;
  timeoutText: string;
  failureText: string;
  /** Advice at the end of the error message if the module fails with a `SyntaxError`. */
  syntaxHint?: string;
}

async function awaitModuleResult<T>(
  file: string,
  result: Promise<T>,
  { timeoutMs, timeoutText, failureText, syntaxHint = '' }: WaitOptions,
): Promise<T> {
  const timer = new AbortController();
  const timeout = pause(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw createModuleError(file, timeoutText);
  });
  try {
    return await Promise.race([result, timeout]);
  } catch (error) {
    // Only the timeout rejects with a `CredentialsError`.
    if (error instanceof CredentialsError) throw error;
    const hint = error instanceof SyntaxError ? syntaxHint : '';
    throw createModuleError(file, `${failureText}: ${describeThrown(error, file)}${hint}`);
  } finally {
    timer.abort();
  }
}

async function importDefaultExport(file: string): Promise<unknown> {
  // In a run, Playwright compiles TypeScript; in a command such as `npm run doctor`, `tsx` does.
  // A random query bypasses the module cache: all runs of UI mode share one process, and each run must load the current file.
  const { default: exported } = await import(`${pathToFileURL(path.resolve(file)).href}?${randomUUID()}`);
  // TypeScript that was compiled to CommonJS has its default export one level deeper.
  return exported?.default ?? exported;
}

const buildRequestToSign = (
  { origin, pathname, search }: URL,
  headers: Record<string, string>,
  wasUnauthorized: boolean,
): RequestToSign => ({
  method: 'GET',
  url: origin + pathname + search,
  path: pathname,
  query: search.replace(/^\?/, ''),
  // A copy, so that only the returned headers are sent: they are checked, and count as secrets.
  headers: { ...headers },
  now: new Date(),
  ...(wasUnauthorized ? { unauthorized: true } : {}),
});

/**
 * Checks the headers that an `AUTH_MODULE` returned. Returns these headers, keyed by name in lower case.
 * @param requestHeaders headers before signing, keyed by name in lower case
 * @param clientHeaders names of headers whose value the module must not change
 * @throws {CredentialsError} if `returned` is no object of headers, or if a header is invalid or forbidden
 */
function validateHeaders(
  file: string,
  returned: unknown,
  requestHeaders: Record<string, string>,
  clientHeaders: string[],
): Record<string, string> {
  const returnedPairs = listPairs(returned);
  if (!returnedPairs) throw createModuleError(file, 'must return an object of headers');
  const headers = returnedPairs.map(([name, value]) => [name.toLowerCase(), value] as const);
  const areValid = headers.every(([name, value]) => isValidHeader(name, value));
  if (!areValid) throw createModuleError(file, 'returned a header that HTTP does not allow');
  const reservedNames = listReservedHeaders(headers.map(([name]) => name));
  const changedNames = headers
    .filter(([name, value]) => clientHeaders.includes(name) && value !== requestHeaders[name])
    .map(([name]) => name);
  const forbiddenNames = [...reservedNames, ...changedNames].join(', ');
  if (forbiddenNames !== '')
    throw createModuleError(file, `returned ${forbiddenNames}: only the client itself may set that`);
  return Object.fromEntries(headers);
}

function listPairs(returned: unknown): [name: string, value: string][] | undefined {
  if (typeof returned !== 'object' || returned === null) return undefined;
  // A `Map` or `Headers` is iterable, a plain object is not.
  const isIterable = Symbol.iterator in returned;
  const pairs = isIterable ? [...(returned as Iterable<unknown>)] : Object.entries(returned);
  return pairs.every(isPair) ? pairs : undefined;
}

const isPair = (pair: unknown): pair is [name: string, value: string] =>
  Array.isArray(pair) && typeof pair[0] === 'string';

// A module can give its errors any code and class name, even a secret. Only those that match these patterns are shown.
const nodeErrorCode = /^(ERR_[A-Z_]{1,40}|E[A-Z]{3,14}|MODULE_NOT_FOUND)$/;
const shortClassName = /^[A-Za-z]{1,40}$/;

/**
 * Describes an error without its message: "it threw TypeError (ERR_X) at line 7". The message is left out, because it may hold a
 * secret.
 * @param file path of the `AUTH_MODULE`. If the error comes from another file, the description names that file: "at /a/b.mjs:7".
 */
export function describeThrown(error: unknown, file = ''): string {
  if (!(error instanceof Error)) return `it threw ${typeof error}`;
  const { code = '', stack = '', message = '' } = error as NodeJS.ErrnoException;
  const className = error.constructor.name;
  const shownName = shortClassName.test(className) ? className : 'an error';
  const shownCode = nodeErrorCode.test(code) ? ` (${code})` : '';
  // A stack begins with the message, which could hold a text that looks like a path.
  const position = formatErrorPosition(stack.replace(message, ''), file);
  return `it threw ${shownName}${shownCode}${position}`;
}

function formatSyntaxHint(file: string): string {
  // Playwright loads a `.ts` file as CommonJS, in which `export default` is a syntax error, if its package is no ES module.
  if (file.endsWith('.ts')) return ': unless its package is of "type": "module", name the file .mts';
  const isOtherTypeScript = file.endsWith('.mts') || file.endsWith('.cts');
  return isOtherTypeScript ? '' : ', which node --check shows';
}

/** Matches a file and a line number in a stack trace: `file:///a/b.mjs:7` or `/a/b.mjs:7`. */
const positionPattern = /(file:\/\/\/[^\s()]+?|\/[^\n:()]+?):(\d+)/g;

function formatErrorPosition(stack: string, modulePath: string): string {
  for (const [, location = '', line] of stack.matchAll(positionPattern)) {
    const isUrl = location.startsWith('file:');
    const file = isUrl ? fileURLToPath(location.replace(/[?#].*$/, '')) : location;
    const isThisFile = file === fileURLToPath(import.meta.url);
    const isOfDependency = file.includes('/node_modules/');
    // Shows a position in the user's code, not in this file or a package. A path to no file may be any text, even a secret.
    if (isThisFile || isOfDependency || !existsSync(file)) continue;
    const isModule = file === path.resolve(modulePath);
    return isModule ? ` at line ${line}` : ` at ${file}:${line}`;
  }
  return '';
}

export const listTraceHeaders = (traceHeaders: Target['traceHeaders']): string[] =>
  ({ off: [], traceparent: ['traceparent'], 'x-request-id': ['traceparent', 'x-request-id'] })[traceHeaders];

/** Names of headers that only the HTTP client itself may set, such as `host`. */
const framingHeaders =
  'connection content-length expect host http2-settings keep-alive te trailer transfer-encoding upgrade';
/** Names of request headers that can change the response, such as `range`. */
const alteringHeaders =
  'accept-encoding content-encoding if-match if-modified-since if-none-match if-range if-unmodified-since range x-http-method x-http-method-override x-method-override';
/** Names of headers that `AUTH_MODULE` and `API_HEADERS` must not set. `proxy-*` stands for each name that begins with `proxy-`. */
// `__proto__` is included, because the assignment `headers['__proto__'] = value` adds no header to an object.
const reservedHeaders = new Set(`${framingHeaders} ${alteringHeaders} proxy-* __proto__`.split(' '));

/**
 * Selects the headers that `AUTH_MODULE` and `API_HEADERS` must not set. From `['accept', 'host', 'proxy-a']`, selects
 * `['host', 'proxy-*']`. The text `proxy-*` stands for all names that begin with `proxy-`.
 * @param names names of headers in lower case
 */
export function listReservedHeaders(names: string[]): string[] {
  const namesOrPatterns = names.map((name) => (name.startsWith('proxy-') ? 'proxy-*' : name));
  return [...new Set(namesOrPatterns)].filter((name) => reservedHeaders.has(name));
}

// RFC 9110, sections 5.1 and 5.5: the name is a token, the value is Latin-1 without control characters other than the tab.
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t -~\u0080-\u00ff]*$/;

export const isValidHeader = (name: string, value: unknown) =>
  typeof value === 'string' && headerName.test(name) && headerValue.test(value);
