import { randomBytes } from 'node:crypto';
import { pick } from '../../schemas/json.ts';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import { Pace } from './pace.ts';
import { type Blocked, CredentialsError, describeFailure, unauthorizedSentence } from './reasons.ts';
import { idNames, loadSigner } from './signing.ts';
import { maxConcurrency, type Target } from './target.ts';
import { createTokenSource } from './token.ts';
import { acceptEncoding, createTransport } from './transport.ts';

/** What a request has taken: id and times of the last attempt, in whole milliseconds. */
export interface Effort {
  /** By which a provider finds it in its log, as `traceparent` has it: that of the run, and its own. */
  id?: string;
  /** From sending to the head of the response, connecting included. */
  firstByteMs?: number;
  /** From sending to the end of the response. */
  durationMs?: number;
  /** How many times it was repeated. */
  repeated?: number;
}

/** The effort alone, without the response. */
export const effortOf = (effort: Effort): Effort =>
  pick(effort, ['id', 'firstByteMs', 'durationMs', 'repeated']);

/** What a request may have that is not as documented. */
export interface RequestOverrides {
  /** Instead of `application/json`. */
  accept?: string;
  /** Without API_HEADERS, token, AUTH_MODULE and what the address holds, on connections that carried none of them. */
  anonymous?: true;
  /** A request that was sent before: the new response is compared with the earlier one. */
  again?: true;
}

/** What a request has come to. */
export type Answer = (HttpResponse | Blocked) & Effort;

const maxUnanswered = 3;

/** Counts requests without a response: after some in a row, those that share the breaker are not sent any more. */
export class CircuitBreaker {
  #unanswered = 0;

  /** What takes the place of a response where nothing more is sent. */
  open(): Blocked | undefined {
    if (this.#unanswered < maxUnanswered) return undefined;
    return { blocked: `not sent, since ${this.#unanswered} requests before it got no answer`, notSent: true };
  }

  note(response: HttpResponse | Blocked): void {
    this.#unanswered = 'blocked' in response && !response.unread ? this.#unanswered + 1 : 0;
  }
}

/** Requests with one set of credentials that are rejected before no other is sent: more may lock an account. */
const maxUnauthorized = 3;

/** Receives each secret that is about to be sent, so that nobody writes it. */
type OnSecret = (value: string) => void;

/** The only client to the network: GET, no body, no redirect followed, repeated only as `repetitionOf` says. */
export interface HttpClient {
  /** Sends a GET for a path with query, as it shall stand on the wire, unless the breaker is open. Never throws. */
  get(path: string, breaker?: CircuitBreaker, overrides?: RequestOverrides): Promise<Answer>;
  /** The trace id of all its requests (W3C Trace Context), where they have one. */
  trace?: string | undefined;
  /** Requests sent so far, repetitions included, except the one that Playwright repeats after a reset connection. */
  sent(): number;
  /** How many requests were repeated, by reason. */
  repeated(): Record<string, number>;
  /** Returns the share of `maxRps` that the target has not limited; 0 if it limited even the slowest rate. */
  rateShare(): number;
}

/** Client with connections that whoever opened it closes. */
export interface OpenClient extends HttpClient {
  close(): Promise<void>;
}

/** What each request needs: where it goes, how, and what is counted on the way. */
const stateOf = async (target: Target, baseUrl: string, onSecret: OnSecret, trace: string) => ({
  target,
  baseUrl,
  trace: target.requestId === 'off' ? undefined : trace,
  onSecret,
  transport: createTransport(target, baseUrl),
  /** Transport whose connections never carried credentials. */
  anonymous: createTransport(target, baseUrl),
  pace: new Pace(target.maxRps),
  signer: target.authModule ? await loadSigner(target.authModule, target) : undefined,
  token: createTokenSource(target, onSecret),
  sent: 0,
  repeated: {} as Record<string, number>,
  /** What is left of `retryBudgetMs`. */
  retryMs: retryBudgetMs,
});

type ClientState = Awaited<ReturnType<typeof stateOf>>;

/**
 * Opens the client to a target. `baseUrl` has no trailing slash.
 * @param trace trace id of all its requests, 16 bytes in hexadecimal
 * @throws {CredentialsError} when `AUTH_MODULE` cannot be used.
 */
export async function createClient(
  target: Target,
  baseUrl: string,
  onSecret: OnSecret = () => {},
  trace: string = randomBytes(16).toString('hex'),
): Promise<OpenClient> {
  const state = await stateOf(target, baseUrl, onSecret, trace);
  // How many were rejected with HTTP 401. Once any was not, the credentials are right, and no number of them is too large.
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

/** Lets at most `max` of those who acquire it go on at the same time, in the order in which they came. */
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

async function sendGet(state: ClientState, path: string, overrides: RequestOverrides): Promise<Answer> {
  const repetitions: Repetition[] = [];
  for (;;) {
    const attempt = await attemptGet(state, path, overrides, repetitions.at(-1)?.reason === renewed);
    const repetition = repetitionOf(state, attempt, repetitions, overrides);
    // New credentials cost no wait.
    const isRenewal = repetition?.reason === renewed;
    const takenMs = isRenewal ? 0 : (repetition?.waitMs ?? Number.NaN) + state.pace.intervalMs;
    if (!repetition || !(takenMs <= state.retryMs))
      return repetitions.length > 0 ? { ...attempt, repeated: repetitions.length } : attempt;
    state.retryMs -= takenMs;
    repetitions.push(repetition);
    state.repeated[repetition.reason] = (state.repeated[repetition.reason] ?? 0) + 1;
    // The target wants a pause from its client, not from one request.
    state.pace.hold(repetition.waitMs);
  }
}

async function attemptGet(
  state: ClientState,
  path: string,
  overrides: RequestOverrides,
  isAnew: boolean,
): Promise<Answer> {
  const { target, baseUrl, trace, pace } = state;
  // Each attempt is a request of its own to who reads the log.
  const id = trace && { id: `${trace}-${randomBytes(8).toString('hex')}` };
  let startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const url = new URL(baseUrl + path);
    const share = await pace.takeTurn();
    const headers = await headersFor(state, url, { ...overrides, ...id }, isAnew);
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
 * Headers of a request: those of the configuration, the token, and those of AUTH_MODULE, which are reported as secrets.
 * @throws {CredentialsError} when there is no token, or the module cannot sign.
 */
async function headersFor(
  { target, signer, token, onSecret }: ClientState,
  url: URL,
  { accept = 'application/json', anonymous, id }: RequestOverrides & Effort,
  isAnew: boolean,
): Promise<Record<string, string>> {
  const fixed = { 'accept-encoding': acceptEncoding };
  // As W3C Trace Context has it (section 3.2).
  const ids = Object.fromEntries(idNames(target.requestId).map((name) => [name, `00-${id}-01`]));
  const usual = { 'user-agent': 'lookup-api-conformance', accept, ...ids };
  if (anonymous) return { ...usual, ...fixed };
  const own = Object.entries(target.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const authorization = token ? { authorization: await token.get() } : {};
  const headers: Record<string, string> = { ...usual, ...Object.fromEntries(own), ...authorization };
  const signed = (await signer?.(url, headers, isAnew)) ?? {};
  for (const [name, value] of Object.entries(signed)) if (headers[name] !== value) onSecret(value);
  return { ...basicAuthorization(url), ...headers, ...signed, ...fixed };
}

/** Returns the header with the user and password of an address (RFC 7617); empty if the address has neither. */
function basicAuthorization({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const credentials = [username, password].map(decodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** What a target may delay a run by being asked again, all requests of the run together. */
const retryBudgetMs = 60_000;
const maxRepetitions = 3;

const renewed = 'HTTP 401, with new credentials';

/** Why a request is sent again, as reports count it, and after how long a target wants it. */
interface Repetition {
  reason: typeof renewed | 'HTTP 429 with Retry-After' | 'HTTP 503 with Retry-After';
  waitMs: number;
}

/**
 * Whether an attempt is to be repeated. Only these are: 429 and 503 that say when to come back, and 401 for a request that can
 * have another token or signature (once). Anything else is what the target said.
 */
function repetitionOf(
  { signer, token }: ClientState,
  attempt: Answer,
  earlier: Repetition[],
  { anonymous }: RequestOverrides,
): Repetition | undefined {
  if ('blocked' in attempt || earlier.length >= maxRepetitions) return undefined;
  const { status, headers } = attempt;
  if (status === 401 && (signer || token) && !anonymous)
    return earlier.some(({ reason }) => reason === renewed) ? undefined : { reason: renewed, waitMs: 0 };
  const retryAfter = headers['retry-after'];
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return undefined;
  return { reason: `HTTP ${status} with Retry-After`, waitMs: waitOf(retryAfter, Date.now()) };
}

/** Milliseconds that a Retry-After header asks for, in seconds or as an HTTP date (RFC 9110 section 10.2.3); NaN for neither. */
const waitOf = (header: string, now: number): number =>
  /^\d+$/.test(header) ? Number(header) * 1000 : Math.max(0, Date.parse(header) - now);
