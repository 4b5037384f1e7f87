import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import type { HttpClient } from '../../../src/client/http-client.ts';
import { type Environment, writeTestFile } from '../harness/whole-run.ts';
import { sendInOrder, sendToMock } from './with-client.ts';

interface TokenRequest {
  method: string;
  authorization: string;
  form: Record<string, string>;
}

type TokenResponse = [status: number, body: unknown];

/** Creates the response to the token request with this number, from 1. */
type Respond = (request: TokenRequest, requestNumber: number) => TokenResponse;

const credentials = { CLIENT_ID: 'client:1', CLIENT_SECRET: 's3cr%t +/ü' };

/** Starts a token server that responds with `respond` and records each request. */
async function startTokenServer(respond: Respond) {
  const tokenRequests: TokenRequest[] = [];
  const server = createServer(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await readText(request)));
    const { method = '', headers } = request;
    const tokenRequest = { method, authorization: headers.authorization ?? '', form };
    const requestNumber = tokenRequests.push(tokenRequest);
    const [status, body] = respond(tokenRequest, requestNumber);
    // With status 302, `location` makes a redirect, which the client must not follow.
    response.writeHead(status, { location: '/elsewhere' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { tokenRequests, url, close };
}

async function sendWithTokens<T>(
  respond: Respond,
  alter: Alter,
  send: (client: HttpClient) => Promise<T>,
  env: Environment = {},
) {
  const { tokenRequests, url, close } = await startTokenServer(respond);
  const completeEnv = { TOKEN_URL: url, ...credentials, ...env };
  const outcome = await sendToMock({ alter }, completeEnv, send).finally(close);
  return { tokenRequests, ...outcome };
}

const decodeFormValue = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

function sendsBasicCredentials({ authorization, form }: TokenRequest): boolean {
  // RFC 6749, section 2.3.1.
  const base64 = authorization.replace(/^Basic /, '');
  const sentParts = Buffer.from(base64, 'base64').toString().split(':');
  const sentCredentials = sentParts.map(decodeFormValue);
  const expectedCredentials = [credentials.CLIENT_ID, credentials.CLIENT_SECRET];
  return isDeepStrictEqual(sentCredentials, expectedCredentials) && !('client_secret' in form);
}

const sendsCredentialsInBody = ({ authorization, form }: TokenRequest): boolean =>
  authorization === '' &&
  form.client_id === credentials.CLIENT_ID &&
  form.client_secret === credentials.CLIENT_SECRET;

const issueTokenIf =
  (hasCredentials: (request: TokenRequest) => boolean, fields: object = {}): Respond =>
  (request, requestNumber) => {
    const isGrant = request.method === 'POST' && request.form.grant_type === 'client_credentials';
    // RFC 6749, section 5.2.
    if (!isGrant || !hasCredentials(request)) return [401, { error: 'invalid_client' }];
    return [200, { access_token: `tok-${requestNumber}`, token_type: 'Bearer', ...fields }];
  };

function limitTokens(maxRequests: number): Alter {
  const countsByToken = new Map<string, number>();
  return (response, { headers: { authorization = '' } }) => {
    const count = (countsByToken.get(authorization) ?? 0) + 1;
    countsByToken.set(authorization, count);
    const hasToken = /^Bearer tok-\d+$/.test(authorization);
    return hasToken && count <= maxRequests ? response : { ...response, status: 401 };
  };
}

const forty = (http: HttpClient) => Promise.all(Array.from({ length: 40 }, (_, n) => http.get(`/${n}`)));
const statuses = (answers: object[]) => new Set(answers.map((response) => Object(response).status));

test('a server that accepts Basic alone issues one token for a run, with its scope, and the token is a secret', async () => {
  const env = { TOKEN_SCOPE: 'lookup.read cards' };
  const issue = issueTokenIf(sendsBasicCredentials, { expires_in: 3600 });
  const { tokenRequests, response, received, secrets } = await sendWithTokens(
    issue,
    limitTokens(40),
    forty,
    env,
  );
  expect(tokenRequests.map(({ form }) => form)).toEqual([
    { grant_type: 'client_credentials', scope: 'lookup.read cards' },
  ]);
  expect(statuses(response)).toEqual(new Set([404]));
  expect(new Set(received.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer tok-1']));
  expect(secrets).toEqual(['tok-1']);
});

test('a server that reads the body alone gets one request with Basic; after HTTP 401, one new token serves all requests that wait', async () => {
  const { tokenRequests, response, received, repeated } = await sendWithTokens(
    issueTokenIf(sendsCredentialsInBody),
    limitTokens(15),
    forty,
  );
  expect(statuses(response)).toEqual(new Set([404]));
  expect(tokenRequests.map(({ authorization }) => authorization !== '')).toEqual([true, false, false, false]);
  expect(repeated).toEqual({ 'HTTP 401, with new credentials': received.length - 40 });
});

test('a token is renewed before it expires', async () => {
  const issue = issueTokenIf(sendsBasicCredentials, { expires_in: '100', token_type: 'bearer' });
  const { now } = Date;
  let minutes = 0;
  Date.now = () => now() + minutes * 60_000;
  const inMinutes = async (http: HttpClient) => {
    for (const path of ['/a', '/b', '/c', '/d']) {
      await http.get(path);
      minutes += 1;
    }
  };
  const { tokenRequests, repeated } = await sendWithTokens(issue, limitTokens(2), inMinutes).finally(() => {
    Date.now = now;
  });
  expect([tokenRequests.length, repeated]).toEqual([2, {}]);
});

const token = { access_token: 'tok-1', token_type: 'Bearer' };
const otherType = 'TOKEN_URL issues tokens of another type than Bearer';
const noHeader = 'the response of TOKEN_URL has no access_token that a header can hold';

const scope = { error: 'invalid_scope' };
const rejected = { error: 'invalid_client', error_description: 'SECRET' };
const variables = 'check TOKEN_URL, CLIENT_ID, CLIENT_SECRET and TOKEN_SCOPE';

// The client requests a token before each of its two requests.
const headerOfEachRequest = ['header', 'header'];
const headerThenBody = ['header', 'body'];

/** Faulty token response, expected message, and the part of each token request that has the credentials: `['header', 'body']`. */
const faultyTokenRows: [status: number, body: unknown, sentence: string, credentialsPlaces: string[]][] = [
  [400, rejected, `TOKEN_URL responded with HTTP 400 (invalid_client): ${variables}`, headerThenBody],
  [400, scope, `TOKEN_URL responded with HTTP 400 (invalid_scope): ${variables}`, ['header']],
  [401, { error: 'SECRET' }, `TOKEN_URL responded with HTTP 401: ${variables}`, headerThenBody],
  [302, 'SECRET', `TOKEN_URL responded with HTTP 302: ${variables}`, headerOfEachRequest],
  [429, 'SECRET', `TOKEN_URL responded with HTTP 429: ${variables}`, headerOfEachRequest],
  [408, 'SECRET', `TOKEN_URL responded with HTTP 408: ${variables}`, headerOfEachRequest],
  [500, 'SECRET', `TOKEN_URL responded with HTTP 500: ${variables}`, headerOfEachRequest],
  [200, '<html>SECRET</html>', noHeader, headerOfEachRequest],
  [200, { ...token, token_type: 'mac' }, otherType, headerOfEachRequest],
  [200, { ...token, access_token: 'a\nSECRET: b' }, noHeader, headerOfEachRequest],
];

for (const [index, [status, body, sentence, credentialsPlaces]] of faultyTokenRows.entries())
  test(`${sentence} (${index}): the target gets no request, and the sentence holds no secret`, async () => {
    const alter: Alter = (response) => response;
    const { tokenRequests, received, response } = await sendWithTokens(
      () => [status, body],
      alter,
      sendInOrder('/a', '/b'),
    );
    const blocked = { blocked: `no token: ${sentence}`, lacksCredentials: true };
    expect(response).toEqual([blocked, blocked]);
    const places = tokenRequests.map(({ authorization }) => (authorization ? 'header' : 'body'));
    expect([places, received]).toEqual([credentialsPlaces, []]);
  });

test('a token server that cannot be reached has its own sentence', async () => {
  const env = { ...credentials, TOKEN_URL: 'http://127.0.0.1:1/token' };
  const { response } = await sendToMock({}, env, sendInOrder('/a'));
  const blocked = 'the connection was refused: is the token server running, is TOKEN_URL right?';
  expect(response).toMatchObject([{ blocked: `no token: ${blocked}` }]);
});

test('an AUTH_MODULE may sign the token, and cannot replace it', async () => {
  const module = `export default ({ url, headers }) => url.endsWith('/a')
    ? { ...headers, 'x-signature': headers.authorization } : { Authorization: 'Bearer mine' };`;
  const env = { AUTH_MODULE: writeTestFile('sign.mjs', module) };
  const { response, received } = await sendWithTokens(
    issueTokenIf(sendsBasicCredentials),
    limitTokens(9),
    sendInOrder('/a', '/b'),
    env,
  );
  const blocked = expect.stringContaining('returned authorization: only the client itself may set that');
  expect(response).toMatchObject([{ status: 404 }, { blocked }]);
  expect(received.map(({ headers }) => headers['x-signature'])).toEqual(['Bearer tok-1']);
});
