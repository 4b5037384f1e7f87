import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { readBody } from './body.ts';
import { Deadline } from './deadline.ts';
import { ClientError } from './reasons.ts';
import { authorizationOf, endpointOf, type Route } from './routes.ts';

/** A whole response: header names in lower case, the body decompressed. */
export interface WireResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Whole milliseconds from sending to the head of the response, connecting included. */
  firstByteMs: number;
}

/** Generous, since gateways add tokens and policies; Node's own limit is 16 KiB. */
const maxHeaderSize = 64 * 1024;

/** Responses with HTTP 1xx before the real one; any number of them is HTTP, but no end of them is no answer. */
const maxInterim = 1000;

/**
 * Sends one GET and reads the response, all within `timeoutMs`. Nothing is followed, stored or repeated.
 * @param largeBodyTurn waited for in the middle of a large body; the time for that does not count
 * @throws a `ClientError`, or an error of Node's with a code.
 */
export function sendRequest(
  url: URL,
  headers: Record<string, string>,
  route: Route,
  timeoutMs: number,
  largeBodyTurn: () => Promise<void> = async () => {},
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const request = openRequest(url, headers, route);
    const deadline = new Deadline(timeoutMs, () => abandon(new ClientError('timeout')));
    const abandon = (error: Error) => {
      deadline.stop();
      reject(error);
      request.destroy();
    };
    watchFailures(request, abandon);
    request.on('response', (response) => {
      const firstByteMs = Math.round(performance.now() - startedAt);
      readResponse(response, () => deadline.pause(largeBodyTurn))
        .then((whole) => resolve({ ...whole, firstByteMs }), abandon)
        .finally(() => deadline.stop());
    });
    request.end();
  });
}

/** Abandons a request that fails, or that gets something else than a response. */
function watchFailures(request: ClientRequest, abandon: (error: Error) => void): void {
  let hasResponse = false;
  request.on('response', () => {
    hasResponse = true;
  });
  // Stays for as long as the request: what goes wrong inside the body is reported here as well.
  request.on('error', (error) => abandon(hasResponse ? error : resetOf(error, request)));
  request.on('upgrade', () => abandon(new ClientError('upgrade')));
  limitInterim(request, abandon);
}

function limitInterim(request: ClientRequest, abandon: (error: Error) => void): void {
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > maxInterim) abandon(new ClientError('interim'));
  });
}

function openRequest(url: URL, headers: Record<string, string>, { agent, forwardTo }: Route): ClientRequest {
  const options = { agent, headers, maxHeaderSize, method: 'GET' };
  const path = url.pathname + url.search;
  const request = forwardTo
    ? (forwardTo.protocol === 'https:' ? requestHttps : requestHttp)({
        ...options,
        ...endpointOf(forwardTo),
        path: url.origin + path,
        headers: { ...headers, host: url.host, ...authorizationOf('proxy-authorization', forwardTo) },
      })
    : (url.protocol === 'https:' ? requestHttps : requestHttp)({ ...options, ...endpointOf(url), path });
  // Their size is limited; beyond 2000 Node would leave out the rest without a word.
  request.maxHeadersCount = 0;
  return request;
}

/** A server may close a connection that was idle just when it is used again; only that is worth another try. */
const resetOf = (error: NodeJS.ErrnoException, request: ClientRequest) =>
  request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
    ? new ClientError('reset', { reused: true })
    : error;

async function readResponse(
  response: IncomingMessage,
  largeBodyTurn: () => Promise<void>,
): Promise<Omit<WireResponse, 'firstByteMs'>> {
  const headers = joinHeaders(response.rawHeaders);
  const body = await readBody(response, headers['content-encoding'], largeBodyTurn);
  return { status: response.statusCode ?? 0, headers, body };
}

/** Several headers of one name become one, cookies on a line each. */
function joinHeaders(raw: string[]): Record<string, string> {
  const joined = new Map<string, string>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const before = joined.get(name);
    const value = raw[index + 1] ?? '';
    joined.set(name, before === undefined ? value : before + (name === 'set-cookie' ? '\n' : ', ') + value);
  }
  return Object.fromEntries(joined);
}
