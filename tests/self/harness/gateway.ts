import { createPublicKey, verify } from 'node:crypto';
import type { Alter, MockAnswer } from '../../../mock/server.ts';

/* What a gateway in front of the provider demands; it answers 401 to anything else. */

const json = { 'content-type': 'application/json' };
const unauthorized: MockAnswer = { status: 401, headers: json, body: { error: 'unauthorized' } };

/**
 * Demands a bearer token (RFC 6750) that `POST /token` issues to a client. Each token serves a number of requests
 * and has then expired, in the middle of a run and without warning.
 * @returns the gateway, with how many tokens it has issued and how many requests it has rejected so far
 */
export function tokenGateway(client: { id: string; secret: string }, requestsEach: number) {
  const uses = new Map<string, number>();
  let rejected = 0;
  const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
  const issue = (): MockAnswer => {
    const access_token = `tok-${uses.size + 1}-3f9c2a`;
    uses.set(access_token, 0);
    return { status: 200, headers: json, body: { access_token, token_type: 'Bearer', expires_in: 3600 } };
  };
  const alter: Alter = (answer, { method, path, headers: { authorization = '' } }) => {
    if (method === 'POST' && path === '/token') return authorization === basic ? issue() : unauthorized;
    const token = authorization.replace(/^Bearer /, '');
    const used = uses.get(token) ?? requestsEach;
    if (used < requestsEach) uses.set(token, used + 1);
    else rejected += 1;
    return used < requestsEach ? answer : unauthorized;
  };
  return { alter, issued: () => uses.size, rejected: () => rejected };
}

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

/** Several gateways in a row: a request passes when each lets it pass. */
export const inRow =
  (...gateways: Alter[]): Alter =>
  async (answer, request) => {
    for (const gateway of gateways) {
      const next = await gateway(answer, request);
      if (next !== answer) return next;
    }
    return answer;
  };
