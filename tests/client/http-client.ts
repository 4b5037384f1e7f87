import { setTimeout as pause } from 'node:timers/promises';
import type { HttpResponse } from '../../schemas/judge/judgement.ts';
import type { Target } from '../configuration/target.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { limitConcurrency } from './concurrency.ts';
import { LargeBodies } from './large-bodies.ts';
import { type AcquireSlot, limiter } from './limiter.ts';
import { isReset, isUnread, reasonOf } from './reasons.ts';
import { sendRequest } from './request.ts';
import { headersFor, type OnSecret, type RequestOverrides, type Sending } from './request-headers.ts';
import { type Attempt, type Repetition, RetryBudget, repetitionOf } from './retry.ts';
import { createRoute, type Route } from './routes.ts';
import { loadSigner, type Signer, SigningError } from './signing.ts';
import { Stopwatch } from './stopwatch.ts';

/** No answer that could be judged: a sentence that says why and holds nothing of the request. */
export interface Blocked {
  blocked: string;
  /** Set where the request was not sent at all. */
  notSent?: true;
  /** Set where there is a response that this suite does not read. */
  unread?: true;
}

/** Tells requests apart: what has the same key is asked once. */
export const requestKey = (path: string, overrides: RequestOverrides = {}) =>
  `${path} ${JSON.stringify(overrides)}`;

/** What a request has taken: times of the last attempt, in whole milliseconds. */
export interface Effort {
  /** From sending to the head of the response, connecting included. */
  firstByteMs?: number;
  /** From sending to the end of the response, waiting excepted. */
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

/** The only client to the network: GET, no body, no redirect followed, repeated only as `retry.ts` says. */
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
  acquireSlot: AcquireSlot;
  largeBodies: LargeBodies;
  usual: Route;
  anonymous: Route;
  /** Opens a connection for each request, and shares it with no other. */
  unshared: Route;
  sent: number;
  repeated: Record<string, number>;
  retryBudget: RetryBudget;
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
  const state = await createState(target, baseUrl, onSecret);
  const run = limitConcurrency(maxConcurrency);
  return {
    get: (path, breaker, overrides = {}) =>
      run(async () => {
        const open = breaker?.open();
        if (open) return open;
        const response = await sendGet(state, path, overrides);
        breaker?.note(response);
        return response;
      }),
    sent: () => state.sent,
    repeated: () => state.repeated,
    close: async () => {
      for (const { agent } of [state.usual, state.anonymous, state.unshared]) agent.destroy();
      state.signer?.close();
    },
  };
}

async function createState(target: Target, baseUrl: string, onSecret: OnSecret): Promise<ClientState> {
  return {
    target,
    baseUrl,
    onSecret,
    usual: createRoute(target, baseUrl),
    anonymous: createRoute(target, baseUrl),
    unshared: createRoute(target, baseUrl, false),
    acquireSlot: limiter(baseUrl, target.maxRps),
    signer: target.authModule ? await loadSigner(target.authModule, target.timeoutMs) : undefined,
    largeBodies: new LargeBodies(),
    sent: 0,
    repeated: {},
    retryBudget: new RetryBudget(),
  };
}

async function sendGet(
  state: ClientState,
  path: string,
  overrides: RequestOverrides,
): Promise<(HttpResponse | Blocked) & Effort> {
  const signs = state.signer !== undefined && !overrides.anonymous;
  const repetitions: Repetition[] = [];
  for (;;) {
    const unauthorized = repetitions.at(-1)?.cause === 'unauthorized';
    const route = routeOf(state, overrides, repetitions);
    const attempt = await attemptGet(state, { path, overrides, unauthorized }, route);
    const repetition = repetitionOf(attempt, repetitions, signs);
    if (!repetition || !state.retryBudget.take(repetition, sendingTime(state, attempt)))
      return repetitions.length > 0 ? { ...attempt, repeated: repetitions.length } : attempt;
    repetitions.push(repetition);
    state.repeated[repetition.reason] = (state.repeated[repetition.reason] ?? 0) + 1;
    await pause(repetition.waitMs);
  }
}

/** A server that has closed one connection under a request may be about to close the others (RFC 9112 section 9.3.1). */
function routeOf(
  { usual, anonymous, unshared }: ClientState,
  overrides: RequestOverrides,
  repetitions: Repetition[],
): Route {
  if (repetitions.some(({ cause }) => cause === 'reset')) return unshared;
  return overrides.anonymous ? anonymous : usual;
}

/** What sending a request again takes: its turn, and as long as it took before. */
const sendingTime = ({ target }: ClientState, { durationMs = 0 }: Effort) =>
  durationMs + 1000 / target.maxRps;

async function attemptGet(state: ClientState, sending: Sending, route: Route): Promise<Attempt & Effort> {
  const { target, baseUrl, acquireSlot } = state;
  const large = state.largeBodies.slot();
  const watch = new Stopwatch();
  try {
    const url = new URL(baseUrl + sending.path);
    await acquireSlot();
    const headers = await headersFor(state, url, sending);
    state.sent += 1;
    watch.restart();
    const largeBodyTurn = () => watch.pause(large.enter);
    const response = await sendRequest(url, headers, route, target.timeoutMs, largeBodyTurn);
    const { 'content-type': contentType, 'retry-after': retryAfter } = response.headers;
    return { ...response, contentType, retryAfter, durationMs: watch.elapsedMs };
  } catch (error) {
    // An error may hold address and headers: only a sentence of our own leaves this function.
    if (error instanceof SigningError) return { blocked: error.message };
    const blocked = reasonOf(error, target.timeoutMs);
    const unread = isUnread(error) ? { unread: true as const } : {};
    const failed = { blocked, ...unread, durationMs: watch.elapsedMs };
    return isReset(error) ? { ...failed, reset: true } : failed;
  } finally {
    // Whoever awaits the response records and judges it before the next turn of the event loop.
    setImmediate(large.leave);
  }
}
