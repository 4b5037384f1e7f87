import { createPublicKey, verify } from 'node:crypto';
import type { Alter, MockAnswer } from '../../../mock/server.ts';

/* What a gateway in front of the provider demands; it answers 401 to anything else. */

const json = { 'content-type': 'application/json' };
const unauthorized: MockAnswer = { status: 401, headers: json, body: { error: 'unauthorized' } };

/**
 * Demands an RSA-SHA256 signature over method, path, query, time and nonce, a line each. Rejects a time that is
 * more than a minute off and a nonce that it has seen.
 */
export function signatureGateway(appId: string, publicKeyPem: string): Alter {
  const key = createPublicKey(publicKeyPem);
  const nonces = new Set<string>();
  return (answer, { method, path, headers }) => {
    const of = (name: string) => String(headers[name] ?? '');
    const [time, nonce] = [of('x-request-time'), of('x-nonce')];
    const [pathname = '', query = ''] = path.split('?');
    const text = Buffer.from([method, pathname, query, time, nonce].join('\n'));
    const fresh = Math.abs(Date.now() - Date.parse(time)) < 60_000 && nonce !== '' && !nonces.has(nonce);
    nonces.add(nonce);
    const valid = verify('RSA-SHA256', text, key, Buffer.from(of('x-signature'), 'base64'));
    return of('x-app-id') === appId && fresh && valid ? answer : unauthorized;
  };
}

/** Rejects each distinct request once, with 429 and a time to come back, in seconds or as a date. */
export function throttlingGateway(retryAfter: () => string): Alter {
  const seen = new Set<string>();
  return (answer, { path }) => {
    if (seen.has(path)) return answer;
    seen.add(path);
    return { status: 429, headers: { 'retry-after': retryAfter() }, body: { error: 'slow down' } };
  };
}
