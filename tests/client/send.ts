import { setTimeout as pause } from 'node:timers/promises';
import { type APIRequestContext, type APIResponse, request } from '@playwright/test';
import PQueue from 'p-queue';
import type { Answer } from '../../schemas/judgement.ts';
import { limiter } from './limiter.ts';
import { isReset, reasonOf } from './reasons.ts';
import { type Attempt, type Repetition, repetitionOf } from './retry.ts';
import { loadSigner, type Sign, SigningError } from './signing.ts';
import type { Target } from './target.ts';
import { transportOf } from './transport.ts';

/** No answer that could be judged: a sentence that says why and holds nothing of the request. */
export interface Blocked {
  blocked: string;
}

/** What a request took: the time of its last attempt, and how often it was repeated. */
export interface Effort {
  durationMs?: number;
  repeated?: number;
}

/** What a request may have that is not as documented. */
export interface Unusual {
  /** Instead of `application/json`. */
  accept?: string;
  /** Without API_HEADERS, AUTH_MODULE and what the address holds. */
  anonymous?: true;
}

/** The only door to the network: GET, no body, no redirect followed, repeated only as `retry.ts` says. */
export interface Door {
  /** Sends a GET for a path with query, as it shall stand on the wire, unless it is given up by then. Never throws. */
  get(
    path: string,
    givenUp?: () => string | undefined,
    unusual?: Unusual,
  ): Promise<(Answer | Blocked) & Effort>;
  /** Requests sent so far, repetitions included. */
  sent(): number;
  /** How many requests were repeated, by reason. */
  repeated(): Record<string, number>;
  close(): Promise<void>;
}

/** What each request needs: where it goes, how, and what is counted on the way. */
interface Passage {
  context: APIRequestContext;
  target: Target;
  baseUrl: string;
  sign: Sign | undefined;
  turn: () => Promise<void>;
  sent: number;
  repeated: Record<string, number>;
}

const largestBody = 32 * 1024 * 1024;
const smallBody = 64 * 1024;
const agent = 'lookup-api-conformance';

/**
 * Opens the door to a target. `baseUrl` has no trailing slash.
 * @throws {SigningError} when `AUTH_MODULE` cannot be used.
 */
export async function openDoor(target: Target, baseUrl: string): Promise<Door> {
  const sign = target.authModule ? await loaded(target.authModule) : undefined;
  const context = await request.newContext(transportOf(target, baseUrl));
  const turn = limiter(baseUrl, target.maxRps);
  const passage: Passage = { context, target, baseUrl, sign, turn, sent: 0, repeated: {} };
  const queue = new PQueue({ concurrency: 4 });
  return {
    get: (path, givenUp = () => undefined, unusual = {}) =>
      queue.add(async () => {
        const blocked = givenUp();
        return blocked ? { blocked } : sendGet(passage, path, unusual);
      }),
    sent: () => passage.sent,
    repeated: () => passage.repeated,
    close: () => context.dispose(),
  };
}

async function sendGet(
  passage: Passage,
  path: string,
  unusual: Unusual,
): Promise<(Answer | Blocked) & Effort> {
  const signs = passage.sign !== undefined && !unusual.anonymous;
  const repetitions: Repetition[] = [];
  for (;;) {
    const attempt = await attemptGet(
      passage,
      path,
      unusual,
      repetitions.at(-1)?.reason.startsWith('HTTP 401') ?? false,
    );
    const repetition = repetitionOf(attempt, repetitions, signs);
    if (!repetition) return repetitions.length > 0 ? { ...attempt, repeated: repetitions.length } : attempt;
    repetitions.push(repetition);
    passage.repeated[repetition.reason] = (passage.repeated[repetition.reason] ?? 0) + 1;
    await pause(repetition.waitMs);
  }
}

async function attemptGet(
  passage: Passage,
  path: string,
  unusual: Unusual,
  unauthorized: boolean,
): Promise<Attempt & Effort> {
  const { context, target, baseUrl, turn } = passage;
  const url = new URL(baseUrl + path);
  if (unusual.anonymous) Object.assign(url, { username: '', password: '' });
  await turn();
  let startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const headers = await headersFor(passage, url, unusual, unauthorized);
    passage.sent += 1;
    startedAt = performance.now();
    const options = { headers, maxRedirects: 0, maxRetries: 0, failOnStatusCode: false };
    const response = await context.get(url.href, { ...options, timeout: target.timeoutMs });
    return { ...(await readAnswer(response)), durationMs: durationMs() };
  } catch (error) {
    // Playwright's message holds URL and headers: only a sentence of our own leaves this function.
    if (error instanceof SigningError) return { blocked: error.message };
    const message = headline(error);
    const blocked = reasonOf(message, target.timeoutMs);
    return isReset(message) && passage.sent > 1
      ? { blocked, reset: true, durationMs: durationMs() }
      : { blocked, durationMs: durationMs() };
  }
}

/** The first line: below it Playwright logs the answer's headers, and `keep-alive: timeout=5` is no timeout. */
const headline = (error: unknown) =>
  (error instanceof Error ? error.message : '').split(/\s+Call log:/)[0] ?? '';

async function headersFor({ target, sign }: Passage, url: URL, unusual: Unusual, unauthorized: boolean) {
  const own = Object.fromEntries(
    Object.entries(unusual.anonymous ? {} : target.headers).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]),
  );
  const headers = { 'user-agent': agent, ...own, accept: unusual.accept ?? 'application/json' };
  if (!sign || unusual.anonymous) return headers;
  const { origin, pathname: path, search } = url;
  const query = search.replace(/^\?/, '');
  // Without credentials of the address, which are no part of what is on the wire.
  const address = origin + path + search;
  const about = { method: 'GET', url: address, path, query, headers, now: new Date() } as const;
  const signing = Promise.resolve(sign(unauthorized ? { ...about, unauthorized } : about));
  const { authModule, timeoutMs } = target;
  const late = `AUTH_MODULE ${authModule} did not answer within ${timeoutMs} ms (REQUEST_TIMEOUT_MS)`;
  return { ...headers, ...(await inTime(signing, timeoutMs, late)) };
}

const loadingMs = 10_000;

const loaded = (file: string) =>
  inTime(loadSigner(file), loadingMs, `AUTH_MODULE ${file} was not loaded within ${loadingMs} ms`);

/** A module that never answers must not make a run hang. */
async function inTime<T>(answer: Promise<T>, ms: number, late: string): Promise<T> {
  const stop = new AbortController();
  const timeout = pause(ms, undefined, { signal: stop.signal }).then(() => {
    throw new SigningError(late);
  });
  return Promise.race([answer, timeout]).finally(() => stop.abort());
}

async function readAnswer(response: APIResponse): Promise<Attempt> {
  const body = await response.body();
  // What is small may lie there until the door is closed.
  if (body.length > smallBody) await response.dispose();
  if (body.length > largestBody) return { blocked: 'the body is larger than 32 MiB, the most that is read' };
  const headers = response.headers();
  const { 'content-type': contentType, 'retry-after': retryAfter } = headers;
  return { status: response.status(), contentType, body, headers, retryAfter };
}
