import { expect, test } from '@playwright/test';
import type { Alter, MockRequest } from '../../../mock/server.ts';
import { altering, set } from '../harness/edits.ts';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { judgeProvider } from '../harness/provider.ts';
import { addressesOf } from '../harness/whole-run.ts';
import { allFaults } from '../proof/faults/index.ts';
import { relations } from '../proof/faults/relations.ts';
import { relatedFields } from '../proof/faults/relations-of-cards-and-rules.ts';
import { asking, fileOf, inOrder } from './asking.ts';

/** What a provider has logged: each request, and whether it was answered otherwise than a conforming provider does. */
interface Logged {
  id: string;
  request: MockRequest;
  isAltered: boolean;
}

/** A provider that logs, behind its fault. */
function logging(alter: Alter): { alter: Alter; log: Logged[] } {
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
      // Identifiers are withheld; all else of the request is shown.
      for (const [at, side] of sides.entries())
        for (const part of side.exchange.replace('GET ', '').split(/\{[^}]*\}/))
          expect(logged[at]?.[0]?.request.path).toContain(part);
    }
  });

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

test('REQUEST_ID=off shows no id, and neither has what was recorded elsewhere', async () => {
  const off = await runInProcessAgainst({ alter: broken }, { REQUEST_ID: 'off', PROBES: 'off' });
  const { lines } = await judgeProvider({ alter: broken });
  const TRAFFIC = fileOf('recorded.jsonl', lines.map(({ text }) => text).join('\n'));
  for (const run of [off, await runInProcess({ TRAFFIC })]) {
    expect(addressesOf(run, 'violation')).toEqual([address]);
    expect(run.conformance?.trace).toBeUndefined();
    expect(run.conformance?.findings.filter(({ id }) => id)).toEqual([]);
  }
});

const sent: [setting: string, traceparent: boolean, other: boolean][] = [
  ['', true, false],
  ['x-request-id', true, true],
  ['off', false, false],
];

for (const [setting, traceparent, other] of sent)
  test(`headers that are sent with REQUEST_ID=${setting}`, async () => {
    const { answer, sent, trace } = await asking({}, { REQUEST_ID: setting }, inOrder('/a'));
    const { id } = Object(answer[0]);
    if (traceparent)
      expect([trace, id]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), `${trace}-${id.slice(-16)}`]);
    else expect([trace, id]).toEqual([undefined, undefined]);
    const value = (isSent: boolean) => (isSent ? `00-${id}-01` : undefined);
    const headers = sent[0]?.headers;
    expect(headers?.traceparent).toBe(value(traceparent));
    expect(headers?.['x-request-id']).toBe(value(other));
  });

test('a request that is repeated has another id, and the answer that of its own; without credentials, it has one as well', async () => {
  const alter: Alter = (answer, { ordinal }) =>
    ordinal === 1 ? { ...answer, status: 429, headers: { 'retry-after': '0' } } : answer;
  const { answer, sent } = await asking({ alter }, {}, async (client) => [
    await client.get('/a'),
    await client.get('/a', undefined, { anonymous: true }),
  ]);
  const ids = sent.map(({ headers }) => headers.traceparent);
  expect(new Set(ids).size).toBe(3);
  expect(ids.slice(1)).toEqual(answer.map(({ id }) => `00-${id}-01`));
});

test('the id is signed like other headers, and no module changes it', async () => {
  const signed = fileOf('sign.mjs', 'export default ({ headers }) => ({ "x-signed": headers.traceparent });');
  const { sent } = await asking({}, { AUTH_MODULE: signed }, inOrder('/a'));
  expect(sent[0]?.headers['x-signed']).toBe(sent[0]?.headers.traceparent);
  const AUTH_MODULE = fileOf('other.mjs', 'export default () => ({ traceparent: "mine" });');
  const { answer } = await asking({}, { AUTH_MODULE }, inOrder('/a'));
  const blocked = expect.stringContaining('returned traceparent: only the client itself may set that');
  expect(answer).toMatchObject([{ blocked }]);
  const off = await asking({}, { AUTH_MODULE, REQUEST_ID: 'off' }, inOrder('/a'));
  expect(off.sent[0]?.headers.traceparent).toBe('mine');
});
