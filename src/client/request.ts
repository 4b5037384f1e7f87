import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import { collected } from './files.ts';
import { ClientError } from './reasons.ts';
import { authorizationOf, type Route } from './routes.ts';
import type { Limits } from './target.ts';

/** Generous, since gateways add tokens and policies; Node's own limit is 16 KiB. */
const maxHeaderSize = 2 ** 16;

/**
 * Sends one request and reads the whole response, all within `timeoutMs`. Nothing is followed or stored.
 * @param form makes it a POST: only a token server gets one, never the target
 * @throws a `ClientError`, or an error of Node's with a code.
 */
export async function sendRequest(
  url: URL,
  headers: Record<string, string>,
  route: Route,
  limits: Limits,
  form?: string,
): Promise<HttpResponse & { body: Buffer; firstByteMs: number }> {
  const startedAt = performance.now();
  const stop = new AbortController();
  const { signal } = stop;
  // What arrived while this process was busy is read first.
  const timer = setTimeout(() => setImmediate(() => stop.abort()), limits.timeoutMs);
  const method = form === undefined ? 'GET' : 'POST';
  const request = openRequest(url, { headers, method, signal }, route);
  let firstByteMs: number | undefined;
  // What goes wrong inside a body ends that as well.
  request.on('error', () => {});
  request.end(form);
  try {
    const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
    firstByteMs = Math.round(performance.now() - startedAt);
    const head = joinHeaders(response.headersDistinct);
    const body = await readBody(response, head['content-encoding'], limits.maxBodyBytes);
    return { status: Number(response.statusCode), headers: head, body, firstByteMs };
  } catch (error) {
    // A server may close a kept connection just when it is used again (RFC 9112 section 9.3.1).
    if (request.reusedSocket && firstByteMs === undefined && isReset(error))
      return sendRequest(url, headers, { ...route, agent: route.unshared }, limits, form);
    throw signal.aborted ? new ClientError('timeout') : error;
  } finally {
    clearTimeout(timer);
    request.destroy();
  }
}

const isReset = (error: unknown) =>
  /^(ECONNRESET|EPIPE)$/.test(String((error as NodeJS.ErrnoException).code));

function openRequest(
  url: URL,
  own: { headers: Record<string, string>; method: string; signal: AbortSignal },
  { agent, forwardTo }: Route,
): ClientRequest {
  // Of what an address holds, the client decides itself what is sent to whom.
  const options = { ...own, agent, maxHeaderSize, auth: null };
  const send = (forwardTo ?? url).protocol === 'https:' ? requestHttps : requestHttp;
  const request = forwardTo
    ? send(forwardTo, {
        ...options,
        path: url.origin + url.pathname + url.search,
        headers: { ...own.headers, host: url.host, ...authorizationOf('proxy-authorization', forwardTo) },
      })
    : send(url, options);
  // Their size is limited; beyond 2000 Node would leave out the rest without a word.
  request.maxHeadersCount = 0;
  return request;
}

/** Several headers of one name become one, cookies on a line each. */
const joinHeaders = (headers: NodeJS.Dict<string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, values = []]) => [
      name,
      values.join(name === 'set-cookie' ? '\n' : ', '),
    ]),
  );

const codings: Record<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** What is decompressed, as the header Accept-Encoding. */
export const acceptEncoding = 'gzip, br';

/**
 * Reads a body and decompresses it. A coding that is not known leaves it as it is, for the judge to see.
 * @param maxBytes of the body, compressed or not
 * @throws {ClientError} when it is too large, or not compressed as its header says; an error of Node's when it is cut off.
 */
async function readBody(response: IncomingMessage, contentEncoding = '', maxBytes: number): Promise<Buffer> {
  const body = await collected(response, maxBytes);
  if (!body) throw new ClientError('body too large');
  const names = contentEncoding.toLowerCase().split(/ *, */);
  const decoders = names.flatMap((name) => codings[name] ?? []);
  if (decoders.length < names.length || body.length === 0) return body;
  try {
    return decoders.reduceRight((bytes, decode) => decode(bytes, { maxOutputLength: maxBytes }), body);
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new ClientError(isTooLarge ? 'body too large' : 'undecodable');
  }
}
