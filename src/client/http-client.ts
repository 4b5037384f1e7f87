import { randomBytes } from 'node:crypto';
import { pickDefined } from '../../schemas/json.ts';
import { isOverload } from '../../schemas/judge/classify.ts';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import { Pace } from './pace.ts';
import { type Blocked, CredentialsError, describeFailure, formatUnauthorizedReason } from './reasons.ts';
import { listTraceHeaders, loadSigner } from './signing.ts';
import { maxConcurrency, type Target } from './target.ts';
import { createTokenSource } from './token.ts';
import { acceptEncoding, createTransport } from './transport.ts';

/** Trace id, times and number of retries of a request. After a retry, id and times are those of the last attempt. */
export interface RequestStats {
  /** Trace id and span id as sent in `traceparent`, so that a provider can search its log for the request. */
  id?: string;
  /** Milliseconds from sending the request to the first byte of the response, including the connection. */
  firstByteMs?: number;
  /** Milliseconds from sending the request to the end of the response. */
  durationMs?: number;
  /** Number of retries of the request; undefined if there was none. */
  repeated?: number;
}

export const pickRequestStats = (effort: RequestStats): RequestStats =>
  pickDefined(effort, ['id', 'firstByteMs', 'durationMs', 'repeated']);

/** Differences from an ordinary request, for a probe (which tries out what the contract leaves open) or a repetition. */
export interface RequestOverrides {
  /** Value of the header `Accept`, instead of `application/json`. */
  accept?: string;
  /**
   * Sends the request without credentials: neither `API_HEADERS` nor those of token, `AUTH_MODULE` or `BASE_URL`. Uses separate
   * connections, which never carried credentials, because a gateway may authenticate a connection.
   */
  anonymous?: true;
  /** Marks a repetition of an earlier request, sent to compare both responses. Changes nothing in the request itself. */
  again?: true;
  /**
   * Sends the request without retries, even if the response has `Retry-After`. A retry with new credentials after HTTP 401 remains.
   */
  withoutRetries?: true;
}

/** Outcome of a request: the response, or the reason why there is none (`blocked`). */
export type RequestOutcome = (HttpResponse | Blocked) & RequestStats;

const maxUnanswered = 3;

/**
 * Circuit breaker of the requests that share it, such as all of one operation: after `maxUnanswered` consecutive requests without a
 * response, no other is sent.
 */
export class CircuitBreaker {
  readonly #countsOverload: boolean;
  #unanswered = 0;

  /** @param countsOverload true if a response such as HTTP 503 counts as no response; default: false */
  constructor({ countsOverload = false } = {}) {
    this.#countsOverload = countsOverload;
  }

  /** Returns the reason to send no further request, after `maxUnanswered` unanswered ones; undefined before that. */
  explainStop(): Blocked | undefined {
    if (this.#unanswered < maxUnanswered) return undefined;
    const answers = this.#countsOverload ? 'no response, or a status such as HTTP 503' : 'no response';
    return {
      blocked: `not sent, because the last ${this.#unanswered} requests got ${answers}`,
      notSent: true,
    };
  }

  /**
   * Counts a request without a response, also one with a status such as HTTP 503 if `countsOverload`. Any other response resets the
   * count, even one that is not read, such as one with a too large body.
   */
  countOutcome(response: HttpResponse | Blocked): void {
    const isUnanswered =
      'blocked' in response ? !response.unread : this.#countsOverload && isOverload(response.status);
    this.#unanswered = isUnanswered ? this.#unanswered + 1 : 0;
  }
}

/** Number of HTTP 401, with no other status before, after which the client sends nothing more: more may lock an account. */
const maxUnauthorized = 3;

/** Receives each token, and each header of `AUTH_MODULE`, before it is sent, so that reports can redact the value. */
type OnSecret = (value: string) => void;

/** Client of the target: sends only GET, follows no redirect, and retries as `planRetry` decides. */
export interface HttpClient {
  /**
   * Sends a GET, unless the breaker has stopped requests or the credentials are rejected. Never throws: an error becomes a
   * `Blocked`.
   * @param path path and query below `baseUrl`, percent-encoded, sent unchanged
   */
  get(path: string, breaker?: CircuitBreaker, overrides?: RequestOverrides): Promise<RequestOutcome>;
  /** Trace id of all requests of the client (W3C Trace Context), 32 hex digits; undefined if `REQUEST_ID` is `off`. */
  trace?: string | undefined;
  /** Returns the number of requests so far, with retries, but without the one that Playwright makes after ECONNRESET. */
  countRequests(): number;
  /** Returns the number of retries so far, keyed by reason such as `HTTP 429 with Retry-After`. */
  countRetries(): Record<string, number>;
  /**
   * Returns the share of `maxRps` at which the client sends: 1 at first, halved after each HTTP 429 (0.5, 0.25…); 0 if the target
   * limited even the slowest rate.
   */
  rateShare(): number;
}

/** Client with open connections. The caller of `createClient` must call `close`. */
export interface OpenClient extends HttpClient {
  close(): Promise<void>;
}

const openState = async (target: Target, baseUrl: string, onSecret: OnSecret, trace: string) => ({
  target,
  baseUrl,
  trace: target.requestId === 'off' ? undefined : trace,
  onSecret,
  transport: createTransport(target, baseUrl),
  anonymousTransport: createTransport(target, baseUrl),
  pace: new Pace(target.maxRps),
  signer: target.authModule ? await loadSigner(target.authModule, target) : undefined,
  token: createTokenSource(target, onSecret),
  requestCount: 0,
  retryCounts: {} as Record<string, number>,
  /** Milliseconds that retries may still add to the run; `retryBudgetMs` at first. */
  retryMs: retryBudgetMs,
});

type ClientState = Awaited<ReturnType<typeof openState>>;

/**
 * Opens a client of a target. At most `maxConcurrency` of its requests are sent at a time.
 * @param baseUrl address without a trailing slash
 * @param onSecret receives each token and signature before it is sent, so that reports can redact the value
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
  // Number of HTTP 401. Minus infinity once another status shows that the credentials are accepted, so that no later 401 counts.
  let unauthorizedCount = 0;
  const acquire = semaphore(maxConcurrency);
  return {
    get: async (path, breaker, overrides = {}) => {
      const release = await acquire();
      try {
        const blockedByBreaker = breaker?.explainStop();
        if (blockedByBreaker) return blockedByBreaker;
        if (unauthorizedCount >= maxUnauthorized && !overrides.anonymous)
          return { blocked: formatUnauthorizedReason('HTTP 401'), notSent: true };
        const response = await sendGet(state, path, overrides);
        breaker?.countOutcome(response);
        if ('status' in response && !overrides.anonymous)
          unauthorizedCount = response.status === 401 ? unauthorizedCount + 1 : Number.NEGATIVE_INFINITY;
        return response;
      } finally {
        release();
      }
    },
    trace: state.trace,
    countRequests: () => state.requestCount,
    countRetries: () => state.retryCounts,
    rateShare: () => state.pace.share,
    close: async () => {
      await Promise.all([state.transport, state.anonymousTransport].map((transport) => transport.close()));
    },
  };
}

/**
 * Creates a semaphore that at most `max` callers hold at a time. Returns `acquire`, which waits for a free place and resolves to
 * the function that releases the place.
 */
function semaphore(max: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let acquired = 0;
  return async () => {
    if (acquired < max) acquired += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return () => {
      // Hands the place over to the caller that has waited longest, without counting it down and up.
      const next = waiting.shift();
      if (next) next();
      else acquired -= 1;
    };
  };
}

/**
 * Sends a request, and retries it as `planRetry` decides, until `retryBudgetMs` is used up. Returns the outcome of the last
 * attempt.
 */
async function sendGet(
  state: ClientState,
  path: string,
  overrides: RequestOverrides,
): Promise<RequestOutcome> {
  const retries: Retry[] = [];
  for (;;) {
    const isRenewal = retries.at(-1)?.reason === renewal;
    const attempt = await attemptGet(state, path, overrides, isRenewal);
    const retry = planRetry(state, attempt, retries, overrides);
    const costMs = retry ? computeRetryCost(retry, state.pace) : 0;
    // Also false if `costMs` is NaN, because every comparison with NaN is false.
    const isAffordable = costMs <= state.retryMs;
    if (!retry || !isAffordable)
      return retries.length > 0 ? { ...attempt, repeated: retries.length } : attempt;
    state.retryMs -= costMs;
    retries.push(retry);
    state.retryCounts[retry.reason] = (state.retryCounts[retry.reason] ?? 0) + 1;
    // Retry-After is meant for the client, not for one of its requests (RFC 9110 section 10.2.3).
    state.pace.delayNextTurn(retry.delayMs);
  }
}

/**
 * Returns the milliseconds that a retry adds to the run: its delay and the interval between two requests, or 0 for a retry with new
 * credentials. NaN if `Retry-After` is invalid.
 */
const computeRetryCost = ({ reason, delayMs }: Retry, { intervalMs }: Pace): number =>
  reason === renewal ? 0 : delayMs + intervalMs;

/**
 * Sends a request once, as soon as `Pace` allows it. Slows the client down after HTTP 429, and drops the token after HTTP 401.
 * @param isRenewal true if HTTP 401 rejected the previous attempt of the request
 */
async function attemptGet(
  state: ClientState,
  path: string,
  overrides: RequestOverrides,
  isRenewal: boolean,
): Promise<RequestOutcome> {
  const { target, baseUrl, trace, pace } = state;
  // Each attempt has its own span id, because the provider's log has a line for each attempt.
  const idField = trace ? { id: `${trace}-${randomBytes(8).toString('hex')}` } : {};
  let startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const url = new URL(baseUrl + path);
    const share = await pace.takeTurn();
    const headers = await buildHeaders(state, url, { ...overrides, ...idField }, isRenewal);
    state.requestCount += 1;
    startedAt = performance.now();
    const transport = overrides.anonymous ? state.anonymousTransport : state.transport;
    const response = await transport.send(url, headers);
    if (response.status === 429) pace.slowDown(share);
    if (response.status === 401) state.token?.reject(headers.authorization);
    return { ...response, durationMs: durationMs(), ...idField };
  } catch (error) {
    if (error instanceof CredentialsError) return { blocked: error.message, credentials: true };
    const failure = describeFailure(error, target, target.transport.proxy);
    return { ...failure, durationMs: durationMs(), ...idField };
  }
}

/**
 * Builds the headers of a request, where later ones override earlier ones: user and password of `BASE_URL`, defaults,
 * `API_HEADERS`, token, `AUTH_MODULE`, `Accept-Encoding`. Passes each header value that the module adds or changes to `onSecret`.
 * An anonymous request gets only the defaults and `Accept-Encoding`.
 * @throws {CredentialsError} if no token can be fetched, or the module cannot sign
 */
async function buildHeaders(
  { target, signer, token, onSecret }: ClientState,
  url: URL,
  { accept = 'application/json', anonymous, id }: RequestOverrides & RequestStats,
  isRenewal: boolean,
): Promise<Record<string, string>> {
  // Spread last below, so that neither configuration nor module can override the header.
  const fixed = { 'accept-encoding': acceptEncoding };
  // Version 00, `id` (trace id and span id), and the flag "sampled" (W3C Trace Context, section 3.2).
  const ids = Object.fromEntries(listTraceHeaders(target.requestId).map((name) => [name, `00-${id}-01`]));
  const defaults = { 'user-agent': 'lookup-api-conformance', accept, ...ids };
  if (anonymous) return { ...defaults, ...fixed };
  const configuredHeaders = Object.entries(target.headers).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  const authorization = token ? { authorization: await token.get() } : {};
  const headers: Record<string, string> = {
    ...defaults,
    ...Object.fromEntries(configuredHeaders),
    ...authorization,
  };
  const signed = (await signer?.(url, headers, isRenewal)) ?? {};
  for (const [name, value] of Object.entries(signed)) if (headers[name] !== value) onSecret(value);
  return { ...buildBasicAuthorization(url), ...headers, ...signed, ...fixed };
}

/** Builds `Authorization: Basic …` from user and password in an address (RFC 7617); `{}` if the address has neither. */
function buildBasicAuthorization({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const credentials = [username, password].map(decodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Maximum number of milliseconds that the retries of a client may add to a run, all requests together. */
const retryBudgetMs = 60_000;
const maxRetries = 3;

/** Reason of a retry with a new token or signature, as reports count it. */
const renewal = 'HTTP 401, with new credentials';

/** Retry: its reason in reports, and the delay before it in milliseconds (NaN if `Retry-After` is invalid). */
interface Retry {
  reason: typeof renewal | 'HTTP 429 with Retry-After' | 'HTTP 503 with Retry-After';
  delayMs: number;
}

/**
 * Plans the next retry of a request. HTTP 429 or 503 with `Retry-After` is retried, but not if `withoutRetries` is set. HTTP 401 is retried
 * one time, if a new token or signature is possible. Undefined if the outcome is final, or if `maxRetries` are used up. Does not
 * check `retryBudgetMs`.
 */
function planRetry(
  { signer, token }: ClientState,
  attempt: RequestOutcome,
  earlierRetries: Retry[],
  { anonymous, withoutRetries }: RequestOverrides,
): Retry | undefined {
  if ('blocked' in attempt || earlierRetries.length >= maxRetries) return undefined;
  const { status, headers } = attempt;
  if (status === 401 && (signer || token) && !anonymous)
    return earlierRetries.some(({ reason }) => reason === renewal)
      ? undefined
      : { reason: renewal, delayMs: 0 };
  const retryAfter = headers['retry-after'];
  if ((status !== 429 && status !== 503) || retryAfter === undefined || withoutRetries) return undefined;
  return { reason: `HTTP ${status} with Retry-After`, delayMs: parseRetryAfter(retryAfter, Date.now()) };
}

/** Parses `Retry-After`, seconds or an HTTP date (RFC 9110 section 10.2.3), to milliseconds from `now`; NaN if invalid. */
const parseRetryAfter = (header: string, now: number): number =>
  /^\d+$/.test(header) ? Number(header) * 1000 : Math.max(0, Date.parse(header) - now);
