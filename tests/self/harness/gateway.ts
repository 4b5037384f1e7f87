import { createPublicKey, verify } from 'node:crypto';
import type { Alter, MockResponse } from '../../../mock/server.ts';

/* Gateways in front of the provider: an `Alter` of the mock that may reject a request instead of passing on the answer. */

const json = { 'content-type': 'application/json' };
const unauthorized: MockResponse = { status: 401, headers: json, body: { error: 'unauthorized' } };

/** Demands a fresh RSA-SHA256 signature over method, path, query, time and nonce; else answers HTTP 401. */
export function signatureGateway(appId: string, publicKeyPem: string): Alter {
  const key = createPublicKey(publicKeyPem);
  const nonces = new Set<string>();
  return (response, { method, path, headers }) => {
    const readHeader = (name: string) => String(headers[name] ?? '');
    const [time, nonce] = [readHeader('x-request-time'), readHeader('x-nonce')];
    const [pathname = '', query = ''] = path.split('?');
    const signedText = Buffer.from([method, pathname, query, time, nonce].join('\n'));
    const isOnTime = Math.abs(Date.now() - Date.parse(time)) < 60_000;
    const isNewNonce = nonce !== '' && !nonces.has(nonce);
    nonces.add(nonce);
    const isSigned = verify('RSA-SHA256', signedText, key, Buffer.from(readHeader('x-signature'), 'base64'));
    return readHeader('x-app-id') === appId && isOnTime && isNewNonce && isSigned ? response : unauthorized;
  };
}

/** Answers HTTP 429 to the first request for each path. `retryAfter` returns seconds or an HTTP date (RFC 9110, section 10.2.3). */
export function throttlingGateway(retryAfter: () => string): Alter {
  const rejectedPaths = new Set<string>();
  return (response, { path }) => {
    if (rejectedPaths.has(path)) return response;
    rejectedPaths.add(path);
    return { status: 429, headers: { 'retry-after': retryAfter() }, body: { error: 'slow down' } };
  };
}

export function limitingGateway(perSecond: number): Alter {
  let secondStartedAt = 0;
  let requestCount = 0;
  return (response) => {
    const now = performance.now();
    if (now - secondStartedAt >= 1000) {
      secondStartedAt = now;
      requestCount = 0;
    }
    requestCount += 1;
    if (requestCount <= perSecond) return response;
    return { status: 429, headers: { 'retry-after': '1' }, body: { error: 'slow down' } };
  };
}
