import { createSecureContext } from 'node:tls';
import { type APIRequestContext, type APIResponse, request } from '@playwright/test';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import { readRegularFile } from './files.ts';
import { watchMemory } from './memory-watch.ts';
import { ClientError, explainError, type Reason } from './reasons.ts';
import type { Target } from './target.ts';

/** Value of `Accept-Encoding`: content codings that Playwright's client decodes. */
export const acceptEncoding = 'gzip, br';

/** Response to one request, with its whole body. */
type ReceivedResponse = HttpResponse & { body: Buffer; firstByteMs: number };

/** Sends requests through Playwright's client to one origin. */
export interface Transport {
  /**
   * Sends one GET and reads the whole response within `timeoutMs`. No redirect is followed and no cookie is kept.
   * @param form makes the request a POST: only a token server receives a form, never the target
   * @throws {ClientError} and nothing else, because Playwright's errors hold the address and the headers of the request.
   */
  send(url: URL, headers: Record<string, string>, form?: string): Promise<ReceivedResponse>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Settings of a target that decide how its requests are sent. */
type TransportSettings = Pick<Target, 'transport' | 'timeoutMs' | 'maxBodyBytes'>;

/** Creates a transport. Its contexts serve one request at a time, so that no request sends a cookie of another one. */
export function createTransport(settings: TransportSettings, baseUrl: string): Transport {
  const idle: APIRequestContext[] = [];
  return {
    send: async (url, headers, form) => {
      let context = idle.pop();
      try {
        context ??= await openContext(settings.transport, new URL(baseUrl).origin);
        const response = await sendWithin(context, settings, withoutCredentials(url), headers, form);
        if ('set-cookie' in response.headers) await context.clearCookies();
        idle.push(context);
        return response;
      } catch (error) {
        await context?.dispose();
        // The one place where Playwright's errors end.
        throw new ClientError(explainError(error));
      }
    },
    close: async () => {
      await Promise.all(idle.splice(0).map((context) => context.dispose()));
    },
  };
}

/** Credentials that a context opened in a test would otherwise take from `use` of the Playwright configuration. */
const noneOfTests = { extraHTTPHeaders: {}, httpCredentials: [], storageState: { cookies: [], origins: [] } };

/** Opens a context. Node itself reads additional authorities from `NODE_EXTRA_CA_CERTS`. */
function openContext(transport: Target['transport'], origin: string): Promise<APIRequestContext> {
  const { proxy, allowInvalidCertificates } = transport;
  const identity = origin.startsWith('https:') ? readIdentity(transport) : undefined;
  return request.newContext({
    ...noneOfTests,
    ignoreHTTPSErrors: allowInvalidCertificates,
    maxRedirects: 0,
    ...(proxy ? { proxy: { server: proxy } } : {}),
    clientCertificates: identity ? [{ origin, ...identity }] : [],
  });
}

/** Reads the client certificate with its key, if one is configured. @throws {ClientError} if TLS cannot use them. */
function readIdentity({ clientCertificate, passphrase = '' }: Target['transport']) {
  if (!clientCertificate) return undefined;
  try {
    const bytes = readRegularFile(clientCertificate);
    const parts = bytes.includes('-----BEGIN ') ? { cert: bytes, key: bytes } : { pfx: bytes };
    const identity = { ...parts, passphrase };
    createSecureContext(identity);
    return identity;
  } catch {
    throw new ClientError('client certificate');
  }
}

/** Removes the credentials of an address, which the client sends as a header. */
function withoutCredentials(url: URL): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
}

/** Sends one request with a limit of time and of memory. @throws a `ClientError`, or an error of Playwright's. */
async function sendWithin(
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
      : // A server may close a kept connection just when it is used again (RFC 9112 section 9.3.1).
        await context.get(url, { ...options, maxRetries: 1 });
    if (transport.proxy) await assertTunnel(response);
    return await readResponse(response, maxBodyBytes);
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    clearTimeout(timer);
    endWatch();
  }
}

/** Throws if the response is the proxy's own: Playwright then knows no address of a server. @throws {ClientError} */
async function assertTunnel(response: APIResponse): Promise<void> {
  if (await response.serverAddr()) return;
  throw new ClientError(response.status() === 407 ? 'proxy credentials' : 'no tunnel');
}

/** Node's parser drops headers beyond this number. */
const maxHeaders = 1000;

/** Reads a response. @throws {ClientError} if its headers or its body are not all there. */
async function readResponse(response: APIResponse, maxBodyBytes: number): Promise<ReceivedResponse> {
  const pairs = response.headersArray();
  if (pairs.length >= maxHeaders) throw new ClientError('headers too large');
  const headers = joinHeaders(pairs);
  const body = await response.body();
  await response.dispose();
  if (body.length > maxBodyBytes) throw new ClientError('body too large');
  if (hasSeveralCodings(headers['content-encoding'])) throw new ClientError('undecodable');
  const firstByteMs = Math.round(response.timing().responseStart);
  return { status: response.status(), headers, body, firstByteMs };
}

/** Joins headers of one name, cookies with a line each. */
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

/** Returns whether a body has several codings: Playwright's client decodes only a single one. */
function hasSeveralCodings(contentEncoding = ''): boolean {
  const codings = contentEncoding.toLowerCase().split(/ *, */);
  return codings.length > 1 && codings.every((coding) => /^(x-gzip|gzip|br|deflate)$/.test(coding));
}
