import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { type Alter, startMock } from '../../../mock/server.ts';
import { createClient } from '../../../src/client/http-client.ts';
import type { SignedRequest } from '../../../src/client/signing.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { judgeProvider } from '../harness/provider.ts';

/** Writes a module that signs; each test has its own, since a process loads a module once. */
function moduleOf(text: string, name = 'sign.mjs'): string {
  const file = test.info().outputPath(name);
  writeFileSync(file, text);
  return file;
}

test('a request is signed anew once, and a target that rejects that too is believed', async () => {
  const authModule = moduleOf(
    'export default ({ unauthorized }) => ({ authorization: unauthorized ? "new" : "old" });',
  );
  const seen: (string | undefined)[] = [];
  const { observed } = await judgeProvider(
    { alter: rejecting((authorization) => void seen.push(authorization)) },
    { authModule },
  );
  expect(observed.violated).toEqual([]);
  expect(observed.blocked.length).toBeGreaterThan(100);
  expect(seen.filter((one) => one === 'new')).toHaveLength(seen.length / 2);
});

/** A gateway that lets nothing pass. */
const rejecting =
  (note: (authorization: string | undefined) => void): Alter =>
  (answer, { headers }) => {
    note(headers.authorization);
    return { ...answer, status: 401 };
  };

test('a module receives what is on the wire, and what it returns is sent', async () => {
  const log = test.info().outputPath('logged.jsonl');
  const authModule = moduleOf(`
    import { appendFileSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    export default async (request) => {
      await setTimeout(5);
      appendFileSync(${JSON.stringify(log)}, JSON.stringify(request) + '\\n');
      return { ...request.headers, 'X-Signature': request.path + '?' + request.query };
    };`);
  const odd = ["ü/?#&=+ %41'()*!~", 'a+b,c;d', '[]{}|^`"<>\\', '%', '日本'];
  const wire: string[] = [];
  const alter: Alter = (answer, { path, headers }) => {
    expect(headers['x-signature']).toBe(path.includes('?') ? path : `${path}?`);
    expect(headers.accept).toBe('application/json');
    wire.push(`http://${headers.host}${path}`);
    return answer;
  };
  const mock = { alter, choices: { prefix: '/gateway/v2' } };
  await judgeProvider(mock, {
    authModule,
    identifiers: { USER_IDS: odd, CUSTOMER_IDS: odd },
    headers: { 'X-Api-Key': 'k' },
  });
  const logged = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line): SignedRequest => JSON.parse(line));
  expect(logged.map(({ url }) => url).sort()).toEqual(wire.sort());
  for (const { url, path, query, method, headers, now } of logged) {
    expect(new URL(url).origin + path + (query ? `?${query}` : '')).toBe(url);
    expect(method).toBe('GET');
    expect(headers).toMatchObject({ accept: 'application/json', 'x-api-key': 'k' });
    expect(Math.abs(Date.now() - Date.parse(String(now)))).toBeLessThan(60_000);
  }
});

test('credentials in BASE_URL are not passed to a module', async () => {
  const authModule = moduleOf('export default ({ url }) => ({ "x-url": url });');
  let url: unknown;
  const mock = await startMock({
    alter: (answer, { headers }) => {
      url = headers['x-url'];
      return answer;
    },
  });
  const { target } = readConfiguration({}, '/nonexistent');
  const client = await createClient({ ...target, authModule }, mock.url.replace('//', '//user:password@'));
  await client.get('/a?b=c');
  await Promise.all([client.close(), mock.close()]);
  expect(url).toBe(`${mock.url}/a?b=c`);
});
