import { randomBytes } from 'node:crypto';
import { isOverload, isRateLimit } from '../../schemas/judge/classify.ts';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import { Pace } from './pace.ts';
import { type Blocked, CredentialsError, createBlocked, formatUnauthorizedReason } from './reasons.ts';
import { listTraceHeaders, loadSigner } from './signing.ts';
import { maxConcurrency, type Target } from './target.ts';
import { TokenSource } from './token.ts';
import { acceptEncoding, createTransport } from './transport.ts';

/** Measurements of one request. After retries, the id and the times are those of the last attempt. */
export interface RequestStats {
  /** Trace id and span id of the request: `4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7` (W3C Trace Context). */
  id?: string;
  /** Time from sending the request to the first byte of the response. */
  firstByteMs?: number;
  durationMs?: number;
  retries?: number;
}

/** Options that replace the defaults of one request. For example, `{ accept: 'text/html' }` replaces `application/json`. */
export interface RequestOverrides {
  accept?: string;
  /** True to send no credentials. The headers of `API_HEADERS` are left out, too. The client certificate is still used. */
  anonymous?: true;
  /** Prevents retries after HTTP 429 and 503, but not after HTTP 401. */
  withoutRetries?: true;
  /** Called right before each attempt to send the request. */
  onAttempt?: () => void;
}

export type RequestOutcome = (HttpResponse | Blocked) & RequestStats;

const maxUnanswered = 3;

/**
 * Stops further requests after three requests in a row got no response. A breaker applies only to the requests that share the
 * breaker, such as all requests of one operation.
 */
export class CircuitBreaker {
  readonly #countsOverload: boolean;
  #unansweredCount = 0;

  /** @param countsOverload whether a status such as HTTP 503 (`isOverload`) counts as a missing response. Default: false. */
  constructor({ countsOverload = false } = {}) {
    this.#countsOverload = countsOverload;
  }

  /** Returns the reason why no further request may be sent. Returns undefined if requests may be sent. */
  explainStop(): Blocked | undefined {
    if (this.#unansweredCount < maxUnanswered) return undefined;
    const missingResponse = this.#countsOverload
      ? 'no response, or a status such as HTTP 503'
      : 'no response';
    return {
      blocked: `not sent, because the last ${this.#unansweredCount} requests got ${missingResponse}`,
      notSent: true,
    };
  }

  countOutcome(outcome: HttpResponse | Blocked): void {
    this.#unansweredCount = this.#isUnanswered(outcome) ? this.#unansweredCount + 1 : 0;
  }

  #isUnanswered(outcome: HttpResponse | Blocked): boolean {
    if ('blocked' in outcome) {
      // A response that is too large to be read is a response, too.
      const hasResponded = outcome.unread === true;
      return !hasResponded;
    }
    return this.#countsOverload && isOverload(outcome.status);
  }
}

const maxUnauthorized = 3;

/**
 * Protects an account from a lockout. After three responses with HTTP 401, no further request may be sent. This limit ends when a
 * response such as HTTP 200 or 404 shows that the target accepts the credentials. HTTP 429 and 503 do not show this.
 */
class LockoutGuard {
  #unauthorizedCount = 0;
  #areCredentialsAccepted = false;

  explainStop(): Blocked | undefined {
    if (this.#areCredentialsAccepted || this.#unauthorizedCount < maxUnauthorized) return undefined;
    return { blocked: formatUnauthorizedReason('HTTP 401'), notSent: true };
  }

  /**
   * Returns how many requests may be sent at a time. Until the credentials are accepted, not more than three responses may be HTTP
   * 401 in all. After one HTTP 401, for example, two requests may be sent at a time.
   */
  getMaxConcurrency(): number {
    const isLimited = !this.#areCredentialsAccepted && this.#unauthorizedCount < maxUnauthorized;
    return isLimited ? maxUnauthorized - this.#unauthorizedCount : maxConcurrency;
  }

  countOutcome(outcome: HttpResponse | Blocked): void {
    // A gateway may limit the rate before the target checks the credentials, also with HTTP 403.
    if (!('blocked' in outcome) && !isRateLimit(outcome)) this.countStatus(outcome.status);
  }

  countStatus(status: number): void {
    if (status === 401) this.#unauthorizedCount += 1;
    // An overloaded gateway responds before it checks the credentials.
    else if (status !== 429 && !isOverload(status)) this.#areCredentialsAccepted = true;
  }
}

/** Called with each secret that the client obtains during a run, such as an access token. Reports redact these secrets. */
type OnSecret = (value: string) => void;

/** HTTP client for the target. Sends only GET requests, and follows no redirects. */
export interface HttpClient {
  /**
   * Sends a GET request. If the request is not sent, or gets no readable response, returns a `Blocked` with the reason. Throws no
   * error.
   * @param path percent-encoded path and query
   */
  get(path: string, breaker?: CircuitBreaker, overrides?: RequestOverrides): Promise<RequestOutcome>;
  /** Returns the number of requests sent so far, including retries. */
  countRequests(): number;
  /**
   * Counts the HTTP status of a response that an earlier worker received. After three responses with HTTP 401, the client stops
   * sending requests, unless a response has shown that the target accepts the credentials.
   */
  countEarlierStatus(status: number): void;
  /** Counts the retries so far, keyed by reason: `{ 'HTTP 429 with Retry-After': 2 }`. */
  countRetries(): Record<string, number>;
  /** Returns the current request rate as a share of `maxRps` (`Pace.share`). */
  rateShare(): number;
  /** Closes idle connections, so that one is left. Later requests open new ones. */
  closeSpareConnections(): Promise<void>;
  close(): Promise<void>;
}

const createClientState = async (target: Target, baseUrl: string, onSecret: OnSecret, trace: string) => ({
  target,
  baseUrl,
  trace: target.traceHeaders === 'off' ? undefined : trace,
  onSecret,
  transport: createTransport(target, baseUrl),
  // Has connections of its own, because a gateway may keep a connection logged in.
  anonymousTransport: createTransport(target, baseUrl),
  pace: new Pace(target.maxRps),
  signer: target.authModule ? await loadSigner(target.authModule, target) : undefined,
  token: target.token && new TokenSource(target.token, target, onSecret),
  requestCount: 0,
  retryCounts: {} as Record<string, number>,
  remainingRetryMs: retryBudgetMs,
});

type ClientState = Awaited<ReturnType<typeof createClientState>>;

/**
 * Creates an HTTP client that sends at most `maxConcurrency` requests at a time.
 * @param baseUrl URL without a trailing slash
 * @param trace trace id of all requests, 16 bytes in hexadecimal. Default: a random id.
 * @throws {CredentialsError} if `AUTH_MODULE` cannot be loaded
 */
export async function createClient(
  target: Target,
  baseUrl: string,
  onSecret: OnSecret = () => {},
  trace: string = randomBytes(16).toString('hex'),
): Promise<HttpClient> {
  const state = await createClientState(target, baseUrl, onSecret, trace);
  const lockoutGuard = new LockoutGuard();
  const runWhenFree = createConcurrencyLimit(() => lockoutGuard.getMaxConcurrency());
  return {
    get: (path, breaker, overrides = {}) =>
      runWhenFree(async () => {
        // An anonymous request has no credentials that the target could reject.
        const lockout = overrides.anonymous ? undefined : lockoutGuard;
        const stopReason = breaker?.explainStop() ?? lockout?.explainStop();
        if (stopReason) return stopReason;
        const outcome = await sendWithRetries(state, path, overrides);
        breaker?.countOutcome(outcome);
        lockout?.countOutcome(outcome);
        return outcome;
      }),
    countRequests: () => state.requestCount,
    countEarlierStatus: (status) => lockoutGuard.countStatus(status),
    countRetries: () => state.retryCounts,
    rateShare: () => state.pace.share,
    closeSpareConnections: () => state.transport.closeIdleContexts({ kept: 1 }),
    close: async () => {
      await Promise.all(
        [state.transport, state.anonymousTransport].map((transport) => transport.closeIdleContexts()),
      );
    },
  };
}

/** Creates a function that waits until fewer than `getMax()` requests are running, and then calls `send`. */
function createConcurrencyLimit(
  getMax: () => number,
): (send: () => Promise<RequestOutcome>) => Promise<RequestOutcome> {
  const waitingCallers: (() => void)[] = [];
  let runningCount = 0;
  const startWaitingCallers = () => {
    while (waitingCallers.length > 0 && runningCount < getMax()) {
      runningCount += 1;
      waitingCallers.shift()?.();
    }
  };
  return async (send) => {
    await new Promise<void>((resolve) => {
      waitingCallers.push(resolve);
      startWaitingCallers();
    });
    try {
      return await send();
    } finally {
      runningCount -= 1;
      startWaitingCallers();
    }
  };
}

async function sendWithRetries(
  state: ClientState,
  path: string,
  overrides: RequestOverrides,
): Promise<RequestOutcome> {
  const retries: Retry[] = [];
  while (true) {
    const wasUnauthorized = retries.at(-1)?.renewsCredentials === true;
    const outcome = await sendAttempt(state, path, { ...overrides, wasUnauthorized });
    const retry = planRetry(state, outcome, retries, overrides);
    if (!retry || !spendRetryBudget(state, retry))
      return retries.length > 0 ? { ...outcome, retries: retries.length } : outcome;
    retries.push(retry);
    state.retryCounts[retry.reason] = (state.retryCounts[retry.reason] ?? 0) + 1;
    // Delays every request of the client: Retry-After is not meant for a single request (RFC 9110 section 10.2.3).
    state.pace.delayNextTurn(retry.delayMs);
  }
}

function spendRetryBudget(state: ClientState, { renewsCredentials, delayMs }: Retry): boolean {
  // A retry after HTTP 401 costs nothing: there is only one per request.
  // A wait that other requests have caused already, such as for the same window of a rate limit, costs only once.
  const addedDelayMs = Math.max(0, delayMs - state.pace.plannedDelayMs);
  // The retry also takes a turn, so that other requests wait one interval longer.
  const waitMs = renewsCredentials ? 0 : addedDelayMs + state.pace.intervalMs;
  if (waitMs > state.remainingRetryMs) return false;
  state.remainingRetryMs -= waitMs;
  return true;
}

type AttemptOptions = RequestOverrides & { wasUnauthorized: boolean };

/** Sends a request once, as soon as the rate limit (`Pace`) permits. */
async function sendAttempt(
  state: ClientState,
  path: string,
  options: AttemptOptions,
): Promise<RequestOutcome> {
  const { target, trace, pace } = state;
  const requestId = trace && addSpanId(trace);
  const url = new URL(state.baseUrl + path);
  const rateShareWhenSent = await pace.takeTurn();
  let headers: Record<string, string>;
  try {
    headers = await buildHeaders(state, url, requestId, options);
  } catch (error) {
    if (error instanceof CredentialsError) return { blocked: error.message, lacksCredentials: true };
    return createBlocked(error, target, target.transport.proxy);
  }
  const outcome = await sendWithoutWait(state, url, headers, options);
  if (requestId !== undefined) outcome.id = requestId;
  if ('blocked' in outcome) return outcome;
  if (isRateLimit(outcome)) pace.slowDown(rateShareWhenSent);
  if (outcome.status === 401) state.token?.discard(headers.authorization);
  return outcome;
}

const addSpanId = (traceId: string): string => `${traceId}-${randomBytes(8).toString('hex')}`;

/** Sends a request immediately and measures its duration. */
async function sendWithoutWait(
  state: ClientState,
  url: URL,
  headers: Record<string, string>,
  { anonymous, onAttempt }: RequestOverrides,
): Promise<RequestOutcome> {
  const { target } = state;
  const transport = anonymous ? state.anonymousTransport : state.transport;
  // Playwright's own retry after ECONNRESET is not counted.
  state.requestCount += 1;
  const startedAt = performance.now();
  let outcome: RequestOutcome;
  try {
    onAttempt?.();
    outcome = await transport.send(url, headers);
  } catch (error) {
    outcome = createBlocked(error, target, target.transport.proxy);
  }
  outcome.durationMs = Math.round(performance.now() - startedAt);
  return outcome;
}

/**
 * Builds the headers of a request. If `anonymous` is true, the headers hold no credentials. If `wasUnauthorized` is true, the
 * previous attempt got HTTP 401. `AUTH_MODULE` should renew its credentials for the new attempt.
 * @param requestId trace id and span id, joined by `-`. If undefined, no trace headers are set.
 * @throws {CredentialsError} if no token can be fetched, or if `AUTH_MODULE` fails
 */
async function buildHeaders(
  { target, signer, token, onSecret }: ClientState,
  url: URL,
  requestId: string | undefined,
  { accept = 'application/json', anonymous, wasUnauthorized }: AttemptOptions,
): Promise<Record<string, string>> {
  // Spread last below, so that neither configuration nor module can override the header.
  const fixedHeaders = { 'accept-encoding': acceptEncoding };
  const headers: Record<string, string> = { 'user-agent': 'lookup-api-conformance', accept };
  if (requestId !== undefined) {
    // Version 00, trace id and span id, and the flag "sampled" (W3C Trace Context, section 3.2).
    const traceparent = `00-${requestId}-01`;
    for (const name of listTraceHeaders(target.traceHeaders)) headers[name] = traceparent;
  }
  if (anonymous) return { ...headers, ...fixedHeaders };
  for (const [name, value] of Object.entries(target.headers)) headers[name.toLowerCase()] = value;
  if (token) headers.authorization = await token.getAuthorization();
  const signedHeaders = (await signer?.(url, headers, wasUnauthorized)) ?? {};
  for (const [name, value] of Object.entries(signedHeaders)) {
    // The module may return a header unchanged, such as `accept`, which is no secret.
    const isUnchanged = headers[name] === value;
    if (!isUnchanged) onSecret(value);
  }
  return { ...buildBasicAuthorization(url), ...headers, ...signedHeaders, ...fixedHeaders };
}

function buildBasicAuthorization({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const credentials = [username, password].map(decodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Maximum total time that one client spends waiting before retries. */
const retryBudgetMs = 60_000;
const maxRetries = 3;

interface Retry {
  reason: 'HTTP 401, with new credentials' | `HTTP ${number} with Retry-After`;
  delayMs: number;
  renewsCredentials?: true;
}

function planRetry(
  state: ClientState,
  outcome: RequestOutcome,
  earlierRetries: Retry[],
  overrides: RequestOverrides,
): Retry | undefined {
  if ('blocked' in outcome || earlierRetries.length >= maxRetries) return undefined;
  if (outcome.status === 401) return planRetryWithNewCredentials(state, earlierRetries, overrides);
  return overrides.withoutRetries ? undefined : planRetryAfterDelay(outcome);
}

function planRetryWithNewCredentials(
  { signer, token }: ClientState,
  earlierRetries: Retry[],
  { anonymous }: RequestOverrides,
): Retry | undefined {
  const canRenewCredentials = !anonymous && Boolean(signer || token);
  const wereRenewed = earlierRetries.some(({ renewsCredentials }) => renewsCredentials);
  if (!canRenewCredentials || wereRenewed) return undefined;
  return { reason: 'HTTP 401, with new credentials', delayMs: 0, renewsCredentials: true };
}

function planRetryAfterDelay(response: HttpResponse): Retry | undefined {
  const { status, headers } = response;
  if (!isRateLimit(response) && status !== 503) return undefined;
  const delayMs = parseRetryAfter(headers['retry-after'] ?? '');
  return Number.isNaN(delayMs) ? undefined : { reason: `HTTP ${status} with Retry-After`, delayMs };
}

function parseRetryAfter(header: string): number {
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  // `Date.parse` reads `1.5` as a day in 2001, and a date without GMT as local time.
  const isHttpDate = /^[A-Z][a-z]+, .* GMT$/.test(header);
  return isHttpDate ? Math.max(0, Date.parse(header) - Date.now()) : NaN;
}
