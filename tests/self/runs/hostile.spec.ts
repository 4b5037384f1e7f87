import { expect, test } from '@playwright/test';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { targetOf, variablesOfOneEach, type WholeRun } from '../harness/whole-run.ts';
import {
  byTurns,
  closedPort,
  everywhere,
  respondWith,
  type Treatments,
  treatments as treat,
} from './hostile.ts';
import { expectBlocked, expectReported, runAgainstHostile, same } from './hostile-run.ts';

test.setTimeout(120_000);

const rejected = (status: number) => respondWith(JSON.stringify({ code: status, message: 'no' }), status);

test('the address of a target with a name is on the own terminal alone', async () => {
  const env = { TARGET_NAME: 'staging', PROBES: 'off' };
  const own = await runInProcessAgainst({}, { ...env, CI: '' });
  expect(own.output).toMatch(/asking staging at 127\.0\.0\.1:\d+: at most/);
  for (const { name, text } of own.files()) expect(text.includes('127.0.0.1'), name).toBe(false);
  const public_ = await runInProcessAgainst({}, { ...env, CI: 'true' });
  expect(public_.output).toContain('asking staging: at most');
  expect(public_.output).not.toContain('127.0.0.1');
});

test('nobody listens', async () => {
  const run = await runInProcess({ ...targetOf(await closedPort()), PROBES: 'on' });
  expectBlocked(run, same(/connection was refused: is the target running/));
  expect(run.output.slice(run.output.indexOf('  ERROR')).match(/refused/g)).toHaveLength(1);
  expect(run.output).toContain('npm run doctor looks for the cause');
  expectNoAnswers(run);
});

test('a login page in place of every response answers no open question, and covers nothing', async () => {
  const run = await runAgainstHostile(everywhere(treat.webPage), { PROBES: 'on' });
  expectBlocked(run, same(/no response looks like the API, here HTTP 200 with/));
  expectNoAnswers(run);
});

/** Each output says that no open question was answered, and that nothing is covered. */
function expectNoAnswers({ conformance, output, files }: WholeRun): void {
  const said = `0 of ${conformance?.observed.length} open questions answered`;
  const written = files().filter(({ name }) => /^conformance\.md$|^contract\.html$/.test(name));
  for (const text of [output, ...written.map((file) => file.text)]) expect(text).toContain(said);
  expect(written).toHaveLength(2);
  expect(conformance?.coverage).toMatchObject({ nodes: { exercised: 0 }, states: { exercised: 0 } });
  expect(conformance?.findings.filter(({ kind }) => kind !== 'blocked')).toEqual([]);
}

/** Which operations are treated how, and why nothing is said of each, in their order in the contract. */
const hostile: [name: string, Treatments, reasons: [RegExp, RegExp?], env?: Record<string, string>][] = [
  ['HTTP 403', everywhere(rejected(403)), [/rejected the request with HTTP 403: check/]],
  [
    'HTTP 500 or 503',
    byTurns(rejected(500), rejected(503)),
    [/everything with HTTP 5xx, here 500: it is out of order/, /HTTP 503: it is overloaded/],
  ],
  [
    'plain HTTP where TLS is spoken',
    everywhere(respondWith('{}')),
    [/no secure connection could be made/],
    { SCHEME: 'https' },
  ],
  [
    'nothing at all, or one byte at a time',
    byTurns(treat.never, treat.drip),
    [/no complete answer within 150 ms/],
    { REQUEST_TIMEOUT_MS: '150' },
  ],
  [
    'a connection that is reset or cut',
    byTurns(treat.reset, treat.cut),
    [/reset before the answer was complete/, /cut off in the middle/],
  ],
  [
    'what is not HTTP, or wrongly compressed',
    byTurns(treat.notHttp, treat.notGzip),
    [/the answer is not HTTP/, /could not be decompressed/],
  ],
  [
    'what is too large or too deep',
    { ...everywhere(treat.deep), getCard: treat.large, getCustomer: treat.large },
    [/larger than 8 MiB.*MAX_BODY_MB/, /nested too deeply/],
    { REQUEST_TIMEOUT_MS: '30000', ...variablesOfOneEach },
  ],
  [
    'a redirect to itself, which is not followed',
    everywhere(respondWith('', 302, { location: '?again' })),
    [/no response looks like the API, here HTTP 302 with/],
  ],
];

for (const [name, treatments, [first, second = first], env] of hostile)
  test(`every answer is ${name}: an error that says why`, async () => {
    const run = await runAgainstHostile(treatments, env);
    expectBlocked(run, { getCard: first, listCustomers: second, getCustomer: first, getFeeRules: second });
  });

test('a host name that does not exist', async () => {
  const run = await runInProcess(targetOf('http://name.invalid'));
  expectBlocked(run, same(/name could not be resolved/));
});

test('keys that mean something to JavaScript', async () => {
  const keys = '"__proto__":{"card":1,"polluted":true},"constructor":{"prototype":[]},"toString":null,';
  const run = await runInProcessAgainst({
    alter: (answer) => ({ ...answer, raw: JSON.stringify(answer.body).replaceAll(/\{(?=")/g, `{${keys}`) }),
  });
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
});

test('every mistake of the configuration is named, and nothing is sent', async () => {
  const env = { BASE_URL: 'foo', MAX_RPS: 'x', API_HEADERS: '{', PROFILE: 'z' };
  const run = await runInProcess(env);
  expectReported(run);
  expect(run.files().map(({ name }) => name)).toContain('junit.xml');
  expect(run.conformance).toMatchObject({ target: 'unknown', verdict: 'error', requests: 0 });
  for (const name of Object.keys(env)) {
    expect(run.output).toContain(`${name} `);
    expect(run.conformance?.notes.join()).toContain(`${name} `);
  }
});
