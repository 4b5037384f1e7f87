import { expect, test } from '@playwright/test';
import { altering } from '../harness/edits.ts';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf, targetOf, variablesOfOneEach, type WholeRun } from '../harness/whole-run.ts';
import { closedPort, everywhere, respondWith, treatments as treat } from './hostile.ts';
import { expectBlocked, expectReported, operations, runAgainstHostile, same } from './hostile-run.ts';

test.setTimeout(120_000);

const rejected = (status: number) => respondWith(JSON.stringify({ code: status, message: 'no' }), status);

test('every answer is HTTP 403', async () => {
  const run = await runAgainstHostile(everywhere(rejected(403)));
  expectBlocked(run, same(/rejected the request with HTTP 403: check/));
});

test('where everything is HTTP 401, no more than a few requests are sent with credentials that are wrong', async () => {
  let asked = 0;
  const run = await runAgainstHostile(
    everywhere((response) => {
      asked += 1;
      rejected(401)(response);
    }),
  );
  expectReported(run);
  expect(asked).toBeLessThanOrEqual(7);
  expect(run.output).toMatch(/ERROR: .*rejected .* with HTTP 401: check the credentials/);
});

test('the address of a target with a name is on the own terminal alone', async () => {
  const env = { TARGET_NAME: 'staging', PROBES: 'off' };
  const own = await runInProcessAgainst({}, { ...env, CI: '' });
  expect(own.output).toMatch(/asking staging at 127\.0\.0\.1:\d+: at most/);
  for (const { name, text } of own.files()) expect(text.includes('127.0.0.1'), name).toBe(false);
  const public_ = await runInProcessAgainst({}, { ...env, CI: 'true' });
  expect(public_.output).toContain('asking staging: at most');
  expect(public_.output).not.toContain('127.0.0.1');
});

test('every answer is HTTP 500 or 503', async () => {
  const [failing, busy] = [rejected(500), rejected(503)];
  const run = await runAgainstHostile({
    getCard: failing,
    listCustomers: busy,
    getCustomer: failing,
    getFeeRules: busy,
  });
  const [first, second] = [
    /everything with HTTP 5xx, here 500: it is out of order/,
    /HTTP 503: it is overloaded/,
  ];
  expectBlocked(run, { getCard: first, listCustomers: second, getCustomer: first, getFeeRules: second });
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

test('a host name that does not exist', async () => {
  const run = await runInProcess(targetOf('http://name.invalid'));
  expectBlocked(run, same(/name could not be resolved/));
});

test('TLS to a port that expects plain HTTP', async () => {
  const run = await runAgainstHostile(everywhere(respondWith('{}')), { SCHEME: 'https' });
  expectBlocked(run, same(/no secure connection could be made/));
});

test('no answer at all, or one byte at a time', async () => {
  const { never, drip } = treat;
  const run = await runAgainstHostile(
    { getCard: never, listCustomers: drip, getCustomer: never, getFeeRules: drip },
    { REQUEST_TIMEOUT_MS: '150' },
  );
  expectBlocked(run, same(/no complete answer within 150 ms/));
});

test('connections that are reset, cut, not HTTP, or wrongly compressed', async () => {
  const { reset, cut, notHttp, notGzip } = treat;
  const run = await runAgainstHostile({
    getCard: reset,
    listCustomers: cut,
    getCustomer: notHttp,
    getFeeRules: notGzip,
  });
  expectBlocked(run, {
    getCard: /reset before the answer was complete/,
    listCustomers: /cut off in the middle/,
    getCustomer: /the answer is not HTTP/,
    getFeeRules: /could not be decompressed/,
  });
});

test('answers that are too large or too deep are not judged, and the run is not green', async () => {
  const { large, deep } = treat;
  const run = await runAgainstHostile(
    { getCard: large, listCustomers: deep, getCustomer: deep, getFeeRules: deep },
    { REQUEST_TIMEOUT_MS: '30000', ...variablesOfOneEach },
  );
  const tooDeep = /nested too deeply/;
  expectBlocked(run, {
    getCard: /larger than 8 MiB.*MAX_BODY_MB/,
    listCustomers: tooDeep,
    getCustomer: tooDeep,
    getFeeRules: tooDeep,
  });
});

test('bodies that are not JSON break the contract', async () => {
  const { webPage, empty, broken, notText } = treat;
  const run = await runAgainstHostile({
    getCard: webPage,
    listCustomers: empty,
    getCustomer: broken,
    getFeeRules: notText,
  });
  expectReported(run);
  expect(run.conformance?.verdict).toBe('fail');
  expect(addressesOf(run, 'violation')).toEqual(operations.map((operation) => `${operation}/http/json`));
  for (const actual of ['an empty body', 'a body that is not JSON', 'a body that is not UTF-8'])
    expect(run.output).toContain(actual);
});

test('a redirect to itself is not followed', async () => {
  const run = await runAgainstHostile(everywhere(respondWith('', 302, { location: '?again' })));
  expectBlocked(run, same(/no response looks like the API, here HTTP 302 with/));
});

test('keys that mean something to JavaScript', async () => {
  const keys = '"__proto__":{"card":1,"polluted":true},"constructor":{"prototype":[]},"toString":null,';
  const run = await runInProcessAgainst({
    alter: (answer) => ({ ...answer, raw: JSON.stringify(answer.body).replaceAll(/\{(?=")/g, `{${keys}`) }),
  });
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
});

test('one operation down: the others are judged', async () => {
  const alter = altering('getCustomer', (answer) => ({ ...answer, abort: 'before' }));
  const run = await runInProcessAgainst({ alter });
  expectReported(run);
  expect(run.conformance?.verdict).toBe('error');
  const concerned = new Set(addressesOf(run, 'blocked').map((address) => address.split('/')[0]));
  expect([...concerned]).toEqual(['getCustomer']);
  expect(addressesOf(run, 'pass').length).toBeGreaterThan(80);
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
