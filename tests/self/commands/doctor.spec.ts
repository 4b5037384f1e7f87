import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { generate } from 'selfsigned';
import { clockCheck } from '../../../commands/check-response.ts';
import { examine, linesOf } from '../../../commands/examine.ts';
import { type Alter, type MockOptions, startMock } from '../../../mock/server.ts';
import { contractOrProblem } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { recordedFolder, targetOf } from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';

/** What the doctor says of a configuration. */
async function said(env: Record<string, string>, dotenv = ''): Promise<string> {
  const file = test.info().outputPath('.env');
  writeFileSync(file, dotenv);
  return linesOf(await examine(readConfiguration(env, file), contractOrProblem()));
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

const always =
  (change: object): Alter =>
  (answer) => ({ ...answer, ...change });
const withHeaders =
  (headers: Record<string, string>): Alter =>
  (answer) => ({ ...answer, headers: { ...answer.headers, ...headers } });
const tenMinutesAgo = new Date(Date.now() - 600_000).toUTCString();
const page = { raw: '<!doctype html><title>Log in</title>', headers: { 'content-type': 'text/html' } };

test('a target that is in order: one request, and every line is', async () => {
  const { text, requests } = await saidOf({});
  expect(text).not.toMatch(/^[!✗]/m);
  for (const says of ['target staging', '8 of CARD_IDS', 'plain HTTP, without a proxy', 'with HTTP 200 in'])
    expect(text).toContain(says);
  expect(text).toContain('as that of the target');
  expect(requests).toBe(1);
});

const signing = 'export default () => ({ "X-Signature": "signed-4f9c" })';
const ill: [name: string, options: MockOptions, env: Record<string, string>, says: RegExp][] = [
  ['HTTP 401', { alter: always({ status: 401 }) }, {}, /^✗ credentials .*HTTP 401: none are configured/m],
  [
    'HTTP 403 with credentials',
    { alter: always({ status: 403 }) },
    { API_HEADERS: '{"X-Api-Key":"key-4711"}' },
    /^✗ credentials .*HTTP 403: check API_HEADERS \(1\)/m,
  ],
  ['a login page', { alter: always(page) }, {}, /^✗ target .*a web page, perhaps a login,/m],
  ['a redirect', { alter: always({ status: 302 }) }, {}, /^✗ target .*no redirect is followed/m],
  ['JSON of something else', { alter: always({ body: {} }) }, {}, /^✗ target .*does not look like the API/m],
  ['HTTP 429', { alter: always({ status: 429 }) }, {}, /^✗ target .*lower MAX_RPS/m],
  [
    'a clock that is 10 minutes off',
    { alter: withHeaders({ date: tenMinutesAgo }) },
    { AUTH_MODULE: 'sign.mjs' },
    /^✗ clock .*10 min ahead of that of the target/m,
  ],
];

for (const [name, options, env, says] of ill) {
  test(`${name}: said, with what to do`, async () => {
    const file = test.info().outputPath('sign.mjs');
    writeFileSync(file, signing);
    const { text } = await saidOf(options, env.AUTH_MODULE ? { AUTH_MODULE: file } : env);
    expect(text).toMatch(says);
    expect(text).not.toMatch(/key-4711|signed-4f9c/);
  });
}

test('an expired certificate is distinguished from one that nobody trusts', async () => {
  const served = async (notAfterDate: Date) => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
      keyType: 'ec',
      notBeforeDate: new Date(0),
      notAfterDate,
    });
    return (await saidOf({ https: { key, cert } })).text;
  };
  expect(await served(new Date('2020-01-01'))).toMatch(/^✗ target .*has expired$/m);
  expect(await served(new Date('2099-01-01'))).toMatch(/^✗ target .*check certificates and scheme$/m);
});

test('a port where nothing listens, and a recording that is judged', async () => {
  expect(await said({ BASE_URL: 'http://127.0.0.1:1' })).toMatch(/^✗ target .*connection was refused/m);
  const recorded = await said({ TRAFFIC: 'package.json' });
  expect(recorded).toMatch(/^✓ target +nothing is asked/m);
  expect(recorded).not.toMatch(/identifiers|credentials/);
});

test('what a run would reject is said, and nothing is sent', async () => {
  for (const [text, says] of [
    [await said({}, 'CARD_ID=a'), /^✗ configuration .*did you mean CARD_IDS\?$/m],
    [
      await said(recordedFolder('[]').called),
      /^✗ configuration +observed\/<TARGET_NAME>.json holds no recorded answers/m,
    ],
    [
      linesOf(await examine(readConfiguration({}, '/nonexistent'), new Error('line 1: not YAML'))),
      /^✗ contract .*line 1: not YAML/m,
    ],
  ] as const) {
    expect(text).toMatch(says);
    expect(text).toMatch(/^! target +nothing was sent/m);
  }
});

test('a misspelt variable, and an identifier of a form that is not documented, are said by name and place', async () => {
  expect(await said({ CARD_ID: 'a' })).toMatch(/^! configuration .*did you mean CARD_IDS\?$/m);
  const text = await said({ CARD_IDS: '0b7e2a52-0000-4000-8000-000000000001,"card-1"', CUSTOMER_IDS: 'any' });
  expect(text.match(/^! identifiers .*/gm)).toEqual([
    expect.stringMatching(/ CARD_IDS\[1\] is not an identifier in UUID form/),
  ]);
});

test('nothing secret is said, whatever is wrong', async () => {
  const canaries = new Canaries();
  const secret = (name: string) => encodeURIComponent(canaries.text(name));
  const variables = {
    CARD_IDS: canaries.of('card'),
    API_HEADERS: JSON.stringify({ 'X-Api-Key': canaries.of('key') }),
  };
  const echoing: Alter = (answer, { headers }) => ({
    ...answer,
    status: 401,
    headers: { date: `${headers['x-api-key']}` },
  });
  const { text } = await saidOf({ alter: echoing }, variables);
  const dead = await said({
    ...variables,
    BASE_URL: `http://${secret('user')}:${secret('password')}@127.0.0.1:1`,
  });
  const wrong = await said({
    ...variables,
    BASE_URL: `ftp://${secret('user')}@127.0.0.1`,
    API_HEADERS: canaries.of('no JSON'),
  });
  expect(canaries.leaksIn([{ name: 'the doctor', text: text + dead + wrong }])).toEqual([]);
});

test('a secret that is a word of the contract, or of the doctor, rewrites no line', async () => {
  const API_HEADERS = JSON.stringify({ a: 'customers', b: 'target', c: 'request' });
  const { text } = await saidOf({}, { API_HEADERS });
  const [dead] = /^✗ target.*/m.exec(await said({ API_HEADERS, BASE_URL: 'http://127.0.0.1:1' })) ?? [];
  expect(text + dead).not.toContain('***');
  expect(text).toMatch(/^✓ target +answered GET .*\/customers with HTTP 200/m);
  expect(dead).toContain('is the target running');
});

const now = Date.parse('2026-11-22T00:00:00Z');

test('the age of a cached response is no skew of clocks', () => {
  const cached = { date: new Date(now - 300_000).toUTCString(), age: '300' };
  expect(clockCheck(cached, now, true).state).toBe('ok');
  expect(clockCheck({ date: cached.date }, now, true).state).toBe('wrong');
  expect(clockCheck({ date: cached.date }, now, false).state).toBe('note');
  expect(clockCheck({}, now, true).says).toContain('no date');
});

test('the command ends with 1 where something is wrong, and with 0 otherwise', async () => {
  const dead = await runCommand('commands/doctor.ts', [], { BASE_URL: 'http://127.0.0.1:1' });
  expect(dead).toMatchObject({ status: 1, stderr: '' });
  expect(dead.stdout).not.toMatch(/^\s+at /m);
  const mock = await runCommand('commands/doctor.ts', [], { BASE_URL: 'mock' });
  expect(mock).toMatchObject({ status: 0, stderr: '' });
});
