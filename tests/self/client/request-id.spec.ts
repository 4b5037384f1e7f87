import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { type Alter, type MockRequest, startMock } from '../../../mock/server.ts';
import { createClient } from '../../../src/client/http-client.ts';
import type { Target } from '../../../src/client/target.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { altering, set } from '../harness/edits.ts';
import { inRow } from '../harness/gateway.ts';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { judgeProvider } from '../harness/provider.ts';
import { addressesOf } from '../harness/whole-run.ts';
import { allFaults } from '../proof/faults/index.ts';
import { relations } from '../proof/faults/relations.ts';
import { relatedFields } from '../proof/faults/relations-of-cards-and-rules.ts';

const { target } = readConfiguration({}, '/nonexistent');

/** What a provider has logged: each request, and whether it was answered otherwise than a conforming provider does. */
interface Logged {
  id: string;
  request: MockRequest;
  isAltered: boolean;
}

/** A provider that logs, behind its fault. */
function logging(alter: Alter = (answer) => answer): { alter: Alter; log: Logged[] } {
  const log: Logged[] = [];
  const noting: Alter = async (conforming, request) => {
    const before = JSON.stringify(conforming);
    const answer = await alter(conforming, request);
    const [, id = ''] = /^00-(.+)-01$/.exec(String(request.headers.traceparent)) ?? [];
    log.push({ id, request, isAltered: JSON.stringify(answer) !== before });
    return answer;
  };
  return { alter: noting, log };
}

const related = [...relations.slice(0, 6), ...relatedFields.slice(0, 3)];
const drawn = [...allFaults.filter((_, index) => index % 40 === 0), ...related];

for (const fault of drawn)
  test(`its id leads to the response that shows it: ${fault.name}`, async () => {
    const { alter, log } = logging(fault.alter);
    const { documented } = await judgeProvider({ alter });
    expect(new Set(log.map(({ id }) => id)).size).toBe(log.length);
    const findings = documented.requirementResults.flatMap((one) => one.findings);
    const shown = findings.filter(
      ({ kind, requirement }) => kind === 'violation' && requirement === fault.breaks,
    );
    expect(shown.length > 0 || fault.undeclared === true).toBe(true);
    for (const { id, exchange, against } of shown) {
      const sides = [{ id, exchange }, ...(against ? [against] : [])];
      const logged = sides.map((side) => log.filter((one) => one.id === side.id));
      expect(logged.map(({ length }) => length)).toEqual(sides.map(() => 1));
      expect(logged.flat().some(({ isAltered }) => isAltered)).toBe(true);
      for (const [at, side] of sides.entries()) expectQuoted(side.exchange, logged[at]?.[0]?.request.path);
    }
  });

/** Identifiers are withheld; all else of the request is shown. */
function expectQuoted(exchange: string, sent = ''): void {
  const parts = exchange.replace('GET ', '').split(/\{[^}]*\}/);
  expect(
    parts.filter((part) => !sent.includes(part)),
    exchange,
  ).toEqual([]);
}

const broken = altering('getCard', set('data/card/title', 7));
const address = 'getCard/data/card/title';

test('terminal, page, JUnit, SARIF and Markdown of a red run name the request; the run names its trace', async () => {
  const { alter, log } = logging(broken);
  const run = await runInProcessAgainst({ alter }, { PROBES: 'off' });
  const finding = run.conformance?.findings.find(({ requirement }) => requirement === address);
  const { trace = '' } = run.conformance ?? {};
  expect(log.filter(({ id }) => id === finding?.id)).toHaveLength(1);
  expect(log.every(({ id }) => id.startsWith(`${trace}-`))).toBe(true);
  const texts = Object.fromEntries(run.files().map(({ name, text }) => [name, text]));
  for (const name of ['contract.html', 'junit.xml', 'conformance.sarif', 'conformance.md'])
    expect(texts[name], name).toContain(finding?.id ?? 'none');
  for (const name of ['contract.html', 'conformance.sarif', 'conformance.md'])
    expect(texts[name]?.replaceAll(finding?.id ?? '', ''), name).toContain(trace);
  expect(run.output).toContain(`id        ${finding?.id}`);
  expect(run.output).toContain(`of trace ${trace}`);
  expect(finding?.repeat).not.toContain('traceparent');
});

test('REQUEST_ID=off sends no id, and shows none', async () => {
  const { alter, log } = logging(broken);
  const run = await runInProcessAgainst({ alter }, { REQUEST_ID: 'off', PROBES: 'off' });
  expect(log.map(({ request }) => request.headers.traceparent)).toEqual(log.map(() => undefined));
  expect(run.conformance?.trace).toBeUndefined();
  expect(JSON.stringify(run.conformance)).not.toMatch(/"id":"[0-9a-f]{32}/);
  expect(run.code).toBe(1);
});

test('what was recorded elsewhere has no id', async () => {
  const recording = test.info().outputPath('recorded.jsonl');
  const { lines } = await judgeProvider({ alter: broken });
  writeFileSync(recording, lines.map(({ text }) => text).join('\n'));
  const run = await runInProcess({ TRAFFIC: recording });
  expect(addressesOf(run, 'violation')).toEqual([address]);
  expect(run.conformance?.findings.filter(({ id }) => id)).toEqual([]);
});

/** Headers of what a client has sent. */
async function sentBy(settings: Partial<Target>, alter: Alter = (answer) => answer, anonymous?: true) {
  const sent: MockRequest['headers'][] = [];
  const noting: Alter = (answer, { headers }) => {
    sent.push(headers);
    return answer;
  };
  const mock = await startMock({ alter: inRow(noting, alter) });
  const client = await createClient({ ...target, ...settings }, mock.url);
  const answer = await client.get('/a', undefined, anonymous ? { anonymous } : {});
  await Promise.all([client.close(), mock.close()]);
  return { answer, sent, trace: client.trace };
}

test('X-Request-ID has the same value, where it is asked for', async () => {
  const { answer, sent, trace } = await sentBy({ requestId: 'x-request-id' });
  expect(trace).toMatch(/^[0-9a-f]{32}$/);
  expect(answer.id).toMatch(new RegExp(`^${trace}-[0-9a-f]{16}$`));
  const [{ traceparent, 'x-request-id': other } = {}] = sent;
  expect([traceparent, other]).toEqual([`00-${answer.id}-01`, `00-${answer.id}-01`]);
  expect((await sentBy({})).sent[0]).not.toHaveProperty('x-request-id');
});

test('a request that is repeated has another id, and the answer that of its own; without credentials, it has one as well', async () => {
  const alter: Alter = (answer, { ordinal }) =>
    ordinal === 1 ? { ...answer, status: 429, headers: { 'retry-after': '0' } } : answer;
  const { answer, sent } = await sentBy({}, alter);
  expect(new Set(sent.map(({ traceparent }) => traceparent)).size).toBe(2);
  expect(sent[1]?.traceparent).toBe(`00-${answer.id}-01`);
  expect((await sentBy({}, undefined, true)).sent[0]).toHaveProperty('traceparent');
});

test('the id is signed like other headers, and no module changes it', async () => {
  const authModule = test.info().outputPath('sign.mjs');
  writeFileSync(
    authModule,
    "export default ({ headers }) => ({ ...headers, 'x-signed': headers.traceparent });",
  );
  const [{ traceparent, 'x-signed': signed } = {}] = (await sentBy({ authModule })).sent;
  expect(signed).toBe(traceparent);
  const other = test.info().outputPath('other.mjs');
  writeFileSync(other, "export default () => ({ traceparent: 'mine' });");
  expect((await sentBy({ authModule: other })).answer).toMatchObject({
    blocked: expect.stringContaining('returned traceparent: only the client itself may set that'),
  });
  expect((await sentBy({ authModule: other, requestId: 'off' })).sent[0]?.traceparent).toBe('mine');
});
