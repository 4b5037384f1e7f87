import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { startMock } from '../../../mock/server.ts';
import type { RequestToSign } from '../../../src/client/signing.ts';
import { writeTestFile } from '../harness/whole-run.ts';
import { sendInOrder, sendToMock, withClient } from './with-client.ts';

const unauthorized: Alter = (response) => ({ ...response, status: 401 });

test('a rejected request is signed once more, and a second rejection is the response', async () => {
  const module = 'export default ({ unauthorized }) => ({ authorization: unauthorized ? "new" : "old" });';
  const env = { AUTH_MODULE: writeTestFile('sign.mjs', module) };
  const { response, received } = await sendToMock({ alter: unauthorized }, env, sendInOrder('/a'));
  expect(response).toMatchObject([{ status: 401, retries: 1 }]);
  expect(received.map(({ headers }) => headers.authorization)).toEqual(['old', 'new']);
  const headers = { 'retry-after': '0' };
  const alter: Alter = (usual, { requestNumber }) => ({
    ...usual,
    headers,
    status: requestNumber === 1 ? 401 : 503,
  });
  const waiting = await sendToMock({ alter }, env, sendInOrder('/a'));
  expect(waiting.response).toMatchObject([{ status: 503, retries: 3 }]);
});

test('headers that a module changes in place are checked like those that it returns', async () => {
  const module =
    'export default ({ headers, path }) => { headers.host = "other"; return path.endsWith("/b") ? headers : {}; };';
  const env = { AUTH_MODULE: writeTestFile('change.mjs', module) };
  const { response, received } = await sendToMock({}, env, sendInOrder('/a', '/b'));
  expect(received.map(({ headers }) => headers.host)).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
  expect(response[1]).toMatchObject({ blocked: expect.stringContaining('host') });
});

const odd = ["ü/?#&=+ %41'()*!~", 'a+b,c;d', '[]{}|^`"<>\\', '%', '日本'].map(encodeURIComponent);

test('a module receives the request as sent, without credentials of BASE_URL, and the request has its headers', async () => {
  const log = test.info().outputPath('logged.jsonl');
  const AUTH_MODULE = writeTestFile(
    'sign.mjs',
    `import { appendFileSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    export default async (request) => {
      await setTimeout(5);
      appendFileSync(${JSON.stringify(log)}, JSON.stringify(request) + '\\n');
      return { ...request.headers, 'X-Signature': request.path + '?' + request.query };
    };`,
  );
  const signatures: unknown[] = [];
  const mock = await startMock({
    choices: { prefix: '/gateway/v2' },
    alter: (response, { headers }) => {
      signatures.push(headers['x-signature']);
      return response;
    },
  });
  const env = {
    AUTH_MODULE,
    BASE_URL: mock.url.replace('//', '//user:password@'),
    API_HEADERS: '{"X-Api-Key":"k"}',
  };
  const paths = [...odd.map((id) => `/${id}`), ...odd.map((id) => `/a?user_id=${id}&b=c`)];
  await withClient(mock, env, sendInOrder(...paths));
  const logged = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line): RequestToSign => JSON.parse(line));
  const wire = mock.requests.map(({ path }) => path);
  expect(wire.map(decodeURIComponent)).toEqual(paths.map((path) => decodeURIComponent(`/gateway/v2${path}`)));
  expect(logged.map(({ url }) => url)).toEqual(wire.map((path) => new URL(mock.url).origin + path));
  expect(signatures).toEqual(logged.map(({ path, query }) => `${path}?${query}`));
  for (const { url, path, query, method, headers, now } of logged) {
    expect(new URL(url).origin + path + (query ? `?${query}` : '')).toBe(url);
    expect(method).toBe('GET');
    expect(headers).toMatchObject({ accept: 'application/json', 'x-api-key': 'k' });
    expect(Math.abs(Date.now() - Date.parse(String(now)))).toBeLessThan(60_000);
  }
});
