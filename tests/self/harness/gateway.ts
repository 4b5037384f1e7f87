import { createPublicKey, verify } from 'node:crypto';
import type { MockResponse } from '../../../mock/responses.ts';
import type { Alter } from '../../../mock/server.ts';

/* Gateways in front of the provider: an `Alter` of the mock that may reject a request instead of passing on the answer. */

const json = { 'content-type': 'application/json' };
const unauthorized: MockResponse = { status: 401, headers: json, body: { error: 'unauthorized' } };

/** Responds with HTTP 401 unless app, signature, time and nonce are valid. */
export function signatureGateway(appId: string, publicKeyPem: string): Alter {
  const publicKey = createPublicKey(publicKeyPem);
  const usedNonces = new Set<string>();
  return (response, { method, path, headers }) => {
    const readHeader = (name: string) => String(headers[name] ?? '');
    const time = readHeader('x-request-time');
    const nonce = readHeader('x-nonce');
    const signature = Buffer.from(readHeader('x-signature'), 'base64');
    const [pathname = '', query = ''] = path.split('?');
    const signedText = Buffer.from([method, pathname, query, time, nonce].join('\n'));
    const isRightApp = readHeader('x-app-id') === appId;
    const isRecent = Math.abs(Date.now() - Date.parse(time)) < 60_000;
    const isNewNonce = nonce !== '' && !usedNonces.has(nonce);
    usedNonces.add(nonce);
    const isSigned = verify('RSA-SHA256', signedText, publicKey, signature);
    return isRightApp && isRecent && isNewNonce && isSigned ? response : unauthorized;
  };
}

/** Rejects the first request for each URL with HTTP 429 and `Retry-After`. */
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
