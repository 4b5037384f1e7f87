import { randomBytes } from 'node:crypto';
import { pickDefined } from '../../schemas/json.ts';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import { Pace } from './pace.ts';
import { type Blocked, CredentialsError, describeFailure, unauthorizedSentence } from './reasons.ts';
import { listIdNames, loadSigner } from './signing.ts';
import { maxConcurrency, type Target } from './target.ts';
import { createTokenSource } from './token.ts';
import { acceptEncoding, createTransport } from './transport.ts';

/** Id and duration of the last attempt of a request, in whole milliseconds, and the number of its retries. */
export interface Effort {
  /** Trace id and span id as sent in `traceparent`, so that a provider can search its log for the request. */
  id?: string;
  /** Time from sending to the head of the response, including the connection. */
  firstByteMs?: number;
  /** Time from sending to the end of the response. */
  durationMs?: number;
  /** Number of retries. */
  repeated?: number;
}

/** Picks the effort, without the response. */
export const pickEffort = (effort: Effort): Effort =>
  pickDefined(effort, ['id', 'firstByteMs', 'durationMs', 'repeated']);

/** Deviations of a request from the documented form. */
export interface RequestOverrides {
  /** Value of `Accept`, instead of `application/json`. */
  accept?: string;
  /**
   * Sends no credentials of `API_HEADERS`, token, `AUTH_MODULE` or `BASE_URL`, on connections that never carried them: a gateway may
   * authenticate a connection.
   */
  anonymous?: true;
  /** Marks a repetition, whose response is compared with the earlier one. */
  again?: true;
}

/** Outcome of a request: a response, or the reason why there is none. */
export type Answer = (HttpResponse | Blocked) & Effort;

/** Number of requests in a row without a response, after which their operation is given up. */
const maxUnanswered = 3;

/** Stops the requests that share the breaker after `maxUnanswered` requests in a row without a response. */
export class CircuitBreaker {
  #unanswered = 0;

  /** Returns the outcome of a request that is not sent; undefined if requests may be sent. */
  open(): Blocked | undefined {
    if (this.#unanswered < maxUnanswered) return undefined;
    return { blocked: `not sent, since ${this.#unanswered} requests before it got no answer`, notSent: true };
  }

  /** Counts an outcome. A response that the suite does not read is a response as well. */
  note(response: HttpResponse | Blocked): void {
    this.#unanswered = 'blocked' in response && !response.unread ? this.#unanswered + 1 : 0;
  }
}

/** Number of requests that are rejected with HTTP 401 before the run sends no other: more may lock an account. */
const maxUnauthorized = 3;

/** Receives each secret before it is sent, so that reports can redact the secret. */
type OnSecret = (value: string) => void;

/** Client to the target: GET only, no redirects, retries only as `planRetry` decides. */
export interface HttpClient {
  /** Sends a GET unless the breaker is open. Sends `path`, which includes the query, unchanged. Never throws. */
  get(path: string, breaker?: CircuitBreaker, overrides?: RequestOverrides): Promise<Answer>;
  /** Trace id of all requests (W3C Trace Context); undefined if `REQUEST_ID` is `off`. */
  trace?: string | undefined;
  /** Returns the number of requests sent, including retries, except the retry of Playwright after ECONNRESET. */
  sent(): number;
  /** Returns the number of retries, keyed by reason. */
  repeated(): Record<string, number>;
  /** Returns the share of `maxRps` that the target has not limited; 0 if it limited even the slowest rate. */
  rateShare(): number;
}

/** Client with open connections. The caller of `createClient` closes them. */
export interface OpenClient extends HttpClient {
  close(): Promise<void>;
}

/** Opens transports, signer and token source, which all requests of a client share, and sets its counters to zero. */
const openState = async (target: Target, baseUrl: string, onSecret: OnSecret, trace: string) => ({
  target,
  baseUrl,
  trace: target.requestId === 'off' ? undefined : trace,
  onSecret,
  transport: createTransport(target, baseUrl),
  /** Transport whose connections never carry credentials. */
  anonymous: createTransport(target, baseUrl),
  pace: new Pace(target.maxRps),
  signer: target.authModule ? await loadSigner(target.authModule, target) : undefined,
  token: createTokenSource(target, onSecret),
  sent: 0,
  repeated: {} as Record<string, number>,
  /** Remainder of `retryBudgetMs`. */
  retryMs: retryBudgetMs,
});

type ClientState = Awaited<ReturnType<typeof openState>>;

/**
 * Opens the client to a target.
 * @param baseUrl address without a trailing slash
 * @param trace trace id of all requests, 16 bytes in hexadecimal; random by default
 * @throws {CredentialsError} if `AUTH_MODULE` cannot be loaded
 */
export async function createClient(
  target: Target,
  baseUrl: string,
  onSecret: OnSecret = () => {},
  trace: string = randomBytes(16).toString('hex'),
): Promise<OpenClient> {
  const state = await openState(target, baseUrl, onSecret, trace);
  // Number of HTTP 401; minus infinity after any other status, because the credentials are accepted then.
  let unauthorized = 0;
  const acquire = semaphore(maxConcurrency);
  return {
    get: async (path, breaker, overrides = {}) => {
      const release = await acquire();
      try {
        const open = breaker?.open();
        if (open) return open;
        if (unauthorized >= maxUnauthorized && !overrides.anonymous)
          return { blocked: unauthorizedSentence(401), notSent: true };
        const response = await sendGet(state, path, overrides);
        breaker?.note(response);
        if ('status' in response && !overrides.anonymous)
          unauthorized = response.status === 401 ? unauthorized + 1 : Number.NEGATIVE_INFINITY;
        return response;
      } finally {
        release();
      }
    },
    trace: state.trace,
    sent: () => state.sent,
    repeated: () => state.repeated,
    rateShare: () => state.pace.share,
    close: async () => {
      await Promise.all([state.transport, state.anonymous].map((transport) => transport.close()));
    },
  };
}

/** Creates a semaphore that `max` callers can hold at a time. Others wait in the order of their calls. */
function semaphore(max: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let acquired = 0;
  return async () => {
    if (acquired < max) acquired += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return () => {
      const next = waiting.shift();
      if (next) next();
      else acquired -= 1;
    };
  };
}

/** Sends a request with its retries, as long as the budget of the run lasts. */
async function sendGet(state: ClientState, path: string, overrides: RequestOverrides): Promise<Answer> {
  const retries: Retry[] = [];
  for (;;) {
    const attempt = await attemptGet(state, path, overrides, retries.at(-1)?.reason === renewal);
    const retry = planRetry(state, attempt, retries, overrides);
    // New credentials need no delay.
    const costMs = retry?.reason === renewal ? 0 : (retry?.delayMs ?? Number.NaN) + state.pace.intervalMs;
    if (!retry || !(costMs <= state.retryMs))
      return retries.length > 0 ? { ...attempt, repeated: retries.length } : attempt;
    state.retryMs -= costMs;
    retries.push(retry);
    state.repeated[retry.reason] = (state.repeated[retry.reason] ?? 0) + 1;
    // Retry-After is meant for the client, not for one of its requests (RFC 9110 section 10.2.3).
    state.pace.hold(retry.delayMs);
  }
}

/** Sends a request once. @param isRenewal whether HTTP 401 rejected the previous attempt */
async function attemptGet(
  state: ClientState,
  path: string,
  overrides: RequestOverrides,
  isRenewal: boolean,
): Promise<Answer> {
  const { target, baseUrl, trace, pace } = state;
  // Each attempt has its own span id, because a log of the provider has a line for each.
  const id = trace && { id: `${trace}-${randomBytes(8).toString('hex')}` };
  let startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const url = new URL(baseUrl + path);
    const share = await pace.takeTurn();
    const headers = await buildHeaders(state, url, { ...overrides, ...id }, isRenewal);
    state.sent += 1;
    startedAt = performance.now();
    const transport = overrides.anonymous ? state.anonymous : state.transport;
    const response = await transport.send(url, headers);
    if (response.status === 429) pace.slowDown(share);
    if (response.status === 401) state.token?.reject(headers.authorization);
    return { ...response, durationMs: durationMs(), ...id };
  } catch (error) {
    if (error instanceof CredentialsError) return { blocked: error.message, credentials: true };
    return { ...describeFailure(error, target, target.transport.proxy), durationMs: durationMs(), ...id };
  }
}

/**
 * Builds the headers of a request from configuration, token and `AUTH_MODULE`. Reports headers of the module as secrets.
 * @throws {CredentialsError} if no token can be fetched, or the module cannot sign
 */
async function buildHeaders(
  { target, signer, token, onSecret }: ClientState,
  url: URL,
  { accept = 'application/json', anonymous, id }: RequestOverrides & Effort,
  isRenewal: boolean,
): Promise<Record<string, string>> {
  const fixed = { 'accept-encoding': acceptEncoding };
  // Version, trace id, span id and flags (W3C Trace Context, section 3.2).
  const ids = Object.fromEntries(listIdNames(target.requestId).map((name) => [name, `00-${id}-01`]));
  const defaults = { 'user-agent': 'lookup-api-conformance', accept, ...ids };
  if (anonymous) return { ...defaults, ...fixed };
  const configured = Object.entries(target.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const authorization = token ? { authorization: await token.get() } : {};
  const headers: Record<string, string> = {
    ...defaults,
    ...Object.fromEntries(configured),
    ...authorization,
  };
  const signed = (await signer?.(url, headers, isRenewal)) ?? {};
  for (const [name, value] of Object.entries(signed)) if (headers[name] !== value) onSecret(value);
  return { ...basicAuthorization(url), ...headers, ...signed, ...fixed };
}

/** Builds the header for user and password of an address (RFC 7617); no header if the address has neither. */
function basicAuthorization({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const credentials = [username, password].map(decodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Maximum delay of a run by the retries of all its requests. */
const retryBudgetMs = 60_000;
const maxRetries = 3;

/** Reason of a retry with a new token or signature. */
const renewal = 'HTTP 401, with new credentials';

/** Reason of a retry, as counted in reports, and the delay before it. */
interface Retry {
  reason: typeof renewal | 'HTTP 429 with Retry-After' | 'HTTP 503 with Retry-After';
  delayMs: number;
}

/**
 * Plans a retry after 429 or 503 with `Retry-After`, and once after 401 if a new token or signature is possible; undefined for any
 * other outcome, which is the response of the target.
 */
function planRetry(
  { signer, token }: ClientState,
  attempt: Answer,
  earlierRetries: Retry[],
  { anonymous }: RequestOverrides,
): Retry | undefined {
  if ('blocked' in attempt || earlierRetries.length >= maxRetries) return undefined;
  const { status, headers } = attempt;
  if (status === 401 && (signer || token) && !anonymous)
    return earlierRetries.some(({ reason }) => reason === renewal)
      ? undefined
      : { reason: renewal, delayMs: 0 };
  const retryAfter = headers['retry-after'];
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return undefined;
  return { reason: `HTTP ${status} with Retry-After`, delayMs: parseRetryAfter(retryAfter, Date.now()) };
}

/** Parses `Retry-After`, seconds or an HTTP date (RFC 9110 section 10.2.3), to milliseconds; NaN if invalid. */
const parseRetryAfter = (header: string, now: number): number =>
  /^\d+$/.test(header) ? Number(header) * 1000 : Math.max(0, Date.parse(header) - now);
