import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import * as zlib from 'node:zlib';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import { collected } from './files.ts';
import { ClientError } from './reasons.ts';
import { authorizationOf, type Route } from './routes.ts';
import type { Limits } from './target.ts';

/** Generous, since gateways add tokens and policies; Node's own limit is 16 KiB. */
const maxHeaderSize = 2 ** 16;

/**
 * Sends one request and reads the whole response, all within `timeoutMs`. Nothing is followed, stored or repeated.
 * @param form makes it a POST: only a token server gets one, never the target
 * @throws a `ClientError`, or an error of Node's with a code.
 */
export function sendRequest(
  url: URL,
  headers: Record<string, string>,
  route: Route,
  { timeoutMs, maxBodyBytes }: Limits,
  form?: string,
): Promise<HttpResponse & { body: Buffer; firstByteMs: number }> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const request = openRequest(url, headers, route, form === undefined ? 'GET' : 'POST');
    const abandon = (error: Error) => {
      clearTimeout(timer);
      reject(error);
      request.destroy();
    };
    // What arrived while this process was busy is read first.
    const timer = setTimeout(() => setImmediate(abandon, new ClientError('timeout')), timeoutMs);
    // Stays for as long as the request: what goes wrong inside the body is reported here as well.
    request.on('error', abandon);
    request.on('response', (response) => {
      const firstByteMs = Math.round(performance.now() - startedAt);
      const head = joinHeaders(response.headersDistinct);
      readBody(response, head['content-encoding'], maxBodyBytes)
        .then(
          (body) => resolve({ status: Number(response.statusCode), headers: head, body, firstByteMs }),
          (error) => abandon(error instanceof ClientError ? error : new ClientError('cut')),
        )
        .finally(() => clearTimeout(timer));
    });
    request.end(form);
  });
}

function openRequest(
  url: URL,
  headers: Record<string, string>,
  { agent, forwardTo }: Route,
  method: 'GET' | 'POST',
): ClientRequest {
  // Of what an address holds, the client decides itself what is sent to whom.
  const options = { agent, headers, maxHeaderSize, method, auth: null };
  const send = (forwardTo ?? url).protocol === 'https:' ? requestHttps : requestHttp;
  const request = forwardTo
    ? send(forwardTo, {
        ...options,
        path: url.origin + url.pathname + url.search,
        headers: { ...headers, host: url.host, ...authorizationOf('proxy-authorization', forwardTo) },
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

// A stream that lacks its trailer is accepted, as browsers do.
const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
const gzip = { decode: zlib.gunzipSync, finishFlush: Z_SYNC_FLUSH };
const deflate = { decode: zlib.inflateSync, finishFlush: Z_SYNC_FLUSH };
const br = { decode: zlib.brotliDecompressSync, finishFlush: BROTLI_OPERATION_FLUSH };
const codings: Record<string, typeof gzip> = { gzip, 'x-gzip': gzip, deflate, br };

/** What is decompressed, as the header Accept-Encoding. */
export const acceptEncoding = 'gzip, br';

/**
 * Reads a body and decompresses it. What is not known of its coding leaves it as it is, for the judge to see.
 * @param maxBytes of the body, compressed or not
 * @throws {ClientError} when it is too large, or not compressed as its header says; an error of Node's when it is cut off.
 */
async function readBody(response: IncomingMessage, contentEncoding = '', maxBytes: number): Promise<Buffer> {
  const body = await collected(response, maxBytes);
  if (!body) throw new ClientError('body too large');
  const names = contentEncoding.split(',').map((name) => name.trim().toLowerCase());
  const known = names.reverse().flatMap((name) => codings[name] ?? []);
  if (known.length < names.length) return body;
  try {
    const maxOutputLength = maxBytes;
    return known.reduce<Buffer>(
      (bytes, { decode, finishFlush }) => decode(bytes, { maxOutputLength, finishFlush }),
      body,
    );
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new ClientError(isTooLarge ? 'body too large' : 'undecodable');
  }
}
