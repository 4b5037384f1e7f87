import { createSecureContext } from 'node:tls';
import { type APIRequestContext, type APIResponse, request } from '@playwright/test';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import { readRegularFile } from './files.ts';
import { watchMemory } from './memory-watch.ts';
import { ClientError, classifyError, type Reason } from './reasons.ts';
import type { Target } from './target.ts';

/** Header `Accept-Encoding` of all requests: content codings that Playwright's client decodes. */
export const acceptEncoding = 'gzip, br';

/** Response with its whole body, and the milliseconds from sending the request to the first byte of the response. */
type ReceivedResponse = HttpResponse & { body: Buffer; firstByteMs: number };

/** Sends requests to one origin such as `https://api.example.com` with Playwright's `APIRequestContext`. */
export interface Transport {
  /**
   * Sends one GET and reads the whole response within `timeoutMs`. Follows no redirect and keeps no cookie.
   * @param form form-encoded body. With a body, the request is a POST to a token server; requests to the target have none.
   * @throws {ClientError} for any failure. Hides Playwright's errors, whose messages hold address and headers of the request.
   */
  send(url: URL, headers: Record<string, string>, form?: string): Promise<ReceivedResponse>;
  close(): Promise<void>;
}

type TransportSettings = Pick<Target, 'transport' | 'timeoutMs' | 'maxBodyBytes'>;

/**
 * Creates a transport that reuses Playwright contexts. A context sends one request at a time, so that cookies of concurrent
 * responses do not mix.
 * @param baseUrl address whose origin receives the requests
 */
export function createTransport(settings: TransportSettings, baseUrl: string): Transport {
  const idleContexts: APIRequestContext[] = [];
  return {
    send: async (url, headers, form) => {
      let context = idleContexts.pop();
      try {
        context ??= await openContext(settings.transport, new URL(baseUrl).origin);
        const response = await sendWithLimits(context, settings, removeCredentials(url), headers, form);
        if ('set-cookie' in response.headers) await context.clearCookies();
        idleContexts.push(context);
        return response;
      } catch (error) {
        await context?.dispose();
        // Replaces each error of Playwright's, whose message holds address and headers.
        throw new ClientError(classifyError(error));
      }
    },
    close: async () => {
      await Promise.all(idleContexts.splice(0).map((context) => context.dispose()));
    },
  };
}

/**
 * Options that keep a Playwright context free of headers, credentials and cookies. Without them, Playwright would take these from
 * `use` in its configuration if a test sends the request.
 */
const cleanContextOptions = {
  extraHTTPHeaders: {},
  httpCredentials: [],
  storageState: { cookies: [], origins: [] },
};

/** Opens a Playwright context that uses the proxy of a target, and for HTTPS its client certificate. */
function openContext(transport: Target['transport'], origin: string): Promise<APIRequestContext> {
  const { proxy, allowInvalidCertificates } = transport;
  const certificate = origin.startsWith('https:') ? readClientCertificate(transport) : undefined;
  return request.newContext({
    ...cleanContextOptions,
    ignoreHTTPSErrors: allowInvalidCertificates,
    maxRedirects: 0,
    ...(proxy ? { proxy: { server: proxy } } : {}),
    clientCertificates: certificate ? [{ origin, ...certificate }] : [],
  });
}

/**
 * Reads the file `CLIENT_CERT`, which holds a certificate and its private key; undefined if the variable is not set.
 * @throws {ClientError} if the file cannot be read, the passphrase is wrong, or certificate and key do not match
 */
function readClientCertificate({ clientCertificate, passphrase = '' }: Target['transport']) {
  if (!clientCertificate) return undefined;
  try {
    const bytes = readRegularFile(clientCertificate);
    // PEM begins each part with this text (RFC 7468 section 2); PKCS #12 is binary.
    const isPem = bytes.includes('-----BEGIN ');
    const certificate = isPem ? { cert: bytes, key: bytes, passphrase } : { pfx: bytes, passphrase };
    // Throws if the passphrase is wrong, or certificate and key do not match.
    createSecureContext(certificate);
    return certificate;
  } catch {
    throw new ClientError('client certificate');
  }
}

function removeCredentials(url: URL): string {
  const urlWithoutCredentials = new URL(url);
  urlWithoutCredentials.username = '';
  urlWithoutCredentials.password = '';
  return urlWithoutCredentials.href;
}

/**
 * Sends one request. Aborts it after `timeoutMs`, or if the process needs too much memory.
 * @throws a `ClientError`, or an error of Playwright's
 */
async function sendWithLimits(
  context: APIRequestContext,
  { transport, timeoutMs, maxBodyBytes }: TransportSettings,
  url: string,
  headers: Record<string, string>,
  form: string | undefined,
): Promise<ReceivedResponse> {
  const stop = new AbortController();
  const abort = (reason: Reason) => stop.abort(new ClientError(reason));
  // `setImmediate` lets the process first read bytes that arrived while it was busy.
  const timer = setTimeout(() => setImmediate(abort, 'timeout'), timeoutMs);
  const endWatch = watchMemory(maxBodyBytes, () => abort('too much memory'));
  try {
    const options = { headers, signal: stop.signal, timeout: 0 };
    const response = form
      ? await context.post(url, { ...options, data: form })
      : // Playwright retries only after ECONNRESET: a server may close a kept connection at that moment (RFC 9112 section 9.3.1).
        await context.get(url, { ...options, maxRetries: 1 });
    if (transport.proxy) await assertFromTarget(response);
    return await readResponse(response, maxBodyBytes);
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    clearTimeout(timer);
    endWatch();
  }
}

/**
 * Checks that a response comes from the target through the proxy, and not from the proxy itself.
 * @throws {ClientError} if the response is the proxy's own
 */
async function assertFromTarget(response: APIResponse): Promise<void> {
  // Playwright knows the server address only if the proxy has opened a tunnel to the target.
  const serverAddress = await response.serverAddr();
  if (serverAddress) return;
  throw new ClientError(response.status() === 407 ? 'proxy credentials' : 'no tunnel');
}

/** Maximum number of headers that Node's parser keeps. If a response has this number, the parser may have dropped further ones. */
const maxHeaders = 1000;

/**
 * Reads headers and body of a response.
 * @throws {ClientError} if the parser may have dropped headers, or the body is too large or cannot be decoded
 */
async function readResponse(response: APIResponse, maxBodyBytes: number): Promise<ReceivedResponse> {
  const pairs = response.headersArray();
  if (pairs.length >= maxHeaders) throw new ClientError('headers too large');
  const headers = joinHeaders(pairs);
  const body = await response.body();
  await response.dispose();
  if (body.length > maxBodyBytes) throw new ClientError('body too large');
  if (isStillEncoded(headers['content-encoding'])) throw new ClientError('undecodable');
  const firstByteMs = Math.round(response.timing().responseStart);
  return { status: response.status(), headers, body, firstByteMs };
}

/**
 * Joins the values of headers with equal names: with a comma, or with a line break for `set-cookie` (RFC 9110 section 5.3). Returns
 * the joined values, keyed by name in lower case.
 */
function joinHeaders(pairs: { name: string; value: string }[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const { name: originalName, value } of pairs) {
    const name = originalName.toLowerCase();
    const earlier = headers.get(name);
    const separator = name === 'set-cookie' ? '\n' : ', ';
    headers.set(name, earlier === undefined ? value : earlier + separator + value);
  }
  return Object.fromEntries(headers);
}

/** Content codings (RFC 9110 section 8.4.1) that Playwright's client decodes, but only if a response has a single one. */
const decodableCodings = ['x-gzip', 'gzip', 'br', 'deflate'];
/** Registered content codings that Playwright's client never decodes. */
const undecodableCodings = ['zstd', 'compress', 'x-compress', 'dcb', 'dcz'];

/**
 * Returns whether Playwright's client leaves a body encoded: with `zstd`, or with several codings such as `gzip, br`. False for a
 * name that is no registered coding, such as `utf-8`.
 */
function isStillEncoded(contentEncoding = ''): boolean {
  const codings = contentEncoding.toLowerCase().split(/ *, */);
  if (codings.some((coding) => undecodableCodings.includes(coding))) return true;
  const areAllDecodable = codings.every((coding) => decodableCodings.includes(coding));
  return codings.length > 1 && areAllDecodable;
}
