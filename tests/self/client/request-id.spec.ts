import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { altering, set } from '../harness/edits.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { writeTestFile } from '../harness/whole-run.ts';
import { logAnswers } from '../proof/prove.ts';
import { sendInOrder, sendToMock } from './with-client.ts';

const broken = altering('getCard', set('data/card/title', 7));
const address = 'getCard/data/card/title';

test('terminal, page, JUnit and Markdown of a red run name the id of the request, and the trace of the run', async () => {
  const { alter, log } = logAnswers(broken);
  const run = await runInProcessAgainst({ alter }, { PROBES: 'off' });
  const finding = run.conformance?.findings.find(({ requirement }) => requirement === address);
  const { trace = '' } = run.conformance ?? {};
  expect(log.filter(({ id }) => id === finding?.id)).toHaveLength(1);
  expect(log.every(({ id }) => id.startsWith(`${trace}-`))).toBe(true);
  expect(new Set(log.map(({ id }) => id)).size).toBe(log.length);
  const texts = Object.fromEntries(run.files().map(({ name, text }) => [name, text]));
  for (const name of ['contract.html', 'junit.xml', 'conformance.md'])
    expect(texts[name], name).toContain(finding?.id ?? 'none');
  for (const name of ['contract.html', 'conformance.md'])
    expect(texts[name]?.replaceAll(finding?.id ?? '', ''), name).toContain(trace);
  expect(run.output).toContain(`id        ${finding?.id}`);
  expect(run.output).toContain(`(trace ${trace})`);
  expect(finding?.repeat).not.toContain('traceparent');
});

const headerRows: [setting: string, hasTraceparent: boolean, hasRequestId: boolean][] = [
  ['', true, false],
  ['x-request-id', true, true],
  ['off', false, false],
];

for (const [setting, hasTraceparent, hasRequestId] of headerRows)
  test(`REQUEST_ID=${setting} decides which headers carry the id`, async () => {
    const { response, received } = await sendToMock({}, { REQUEST_ID: setting }, sendInOrder('/a'));
    const { id } = Object(response[0]);
    expect(id).toEqual(hasTraceparent ? expect.stringMatching(/^[0-9a-f]{32}-[0-9a-f]{16}$/) : undefined);
    const value = (isSent: boolean) => (isSent ? `00-${id}-01` : undefined);
    const headers = received[0]?.headers;
    expect(headers?.authorization).toBeUndefined();
    expect(headers?.traceparent).toBe(value(hasTraceparent));
    expect(headers?.['x-request-id']).toBe(value(hasRequestId));
  });

test('a retry has another id, an outcome has the id of its last attempt, and a request without credentials has an id', async () => {
  const alter: Alter = (response, { requestNumber }) =>
    requestNumber === 1 ? { ...response, status: 429, headers: { 'retry-after': '0' } } : response;
  const { response, received } = await sendToMock({ alter }, {}, async (client) => [
    await client.get('/a'),
    await client.get('/a', undefined, { anonymous: true }),
  ]);
  const ids = received.map(({ headers }) => headers.traceparent);
  expect(new Set(ids).size).toBe(3);
  expect(ids.slice(1)).toEqual(response.map(({ id }) => `00-${id}-01`));
});

test('a module can sign the id, and cannot change it', async () => {
  const signed = writeTestFile(
    'sign.mjs',
    'export default ({ headers }) => ({ "x-signed": headers.traceparent });',
  );
  const { received } = await sendToMock({}, { AUTH_MODULE: signed }, sendInOrder('/a'));
  expect(received[0]?.headers['x-signed']).toBe(received[0]?.headers.traceparent);
  const AUTH_MODULE = writeTestFile('other.mjs', 'export default () => ({ traceparent: "mine" });');
  const { response } = await sendToMock({}, { AUTH_MODULE }, sendInOrder('/a'));
  const blocked = expect.stringContaining('returned traceparent: only the client itself may set that');
  expect(response).toMatchObject([{ blocked }]);
  const off = await sendToMock({}, { AUTH_MODULE, REQUEST_ID: 'off' }, sendInOrder('/a'));
  expect(off.received[0]?.headers.traceparent).toBe('mine');
});
