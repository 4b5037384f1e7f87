import { createPublicKey, verify } from 'node:crypto';
import type { Alter, MockAnswer, MockRequest } from './server.ts';

/** What a gateway in front of the provider demands; it answers 401 to anything else. */

const unauthorized: MockAnswer = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: { error: 'unauthorized' },
};

/** What there is to know of the tokens that were issued. */
export interface TokenGateway {
  alter: Alter;
  /** Tokens issued so far. */
  issued(): number;
  /** Requests that were rejected so far. */
  rejected(): number;
}

/**
 * Demands a bearer token (RFC 6750) that `POST /token` issues to a client. Each token serves a number of requests
 * and has then expired, in the middle of a run and without warning.
 */
export function tokenGateway(client: { id: string; secret: string }, requestsEach: number): TokenGateway {
  const tokens = new Tokens(requestsEach);
  const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
  return {
    issued: () => tokens.issued,
    rejected: () => tokens.rejected,
    alter: (answer, { method, path, headers: { authorization = '' } }) => {
      if (method === 'POST' && path === '/token')
        return authorization === basic ? tokenAnswer(tokens.issue()) : unauthorized;
      return tokens.pass(authorization.replace(/^Bearer /, '')) ? answer : unauthorized;
    },
  };
}

/** Tokens that were issued, and how often each was used. */
class Tokens {
  rejected = 0;
  readonly #uses = new Map<string, number>();
  readonly #requestsEach: number;

  constructor(requestsEach: number) {
    this.#requestsEach = requestsEach;
  }

  get issued(): number {
    return this.#uses.size;
  }

  issue(): string {
    const token = `tok-${this.issued + 1}-3f9c2a`;
    this.#uses.set(token, 0);
    return token;
  }

  /** Uses a token once. @returns whether it was issued, and has not expired */
  pass(token: string): boolean {
    const used = this.#uses.get(token);
    const passes = used !== undefined && used < this.#requestsEach;
    if (passes) this.#uses.set(token, used + 1);
    else this.rejected += 1;
    return passes;
  }
}

const tokenAnswer = (token: string): MockAnswer => ({
  ...unauthorized,
  status: 200,
  body: { access_token: token, token_type: 'Bearer', expires_in: 3600 },
});

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
  return (answer, { path }: MockRequest) => {
    if (seen.has(path)) return answer;
    seen.add(path);
    return {
      ...unauthorized,
      status: 429,
      headers: { 'retry-after': retryAfter() },
      body: { error: 'slow down' },
    };
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
