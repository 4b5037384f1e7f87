import { type APIRequestContext, type APIResponse, request } from '@playwright/test';
import PQueue from 'p-queue';
import type { Answer } from '../../schemas/judgement.ts';
import type { Target } from './target.ts';

/** No answer that could be judged: a sentence that says why and holds nothing of the request. */
export interface Blocked {
  blocked: string;
}

/** The only door to the network: GET, no body, no redirect followed, nothing repeated. */
export interface Door {
  /** Sends a GET for a path with query, as it shall stand on the wire, unless it is given up by then. Never throws. */
  get(path: string, givenUp?: () => string | undefined): Promise<Answer | Blocked>;
  /** Requests sent so far. */
  sent(): number;
  close(): Promise<void>;
}

const largestBody = 32 * 1024 * 1024;

/** Opens the door to a target. `baseUrl` has no trailing slash. */
export async function openDoor(target: Target, baseUrl: string): Promise<Door> {
  const context = await request.newContext({
    extraHTTPHeaders: { ...target.headers, Accept: 'application/json' },
  });
  const queue = new PQueue({ concurrency: 4, ...rate(target.maxRps) });
  let sent = 0;
  return {
    get: (path, givenUp = () => undefined) =>
      queue.add(async () => {
        const blocked = givenUp();
        if (blocked) return { blocked };
        sent += 1;
        return sendGet(context, baseUrl + path, target.timeoutMs);
      }),
    sent: () => sent,
    close: () => context.dispose(),
  };
}

const rate = (perSecond: number) =>
  Number.isFinite(perSecond) ? { interval: Math.ceil(1000 / perSecond), intervalCap: 1 } : {};

async function sendGet(context: APIRequestContext, url: string, timeout: number): Promise<Answer | Blocked> {
  try {
    const response = await context.get(url, {
      maxRedirects: 0,
      maxRetries: 0,
      failOnStatusCode: false,
      timeout,
    });
    return await readAnswer(response);
  } catch (error) {
    // Playwright's message holds URL and headers: only a sentence of our own leaves this function.
    return { blocked: reasonOf(error instanceof Error ? error.message : '', timeout) };
  }
}

async function readAnswer(response: APIResponse): Promise<Answer | Blocked> {
  try {
    const body = await response.body();
    if (body.length > largestBody)
      return { blocked: 'the body is larger than 32 MiB, the most that is read' };
    return { status: response.status(), contentType: response.headers()['content-type'], body };
  } finally {
    await response.dispose();
  }
}

const reasons: [RegExp, string][] = [
  [/ECONNREFUSED/, 'the connection was refused: is the target running, and BASE_URL right?'],
  [/ENOTFOUND|EAI_AGAIN/, "the target's name could not be resolved: check the host in BASE_URL"],
  [/EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/, 'the target cannot be reached from here: check network and proxy'],
  [/CERT|certificate|SSL|TLS|EPROTO/i, 'no secure connection could be made: check certificates and scheme'],
  [/ECONNRESET|socket hang up|EPIPE/, 'the connection was reset before the answer was complete'],
  [/aborted|premature|ERR_STREAM/i, 'the answer was cut off in the middle'],
  [/Parse Error|HPE_/, 'the answer is not HTTP'],
  [
    /incorrect header check|unexpected end of file|Z_|ERR__ERROR_FORMAT/i,
    'the body could not be decompressed',
  ],
];

function reasonOf(message: string, timeout: number): string {
  if (/timed? ?out|Timeout \d+ms/i.test(message) && !/ETIMEDOUT/.test(message))
    return `no complete answer within ${timeout} ms (REQUEST_TIMEOUT_MS)`;
  return reasons.find(([known]) => known.test(message))?.[1] ?? 'the request failed for an unknown reason';
}
