import { setTimeout as pause } from 'node:timers/promises';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import { isReset, isUnread, reasonOf } from './reasons.ts';
import { acceptEncoding, sendRequest } from './request.ts';
import { authorizationOf, createRoute, type Route } from './routes.ts';
import { loadSigner, type Signer, SigningError } from './signing.ts';
import type { Target } from './target.ts';

/** No answer that could be judged: a sentence that says why and holds nothing of the request. */
export interface Blocked {
  blocked: string;
  /** Set where the request was not sent at all. */
  notSent?: true;
  /** Set where there is a response that this suite does not read. */
  unread?: true;
}

/** What a request may have that is not as documented. */
export interface RequestOverrides {
  /** Instead of `application/json`. */
  accept?: string;
  /** Without API_HEADERS, AUTH_MODULE and what the address holds, on connections that carried none of them. */
  anonymous?: true;
  /** A request that was sent before: the new response is compared with the earlier one. */
  again?: true;
}

/** Tells requests apart: what has the same key is asked once. */
export const requestKey = (path: string, overrides: RequestOverrides = {}) =>
  `${path} ${JSON.stringify(overrides)}`;

/** What a request has taken: times of the last attempt, in whole milliseconds. */
export interface Effort {
  /** From sending to the head of the response, connecting included. */
  firstByteMs?: number;
  /** From sending to the end of the response. */
  durationMs?: number;
  /** How many times it was repeated. */
  repeated?: number;
}

/** The effort alone, without the response. */
export const effortOf = ({ firstByteMs, durationMs, repeated }: Effort): Effort => ({
  ...(firstByteMs === undefined ? {} : { firstByteMs }),
  ...(durationMs === undefined ? {} : { durationMs }),
  ...(repeated === undefined ? {} : { repeated }),
});

const maxUnanswered = 3;

/** Counts requests without a response: after some of them, those that share the breaker are not sent any more. */
export class CircuitBreaker {
  #unanswered = 0;
  readonly #inARow: boolean;

  /** @param inARow whether a response sets the count back */
  constructor({ inARow }: { inARow: boolean }) {
    this.#inARow = inARow;
  }

  /** What takes the place of a response where nothing more is sent. */
  open(): Blocked | undefined {
    if (this.#unanswered < maxUnanswered) return undefined;
    return { blocked: `not sent, since ${this.#unanswered} requests before it got no answer`, notSent: true };
  }

  note(response: HttpResponse | Blocked): void {
    if ('blocked' in response) this.#unanswered += 1;
    else if (this.#inARow) this.#unanswered = 0;
  }
}

/** Requests with one set of credentials that are rejected before no other is sent: more may lock an account. */
const maxUnauthorized = 3;

/** Tells when credentials are wrong: where everything so far was rejected with HTTP 401. */
class Credentials {
  #unauthorized = 0;
  #isKnown = false;

  /** What takes the place of a response where nothing more is sent. */
  rejected(): Blocked | undefined {
    if (this.#isKnown || this.#unauthorized < maxUnauthorized) return undefined;
    return {
      blocked: `not sent, since the target rejected all ${this.#unauthorized} requests before it with HTTP 401`,
      notSent: true,
    };
  }

  note(response: HttpResponse | Blocked): void {
    if ('blocked' in response) return;
    if (response.status === 401) this.#unauthorized += 1;
    else this.#isKnown = true;
  }
}

/** Receives each secret that is about to be sent, so that nobody writes it. */
type OnSecret = (value: string) => void;

/** The only client to the network: GET, no body, no redirect followed, repeated only as `repetitionOf` says. */
export interface HttpClient {
  /** Sends a GET for a path with query, as it shall stand on the wire, unless the breaker is open. Never throws. */
  get(
    path: string,
    breaker?: CircuitBreaker,
    overrides?: RequestOverrides,
  ): Promise<(HttpResponse | Blocked) & Effort>;
  /** Requests sent so far, repetitions included. */
  sent(): number;
  /** How many requests were repeated, by reason. */
  repeated(): Record<string, number>;
  close(): Promise<void>;
}

/** What each request needs: where it goes, how, and what is counted on the way. */
interface ClientState {
  target: Target;
  baseUrl: string;
  signer: Signer | undefined;
  onSecret: OnSecret;
  takeTurn: () => Promise<void>;
  usual: Route;
  anonymous: Route;
  /** Opens a connection for each request, and shares it with no other. */
  unshared: Route;
  sent: number;
  repeated: Record<string, number>;
  /** What is left of `retryBudgetMs`. */
  retryMs: number;
}

/** Requests of a run that may wait for a response at the same time. */
export const maxConcurrency = 4;

/**
 * Opens the client to a target. `baseUrl` has no trailing slash.
 * @throws {SigningError} when `AUTH_MODULE` cannot be used.
 */
export async function createClient(
  target: Target,
  baseUrl: string,
  onSecret: OnSecret = () => {},
): Promise<HttpClient> {
  const state: ClientState = {
    target,
    baseUrl,
    onSecret,
    usual: createRoute(target, baseUrl),
    anonymous: createRoute(target, baseUrl),
    unshared: createRoute(target, baseUrl, false),
    takeTurn: turns(target.maxRps),
    signer: target.authModule ? await loadSigner(target.authModule, target.timeoutMs) : undefined,
    sent: 0,
    repeated: {},
    retryMs: retryBudgetMs,
  };
  const run = limitConcurrency(maxConcurrency);
  const credentials = new Credentials();
  return {
    get: (path, breaker, overrides = {}) =>
      run(async () => {
        const open = breaker?.open() ?? (overrides.anonymous ? undefined : credentials.rejected());
        if (open) return open;
        const response = await sendGet(state, path, overrides);
        breaker?.note(response);
        if (!overrides.anonymous) credentials.note(response);
        return response;
      }),
    sent: () => state.sent,
    repeated: () => state.repeated,
    close: async () => {
      for (const { agent } of [state.usual, state.anonymous, state.unshared]) agent.destroy();
    },
  };
}

/** Lets at most `max` tasks run at a time, in the order in which they were given. */
export function limitConcurrency(max: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < max) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** Spreads requests evenly: each call waits for the next free turn. */
function turns(perSecond: number): () => Promise<void> {
  let next = 0;
  return async () => {
    const at = Math.max(performance.now(), next);
    next = at + 1000 / perSecond;
    if (at > performance.now()) await pause(at - performance.now());
  };
}

/** What a target may delay a run by `Retry-After`, all requests of the run together. */
export const retryBudgetMs = 60_000;
const longestWaitMs = 30_000;
const maxWaits = 3;

/** The outcome of one attempt; `retryAfter` is the header, if there was one. */
type Attempt = (HttpResponse | (Blocked & { reset?: true })) & Effort & { retryAfter?: string | undefined };

/** Why a request is sent again, as reports count it, and after how long. */
interface Repetition {
  reason:
    | 'connection reset'
    | 'HTTP 401, signed anew'
    | 'HTTP 429 with Retry-After'
    | 'HTTP 503 with Retry-After';
  waitMs: number;
}

async function sendGet(
  state: ClientState,
  path: string,
  overrides: RequestOverrides,
): Promise<(HttpResponse | Blocked) & Effort> {
  const repetitions: Repetition[] = [];
  for (;;) {
    const attempt = await attemptGet(state, path, overrides, repetitions);
    const repetition = repetitionOf(attempt, repetitions, state.signer !== undefined && !overrides.anonymous);
    if (!repetition || !hasTime(state, repetition, attempt))
      return repetitions.length > 0 ? { ...attempt, repeated: repetitions.length } : attempt;
    repetitions.push(repetition);
    state.repeated[repetition.reason] = (state.repeated[repetition.reason] ?? 0) + 1;
    await pause(repetition.waitMs);
  }
}

/**
 * Whether an attempt is to be repeated. Only these are: 429 and 503 that say when to come back, a connection that
 * was reset (once), and 401 for a request that can be signed anew (once). Anything else is what the target said.
 */
function repetitionOf(attempt: Attempt, earlier: Repetition[], signs: boolean): Repetition | undefined {
  const once = (reason: Repetition['reason']) =>
    earlier.some((one) => one.reason === reason) ? undefined : { reason, waitMs: 0 };
  if ('blocked' in attempt) return attempt.reset && once('connection reset');
  const { status, retryAfter } = attempt;
  if (status === 401 && signs) return once('HTTP 401, signed anew');
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return undefined;
  const waits = earlier.filter(({ reason }) => reason.endsWith('Retry-After'));
  const waitMs = waitOf(retryAfter, Date.now());
  const allMs = waits.reduce((sum, one) => sum + one.waitMs, waitMs);
  if (waits.length >= maxWaits || !(allMs <= longestWaitMs)) return undefined;
  return { reason: `HTTP ${status} with Retry-After`, waitMs };
}

/** Milliseconds that a Retry-After header asks for, in seconds or as an HTTP date (RFC 9110 section 10.2.3); NaN for neither. */
const waitOf = (header: string, now: number): number =>
  /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Math.max(0, Date.parse(header) - now);

/** Takes the time of a wait, and of sending again, from what the run has for it. */
function hasTime(state: ClientState, { reason, waitMs }: Repetition, { durationMs = 0 }: Effort): boolean {
  if (!reason.endsWith('Retry-After')) return true;
  const takenMs = waitMs + durationMs + 1000 / state.target.maxRps;
  if (takenMs > state.retryMs) return false;
  state.retryMs -= takenMs;
  return true;
}

async function attemptGet(
  state: ClientState,
  path: string,
  overrides: RequestOverrides,
  repetitions: Repetition[],
): Promise<Attempt> {
  const { target, baseUrl, takeTurn } = state;
  const isAnew = repetitions.at(-1)?.reason === 'HTTP 401, signed anew';
  let startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const url = new URL(baseUrl + path);
    await takeTurn();
    const headers = await headersFor(state, url, overrides, isAnew);
    state.sent += 1;
    startedAt = performance.now();
    const response = await sendRequest(url, headers, routeOf(state, overrides, repetitions), target);
    const { 'content-type': contentType, 'retry-after': retryAfter } = response.headers;
    return { ...response, contentType, retryAfter, durationMs: durationMs() };
  } catch (error) {
    // An error may hold address and headers: only a sentence of our own leaves this function.
    if (error instanceof SigningError) return { blocked: error.message };
    return {
      blocked: reasonOf(error, target),
      ...(isUnread(error) ? { unread: true } : {}),
      ...(isReset(error) ? { reset: true } : {}),
      durationMs: durationMs(),
    };
  }
}

/** A server that has closed one connection under a request may be about to close the others (RFC 9112 section 9.3.1). */
function routeOf(
  { usual, anonymous, unshared }: ClientState,
  overrides: RequestOverrides,
  repetitions: Repetition[],
): Route {
  if (repetitions.some(({ reason }) => reason === 'connection reset')) return unshared;
  return overrides.anonymous ? anonymous : usual;
}

const agent = 'lookup-api-conformance';

/**
 * Headers of a request: those of the configuration, and those of AUTH_MODULE, which are reported as secrets.
 * @throws {SigningError} when the module cannot sign.
 */
async function headersFor(
  { target, signer, onSecret }: ClientState,
  url: URL,
  { accept = 'application/json', anonymous }: RequestOverrides,
  isAnew: boolean,
): Promise<Record<string, string>> {
  const fixed = { 'accept-encoding': acceptEncoding };
  if (anonymous) return { 'user-agent': agent, accept, ...fixed };
  const own = Object.entries(target.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const headers: Record<string, string> = { 'user-agent': agent, ...Object.fromEntries(own), accept };
  const signed = (await signer?.(url, headers, isAnew)) ?? {};
  for (const [name, value] of Object.entries(signed)) if (headers[name] !== value) onSecret(value);
  return { ...authorizationOf('authorization', url), ...headers, ...signed, ...fixed };
}
