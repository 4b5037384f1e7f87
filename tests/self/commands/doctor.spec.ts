import { expect, test } from '@playwright/test';
import { clockCheck, examine, linesOf } from '../../../commands/examine.ts';
import { type Alter, type MockOptions, startMock } from '../../../mock/server.ts';
import { contractOrProblem } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { fileOf, recordedFolder, targetOf } from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';

/** What the doctor says of a configuration. */
async function said(env: Record<string, string>, dotenv = ''): Promise<string> {
  const read = readConfiguration(env, fileOf('.env', dotenv));
  return linesOf(await examine(read, contractOrProblem(read.target.callersLedger)));
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
const date = new Date(Date.now() - 600_000).toUTCString();
const late: Alter = (answer) => ({ ...answer, headers: { ...answer.headers, date } });
const oddCard = { CARD_IDS: '0b7e2a52-0000-4000-8000-000000000001,"card-1"' };
const key = { API_HEADERS: '{"X-Api-Key":"key-4711"}' };

test('a target that is in order: one request, and every line is', async () => {
  const { text, requests } = await saidOf({});
  expect(text).not.toMatch(/^[!✗]/m);
  for (const says of ['target staging', '8 of CARD_IDS', 'plain HTTP, without a proxy', 'with HTTP 200 in'])
    expect(text).toContain(says);
  expect(text).toContain('as that of the target');
  expect(requests).toBe(1);
});

const ill: [name: string, options: MockOptions, env: Record<string, string>, says: RegExp][] = [
  ['HTTP 401', always({ status: 401 }), {}, /^✗ credentials .*HTTP 401: none are configured/m],
  ['HTTP 403 with a key', always({ status: 403 }), key, /^✗ credentials .*403: check API_HEADERS \(1\)/m],
  ['a login page', always(page), {}, /^✗ target .*a web page, perhaps a login,/m],
  ['a redirect', always({ status: 302 }), {}, /^✗ target .*no redirect is followed/m],
  ['JSON of something else', always({ body: {} }), {}, /^✗ target .*does not look like the API/m],
  ['HTTP 429', always({ status: 429 }), {}, /^✗ target .*lower MAX_RPS/m],
  ['a clock that is off', { alter: late }, { AUTH_MODULE: '' }, /^✗ clock .*10 min ahead of that of the/m],
  ['nothing that listens', {}, { BASE_URL: 'http://127.0.0.1:1' }, /^✗ target .*connection was refused/m],
  ['a recording', {}, { TRAFFIC: 'package.json' }, /^✓ target +nothing is asked/m],
  ['a misspelt variable', {}, { CARD_ID: 'a' }, /^! configuration .*did you mean CARD_IDS\?$/m],
  [
    'an identifier of another form',
    {},
    oddCard,
    /^! identifiers +CARD_IDS\[1\] is not an identifier in UUID form,/m,
  ],
];
test('each thing that may be wrong is said, with what to do, without a secret', async () => {
  const AUTH_MODULE = fileOf('sign.mjs', 'export default () => ({ "X-Signature": "signed-4f9c" })');
  for (const [name, options, env, says] of ill) {
    const { text } = await saidOf(options, 'AUTH_MODULE' in env ? { AUTH_MODULE } : env);
    expect(text, name).toMatch(says);
    expect(text, name).not.toMatch(/key-4711|signed-4f9c/);
  }
});

test('what a run would reject is said, and nothing is sent', async () => {
  const { called } = recordedFolder('[]');
  const broken = await examine(readConfiguration({}, '/nonexistent'), new Error('line 1: not YAML'));
  for (const [text, says] of [
    [await said({}, 'CARD_ID=a'), /^✗ configuration .*did you mean CARD_IDS\?$/m],
    [await said(called), /^✗ configuration +observed\/<TARGET_NAME>.json holds no recorded answers/m],
    [await said({ REPORTS_DIR: '/dev/null/a' }), /^✗ .*REPORTS_DIR .*cannot be written: not a directory$/m],
    [await said({ LEDGER_FILE: 'no/ledger.yaml' }), /LEDGER_FILE names no.ledger.yaml, a .*\n✓ contract/],
    [linesOf(broken), /^✗ contract .*line 1: not YAML/m],
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

test('a clock that is off is wrong where requests are signed, and a note where they are not', () => {
  const now = Date.parse('2026-11-22T00:00:00Z');
  const late = { date: new Date(now - 300_000).toUTCString() };
  expect([true, false].map((signs) => clockCheck(late, now, signs).state)).toEqual(['wrong', 'note']);
  expect(clockCheck({}, now, true).says).toContain('no date');
});

test('the command ends with 1 where something is wrong, and with 0 otherwise', async () => {
  const dead = await runCommand('commands/doctor.ts', [], { BASE_URL: 'http://127.0.0.1:1' });
  expect(dead).toMatchObject({ status: 1, stderr: '', stdout: expect.not.stringMatching(/^\s+at /m) });
  const mock = await runCommand('commands/doctor.ts', [], { BASE_URL: 'mock' });
  expect(mock).toMatchObject({ status: 0, stderr: '' });
});
