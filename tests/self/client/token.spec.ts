import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { examine, linesOf } from '../../../commands/examine.ts';
import { type Alter, startMock } from '../../../mock/server.ts';
import { contractOrProblem } from '../../../schemas/contract/contract.ts';
import { createClient } from '../../../src/client/http-client.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { targetOf, variablesOfOneEach } from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';

type Environment = Record<string, string>;

/** A request for a token. */
interface Asked {
  method: string;
  authorization: string;
  form: Record<string, string>;
}

type Answer = [status: number, body: unknown, headers?: IncomingHttpHeaders];

/** Starts a token server. */
async function startTokens(answer: (asked: Asked, ordinal: number) => Answer) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(pieces).toString()));
    const { authorization = '' } = request.headers;
    const ordinal = asked.push({ method: request.method ?? '', authorization, form });
    const [status, body, headers] = answer({ method: request.method ?? '', authorization, form }, ordinal);
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return { url, asked, close };
}

const client = { CLIENT_ID: 'client:1', CLIENT_SECRET: 's3cr%t +/ü' };
const decoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

/** Whether a request gives the credentials by Basic, each encoded as a form is (RFC 6749 section 2.3.1). */
function byBasic({ authorization, form }: Asked): boolean {
  const pair = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':');
  return pair.map(decoded).join('\n') === Object.values(client).join('\n') && !('client_secret' in form);
}

/** Whether it does so in the body alone. */
const byBody = ({ authorization, form }: Asked): boolean =>
  authorization === '' && form.client_id === client.CLIENT_ID && form.client_secret === client.CLIENT_SECRET;

/** Issues tokens to whoever gives the credentials in its manner. */
const issuing =
  (isRight: (asked: Asked) => boolean, more: object) =>
  (asked: Asked, ordinal: number): Answer => {
    const isGrant = asked.method === 'POST' && asked.form.grant_type === 'client_credentials';
    if (!isGrant || !isRight(asked)) return [401, { error: 'invalid_client' }];
    return [200, { access_token: `tok-${ordinal}-3f9c2a`, token_type: 'Bearer', ...more }];
  };

/** Lets requests pass with a token that was issued; each serves so many. */
function guarding(requestsEach = Number.POSITIVE_INFINITY): { alter: Alter; used: Map<string, number> } {
  const used = new Map<string, number>();
  const alter: Alter = (answer, { headers: { authorization = '' } }) => {
    const count = (used.get(authorization) ?? 0) + 1;
    used.set(authorization, count);
    return count <= requestsEach && /^Bearer tok-\d+-3f9c2a$/.test(authorization)
      ? answer
      : { ...answer, status: 401 };
  };
  return { alter, used };
}

/** A run against the mock behind such a guard. */
async function runWith(tokens: { url: string }, alter: Alter, env: Environment = {}) {
  const mock = await startMock({ alter });
  const all = { ...targetOf(mock.url), TOKEN_URL: tokens.url, ...client, PROBES: 'off', ...env };
  const run = await runInProcess(all).finally(mock.close);
  return { ...run, requests: mock.requests };
}

test('a server that takes Basic alone: one token for a run, asked for with its scope', async () => {
  const tokens = await startTokens(issuing(byBasic, { expires_in: 3600 }));
  const { alter, used } = guarding();
  const run = await runWith(tokens, alter, { TOKEN_SCOPE: 'lookup.read cards' }).finally(tokens.close);
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass', notes: [] } });
  expect(tokens.asked.map(({ form }) => form)).toEqual([
    { grant_type: 'client_credentials', scope: 'lookup.read cards' },
  ]);
  expect([...used.keys()]).toEqual(['Bearer tok-1-3f9c2a']);
  expect(run.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('a server that reads the body alone is asked by Basic once; it says nothing of expiry: a token is renewed after a 401, once for all that wait', async () => {
  const tokens = await startTokens(issuing(byBody, {}));
  const { alter, used } = guarding(15);
  const run = await runWith(tokens, alter).finally(tokens.close);
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  expect(tokens.asked.length).toBeGreaterThan(3);
  expect(tokens.asked.filter(({ authorization }) => authorization)).toHaveLength(1);
  expect([...used.values()].slice(0, -1).every((count) => count > 15)).toBe(true);
  const rejected = [...used.values()].reduce((sum, count) => sum + Math.max(0, count - 15), 0);
  expect(run.conformance?.notes).toEqual([`repeated ${rejected} times: HTTP 401, with a new token`]);
});

test('a server whose tokens expire at once: no request has one that has expired', async () => {
  const tokens = await startTokens(issuing(byBasic, { expires_in: '0', token_type: 'bearer' }));
  const { alter, used } = guarding(4);
  const run = await runWith(tokens, alter, variablesOfOneEach).finally(tokens.close);
  expect(run.conformance?.notes).not.toContainEqual(expect.stringContaining('HTTP 401'));
  expect(run.conformance?.verdict).toBe('pass');
  expect(tokens.asked.length).toBeGreaterThan(10);
  expect([...used.values()].every((count) => count <= 4)).toBe(true);
});

const token = { access_token: 'tok-1-3f9c2a', token_type: 'Bearer' };
const wrong: [name: string, answer: Answer, sentence: string, fetched: number][] = [
  [
    'credentials that are rejected',
    [401, { error: 'invalid_client', error_description: 'SECRET' }],
    'TOKEN_URL answered HTTP 401 (invalid_client): check CLIENT_ID and CLIENT_SECRET, which were sent by Basic and in the body',
    2,
  ],
  [
    'a scope that is unknown',
    [400, { error: 'invalid_scope' }],
    'TOKEN_URL answered HTTP 400 (invalid_scope): check TOKEN_SCOPE',
    1,
  ],
  [
    'an error of its own',
    [400, { error: 'SECRET' }],
    'TOKEN_URL answered HTTP 400: check CLIENT_ID, CLIENT_SECRET and TOKEN_SCOPE',
    1,
  ],
  ['another path', [404, 'SECRET'], 'TOKEN_URL answered HTTP 404: check TOKEN_URL', 1],
  ['a redirect', [302, '', { location: '/SECRET' }], 'TOKEN_URL answered HTTP 302: check TOKEN_URL', 2],
  [
    'a server that is out of order',
    [503, 'SECRET'],
    'TOKEN_URL answered HTTP 503: the token server is out of order; try again later',
    2,
  ],
  ['a login page', [200, '<html>SECRET</html>'], 'TOKEN_URL answered without an access_token', 2],
  [
    'another type of token',
    [200, { ...token, token_type: 'mac' }],
    'TOKEN_URL issues tokens of another type than Bearer',
    2,
  ],
  [
    'a token with a line break',
    [200, { ...token, access_token: 'a\nSECRET: b' }],
    'the access_token is nothing that a header can carry',
    2,
  ],
];

/** What two requests come to, one after the other. */
async function getTwice(env: Environment, secrets: string[] = []) {
  const mock = await startMock();
  const { target, problems } = readConfiguration({ BASE_URL: mock.url, ...env }, '/nonexistent');
  expect(problems).toEqual([]);
  const http = await createClient(target, mock.url, (secret) => secrets.push(secret));
  const answers = [await http.get('/a'), await http.get('/b')];
  await Promise.all([http.close(), mock.close()]);
  expect(mock.requests).toEqual([]);
  return answers;
}

for (const [name, answer, sentence, fetched] of wrong)
  test(`${name}: one sentence without a secret, and nothing is sent to the target`, async () => {
    const tokens = await startTokens(() => answer);
    const answers = await getTwice({ TOKEN_URL: tokens.url, ...client }).finally(tokens.close);
    const blocked = { blocked: `no token: ${sentence}`, credentials: true };
    expect(answers).toEqual([blocked, blocked]);
    expect(tokens.asked).toHaveLength(fetched);
  });

test('a token server that is not there: its own sentence', async () => {
  const tokens = await startTokens(() => [200, token]);
  await tokens.close();
  const [answer] = await getTwice({ TOKEN_URL: tokens.url, ...client });
  expect(answer).toMatchObject({
    blocked:
      'no token: the connection was refused: is the token server running, are TOKEN_URL and proxy right?',
  });
});

const base = { BASE_URL: 'https://api.example.com', TOKEN_URL: 'https://login.example.com/token', ...client };
const mistakes: [name: string, env: Environment, problem: string][] = [
  ['no secret', { CLIENT_SECRET: '' }, 'TOKEN_URL needs CLIENT_ID and CLIENT_SECRET'],
  [
    'no URL',
    { TOKEN_URL: 'login' },
    'TOKEN_URL is not a URL: give scheme and host, for example https://api.example.com',
  ],
  [
    'a header of the same name',
    { API_HEADERS: '{"Authorization":"Basic eA=="}' },
    'API_HEADERS sets authorization, and so does TOKEN_URL: only one of them can',
  ],
  [
    'a user in BASE_URL',
    { BASE_URL: 'https://user@api.example.com' },
    'BASE_URL has a user, and TOKEN_URL sets authorization: only one of them can be',
  ],
  [
    'an id of requests in API_HEADERS',
    { API_HEADERS: '{"Traceparent":"00-a-b-01"}' },
    'API_HEADERS sets traceparent, and so does REQUEST_ID: only one of them can',
  ],
];

for (const [name, env, problem] of mistakes)
  test(`${name}: ${problem}`, () => {
    expect(readConfiguration({ ...base, ...env }, '/nonexistent').problems).toEqual([problem]);
  });

test('an AUTH_MODULE may sign the token, and sets no other', async () => {
  const tokens = await startTokens(issuing(byBasic, {}));
  const AUTH_MODULE = test.info().outputPath('sign.mjs');
  writeFileSync(
    AUTH_MODULE,
    `export default ({ url, headers }) => url.endsWith('/a')
      ? { ...headers, 'x-signature': headers.authorization } : { Authorization: 'Bearer mine' };`,
  );
  const signatures: unknown[] = [];
  const mock = await startMock({
    alter: (answer, { headers }) => {
      signatures.push(headers['x-signature']);
      return answer;
    },
  });
  const env = { ...client, BASE_URL: mock.url, TOKEN_URL: tokens.url, AUTH_MODULE };
  const http = await createClient(readConfiguration(env, '/nonexistent').target, mock.url);
  expect(await http.get('/a')).toMatchObject({ status: 404 });
  const blocked = expect.stringContaining('returned authorization: only the client itself may set that');
  expect(await http.get('/b')).toMatchObject({ blocked });
  await Promise.all([http.close(), mock.close(), tokens.close()]);
  expect(signatures).toEqual(['Bearer tok-1-3f9c2a']);
});

test('the doctor fetches a token, and says what is wrong with it', async () => {
  const right = await startTokens(issuing(byBasic, {}));
  const { alter } = guarding();
  const mock = await startMock({ alter });
  const said = async (env: Environment) =>
    linesOf(
      await examine(
        readConfiguration({ ...targetOf(mock.url), ...client, ...env }, '/nonexistent'),
        contractOrProblem(),
      ),
    );
  expect(await said({ TOKEN_URL: right.url })).toMatch(/^✓ credentials .*accepted: TOKEN_URL$/m);
  const wrongSecret = await said({ TOKEN_URL: right.url, CLIENT_SECRET: 'wrong-7c1' });
  expect(wrongSecret).toMatch(/^✗ credentials .*no token: TOKEN_URL answered HTTP 401 \(invalid_client\)/m);
  expect(wrongSecret).not.toContain('wrong-7c1');
  await Promise.all([right.close(), mock.close()]);
});

test('a red run that is told its own credentials shows none of them', async () => {
  const canaries = new Canaries();
  const own = { CLIENT_ID: canaries.of('client'), CLIENT_SECRET: canaries.text('secret') };
  const access_token = canaries.of('token');
  const tokens = await startTokens(() => [200, { ...token, access_token }]);
  const echo: Alter = (answer, { headers: { authorization = '' } }) => ({
    ...answer,
    headers: { ...answer.headers, 'x-echo': encodeURIComponent(authorization) },
    body: {
      ...(answer.body as object),
      message: `${own.CLIENT_ID} ${own.CLIENT_SECRET}`,
      code: authorization,
      [access_token]: encodeURIComponent(own.CLIENT_SECRET),
    },
  });
  const run = await runWith(tokens, echo, { ...own, PROBES: 'on' }).finally(tokens.close);
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
  expect(canaries.leaksIn([...run.files(), { name: 'the terminal', text: run.output }])).toEqual([]);
  expect(run.conformance?.findings[0]?.repeat).toMatch(/-H "\$\{AUTH_HEADER\b/);
});
