import { createSecureContext } from 'node:tls';
import { type APIRequestContext, type APIResponse, request } from '@playwright/test';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import { readRegularFile } from './files.ts';
import { watchMemory } from './memory-watch.ts';
import { classifyTransportError, type FailureReason, TransportError } from './reasons.ts';
import type { Target } from './target.ts';

export const acceptEncoding = 'gzip, br';

type ReceivedResponse = HttpResponse & { body: Buffer; firstByteMs: number };

type TransportSettings = Pick<Target, 'transport' | 'timeoutMs' | 'maxBodyBytes'>;

/**
 * Creates an HTTP client that sends requests with Playwright's `APIRequestContext`.
 * @param baseUrl base URL of the requests. The client certificate is sent only to the origin of this URL.
 */
export function createTransport(settings: TransportSettings, baseUrl: string) {
  const idleContexts: APIRequestContext[] = [];
  return {
    /**
     * Sends a GET request and reads the response. Sending and reading together may take at most `timeoutMs`.
     * @param form form-encoded body. A request with a body is sent as POST.
     * @throws {TransportError} if there is no readable response
     */
    send: async (url: URL, headers: Record<string, string>, form?: string): Promise<ReceivedResponse> => {
      // User and password are sent as a header.
      const urlWithoutCredentials = url.origin + url.pathname + url.search;
      // A context sends one request at a time, so that no cookie of a response is sent with another request.
      let context = idleContexts.pop();
      try {
        context ??= await openContext(settings.transport, new URL(baseUrl).origin);
        const response = await sendWithLimits(context, settings, urlWithoutCredentials, headers, form);
        const hasSetCookies = 'set-cookie' in response.headers;
        if (hasSetCookies) await context.clearCookies();
        idleContexts.push(context);
        return response;
      } catch (error) {
        // A context with a failed request is not used again.
        await context?.dispose();
        // Replaces Playwright's error, because its message holds address and headers.
        throw new TransportError(classifyTransportError(error));
      }
    },
    /**
     * Closes the contexts that send no request, with their connections. Later requests open new ones.
     * @param kept number of contexts that stay open, those used last: a gateway may have dropped the connections of the others
     *   without notice. Each context costs time in every test, because Playwright starts and stops its trace, even if tracing is off.
     */
    closeIdleContexts: async ({ kept = 0 } = {}) => {
      const closedCount = Math.max(0, idleContexts.length - kept);
      await Promise.all(idleContexts.splice(0, closedCount).map((context) => context.dispose()));
    },
  };
}

function openContext(transport: Target['transport'], origin: string): Promise<APIRequestContext> {
  const { proxy, allowInvalidCertificates } = transport;
  const certificate = origin.startsWith('https:') ? readClientCertificate(transport) : undefined;
  const options = {
    // Overrides the headers, credentials and cookies that a Playwright configuration may set.
    extraHTTPHeaders: {},
    httpCredentials: [],
    storageState: { cookies: [], origins: [] },
    ignoreHTTPSErrors: allowInvalidCertificates,
    maxRedirects: 0,
    clientCertificates: certificate ? [{ origin, ...certificate }] : [],
  };
  return request.newContext(proxy ? { ...options, proxy: { server: proxy } } : options);
}

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
    throw new TransportError('client certificate');
  }
}

/**
 * Sends a request and reads its response, within limits of time and memory.
 * @throws {TransportError} if a limit is exceeded, if the body stays encoded, or if the proxy responds instead of the target
 * @throws an error of Playwright for any other failure, such as a refused connection
 */
async function sendWithLimits(
  context: APIRequestContext,
  { transport, timeoutMs, maxBodyBytes }: TransportSettings,
  url: string,
  headers: Record<string, string>,
  form: string | undefined,
): Promise<ReceivedResponse> {
  const stop = new AbortController();
  const abort = (reason: FailureReason) => stop.abort(new TransportError(reason));
  // `setImmediate` lets the process first read bytes that arrived while it was busy.
  const timer = setTimeout(() => setImmediate(abort, 'timeout'), timeoutMs);
  const endWatch = watchMemory(maxBodyBytes, () => abort('too much memory'));
  try {
    const response = await startRequest(context, url, { headers, signal: stop.signal, timeout: 0 }, form);
    // A proxy may respond itself, for example with HTTP 407 (RFC 9110 section 15.5.8).
    if (transport.proxy) await assertFromTarget(response);
    return await readResponse(response, maxBodyBytes);
  } catch (error) {
    // `reason` is the `TransportError` passed to `abort`.
    if (stop.signal.aborted) throw stop.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    endWatch();
  }
}

function startRequest(
  context: APIRequestContext,
  url: string,
  options: Parameters<APIRequestContext['get']>[1],
  form: string | undefined,
): Promise<APIResponse> {
  if (form) return context.post(url, { ...options, data: form });
  // Playwright retries only after ECONNRESET: a server may close an idle connection when a request arrives (RFC 9112 section 9.3.1).
  return context.get(url, { ...options, maxRetries: 1 });
}

async function assertFromTarget(response: APIResponse): Promise<void> {
  // Playwright knows the server address only if the proxy has opened a tunnel to the target.
  const serverAddress = await response.serverAddr();
  if (serverAddress) return;
  throw new TransportError(response.status() === 407 ? 'proxy credentials' : 'no tunnel');
}

/** Maximum number of headers in a complete response. If a response has more, Node's parser may have dropped some of them. */
const maxCompleteHeaders = 999;

async function readResponse(response: APIResponse, maxBodyBytes: number): Promise<ReceivedResponse> {
  // No status is below 100 (RFC 9110 section 15), but Node's parser accepts `000` to `099`.
  if (response.status() < 100) throw new TransportError('not HTTP');
  const mayLackHeaders = response.headersArray().length > maxCompleteHeaders;
  if (mayLackHeaders) throw new TransportError('headers too large');
  const headers = response.headers();
  const body = await response.body();
  await response.dispose();
  if (body.length > maxBodyBytes) throw new TransportError('body too large');
  if (isStillEncoded(headers['content-encoding'])) throw new TransportError('undecodable');
  const firstByteMs = Math.round(response.timing().responseStart);
  return { status: response.status(), headers, body, firstByteMs };
}

/**
 * Returns whether Playwright leaves a body with this `Content-Encoding` encoded. Playwright decodes neither `zstd` or `compress`, nor
 * several codings, such as `gzip, br` (RFC 9110 section 8.4.1).
 */
const isStillEncoded = (contentEncoding = ''): boolean => /,|zstd|compress|dc[bz]/i.test(contentEncoding);
