import path from 'node:path';
import { expect, test } from '@playwright/test';
import { checkClock, examine, formatChecks } from '../../../commands/examine.ts';
import { type Alter, type MockOptions, startMock } from '../../../mock/server.ts';
import { contractOrProblem } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { withEnvironment } from '../harness/process-state.ts';
import { cleanEnvironment, fileOf, recordedFolder, targetOf } from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';

async function said(env: Record<string, string>, dotenv = ''): Promise<string> {
  const read = readConfiguration(env, fileOf('.env', dotenv));
  const contract = contractOrProblem(read.target.callersLedger);
  return formatChecks(await withEnvironment(cleanEnvironment(), () => examine(read, contract)));
}

/** What it says of a mock, and how often that was asked. */
async function saidOf(options: MockOptions, env: Record<string, string> = {}) {
  const mock = await startMock(options);
  try {
    const text = await said({ ...targetOf(mock.url), TARGET_NAME: 'staging', ...env });
    return { text, requests: mock.requests.length };
  } finally {
    await mock.close();
  }
}

const always = (change: object): MockOptions => ({ alter: (answer) => ({ ...answer, ...change }) });
const page = { raw: '<!doctype html><title>Log in</title>', headers: { 'content-type': 'text/html' } };
const key = { API_HEADERS: '{"X-Api-Key":"key-4711"}' };
const late: Alter = (answer) => {
  const date = new Date(Date.now() - 600_000).toUTCString();
  return { ...answer, headers: { ...answer.headers, date } };
};
const few = {
  ...{ MAX_RPS: '7', PROFILE: 'documented', ALLOW_INVALID_CERTIFICATES: '1' },
  ...{ CARD_IDS: '', CUSTOMER_IDS: 'a', USER_IDS: '' },
};
const signing = () => fileOf('sign.mjs', 'export default () => ({ "X-Signature": "signed-4f9c" })');
const https = { BASE_URL: 'https://a.example.com:1', HTTPS_PROXY: 'http://u:key-4711@127.0.0.1:9' };

/** What may be as it is or wrong: of each, `doctor.txt` has all lines. */
const states = (): [name: string, options: MockOptions, env?: Record<string, string>][] => [
  ['a target that is in order', {}],
  ['the embedded mock', {}, { BASE_URL: '', TARGET_NAME: '' }],
  ['a rate and a profile, no identifiers', {}, few],
  ['a key and a module, with a clock that is off', { alter: late }, { ...key, AUTH_MODULE: signing() }],
  ['HTTP 401', always({ status: 401 })],
  ['HTTP 403 with a key', always({ status: 403 }), key],
  ['HTTP 407', always({ status: 407 })],
  ['HTTP 429', always({ status: 429 })],
  ['HTTP 500', always({ status: 500 })],
  ['a login page', always(page)],
  ['a redirect, the last there is', always({ status: 399 })],
  ['a redirect, the first there is', always({ status: 300 })],
  ['HTTP 400', always({ status: 400 })],
  ['JSON of something else', always({ body: {} })],
  ['nothing that listens', {}, { BASE_URL: 'http://user@127.0.0.1:1' }],
  ['a proxy that does not listen', {}, { ...https, ALLOW_INVALID_CERTIFICATES: '1' }],
  ['a module without a function', {}, { AUTH_MODULE: fileOf('empty.mjs', '') }],
  ['a module that does not sign', {}, { AUTH_MODULE: fileOf('none.mjs', 'export default () => 1') }],
  ['a recording', {}, { TRAFFIC: 'package.json' }],
  ['a misspelt variable', {}, { CARD_ID: 'a' }],
  ['identifiers of another form', {}, { CARD_IDS: 'abc,def', USER_IDS: 'ghi' }],
];
test('each line of a state, with what to do, and without a secret; one request is sent', async () => {
  const texts: string[] = [];
  for (const [name, options, env] of states()) {
    const { text, requests } = await saidOf(options, env);
    expect(text).toMatch(/^✓ contract +Lookup API, \d+ operations, \d+ requirements$/m);
    const plain = text.replace(/^(. contract|. clock) .*\n/gm, '').replace(/\d+ ms|\/\S+mjs/g, '…');
    texts.push(`${name}: ${requests} requests\n${plain.replace(/127\.0\.0\.1:\d{2,}/g, 'HOST')}`);
  }
  expect(texts.join('\n')).toMatchSnapshot(['doctor.txt']);
  expect(texts.join()).not.toMatch(/key-4711|signed-4f9c/);
});

test('what a run would reject is said, and nothing is sent', async () => {
  const { called } = recordedFolder('[]');
  expect(await said({ ...called, TRAFFIC: path.resolve('package.json') })).not.toMatch(/^✗/m);
  const broken = await examine(readConfiguration({}, '/nonexistent'), new Error('line 1: not YAML'));
  for (const [text, says] of [
    [await said({}, 'CARD_ID=a'), /^✗ configuration .*did you mean CARD_IDS\?$/m],
    [await said(called), /^✗ configuration +observed\/<TARGET_NAME>.json holds no recorded answers/m],
    [await said({ REPORTS_DIR: '/dev/null/a' }), /^✗ .*REPORTS_DIR .*cannot be written: a file stands/m],
    [await said({ LEDGER_FILE: 'no/ledger.yaml' }), /LEDGER_FILE names no.ledger.yaml, a .*\n✓ contract/],
    [formatChecks(broken), /^✗ contract .*line 1: not YAML/m],
  ] as const) {
    expect(text).toMatch(says);
    expect(text).toMatch(/^! target +nothing was sent/m);
  }
});

test('nothing secret is said, whatever is wrong, and a secret that is a word of the contract rewrites no line', async () => {
  const canaries = new Canaries();
  const headers = { a: 'customers', b: 'target', c: 'request', 'X-Api-Key': canaries.of('key') };
  const env = { CARD_IDS: canaries.of('card'), API_HEADERS: JSON.stringify(headers) };
  const echoing: Alter = (answer, asked) => ({
    ...{ ...answer, status: 401 },
    headers: { date: `${asked.headers['x-api-key']}` },
  });
  const { text } = await saidOf({ alter: echoing }, env);
  expect(text).toMatch(/^✓ target +answered GET .*\/customers with HTTP 401/m);
  const user = encodeURIComponent(canaries.text('user'));
  const dead = await said({ ...env, BASE_URL: `http://${user}:${canaries.of('password')}@127.0.0.1:1` });
  expect(dead).toContain('is the target running');
  const wrong = { BASE_URL: `ftp://${user}@127.0.0.1`, API_HEADERS: canaries.of('no JSON') };
  const all = text + dead + (await said({ ...env, ...wrong }));
  expect(canaries.leaksIn([{ name: 'the doctor', text: all }])).toEqual([]);
});

/** By how many milliseconds this machine is ahead, and what is said. */
const clocks: [aheadMs: number, says: string[]][] = [
  [60_000, []],
  [9_000_000, ['9000 s ahead of that of the target: a signature']],
  [-60_001, ['60 s behind that of the target: a signature']],
];
test('where requests are signed, a clock that is far off is wrong', () => {
  const now = Date.parse('2026-11-22T00:00:00Z');
  for (const [aheadMs, says] of clocks) {
    const checks = checkClock({ date: new Date(now).toUTCString() }, now + aheadMs);
    const expected = says.map((one) => ({ state: 'wrong', message: expect.stringContaining(one) }));
    expect(checks).toMatchObject(expected);
    expect(checks).toHaveLength(says.length);
  }
  expect(checkClock({}, now)).toEqual([]);
});

test('the command ends with 1 where something is wrong, and with 0 otherwise; the mock has ended before', async () => {
  const servers = () => process.getActiveResourcesInfo().filter((one) => one === 'TCPServerWrap');
  const before = [servers(), process.listenerCount('exit')];
  const dead = await runCommand('commands/doctor.ts', [], { BASE_URL: 'http://127.0.0.1:1' });
  expect(dead).toMatchObject({ status: 1, stderr: '', stdout: expect.not.stringMatching(/^\s+at /m) });
  const mock = await runCommand('commands/doctor.ts', [], { BASE_URL: 'mock', CI: 'true' });
  // The whole of an address is for one's own terminal.
  const stdout = expect.stringMatching(/^✓ target +answered GET \/svc/m);
  expect(mock).toMatchObject({ status: 0, stderr: '', stdout });
  await expect.poll(() => [servers(), process.listenerCount('exit')]).toEqual(before);
});
