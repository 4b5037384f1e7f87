import path from 'node:path';
import { expect, test } from '@playwright/test';
import { checkClock, examine, formatChecks } from '../../../commands/examine.ts';
import { type Alter, type MockOptions, startMock } from '../../../mock/server.ts';
import { loadContractOrError } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { withEnvironment } from '../harness/process-state.ts';
import {
  cleanEnvironment,
  configureTarget,
  createRecordedFolder,
  writeTestFile,
} from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';

async function examineAndFormat(env: Record<string, string>, dotenv = ''): Promise<string> {
  const configuration = readConfiguration(env, writeTestFile('.env', dotenv));
  const contract = loadContractOrError(configuration.target.extraLedger);
  return formatChecks(await withEnvironment(cleanEnvironment(), () => examine(configuration, contract)));
}

async function examineMock(options: MockOptions, env: Record<string, string> = {}) {
  const mock = await startMock(options);
  try {
    const text = await examineAndFormat({ ...configureTarget(mock.url), TARGET_NAME: 'staging', ...env });
    return { text, requests: mock.requests.length };
  } finally {
    await mock.close();
  }
}

const changeEveryAnswer = (change: object): MockOptions => ({
  alter: (response) => ({ ...response, ...change }),
});
const pageAnswer = { raw: '<!doctype html><title>Log in</title>', headers: { 'content-type': 'text/html' } };
const keySettings = { API_HEADERS: '{"X-Api-Key":"key-4711"}' };
const setDateTenMinutesBack: Alter = (response) => {
  const tenMinutesAgo = Date.now() - 600_000;
  const date = new Date(tenMinutesAgo).toUTCString();
  return { ...response, headers: { ...response.headers, date } };
};
const fewSettings = {
  MAX_RPS: '7',
  PROFILE: 'documented',
  ALLOW_INVALID_CERTIFICATES: '1',
  CARD_IDS: '',
  CUSTOMER_IDS: 'a',
  USER_IDS: '',
};
const writeSigningModule = () =>
  writeTestFile('sign.mjs', 'export default () => ({ "X-Signature": "signed-4f9c" })');
const httpsSettings = { BASE_URL: 'https://a.example.com:1', HTTPS_PROXY: 'http://u:key-4711@127.0.0.1:9' };

const createStates = (): [name: string, options: MockOptions, env?: Record<string, string>][] => [
  ['a target that is in order', {}],
  ['the embedded mock', {}, { BASE_URL: '', TARGET_NAME: '' }],
  ['a rate and a profile, no identifiers', {}, fewSettings],
  ['no cards, which the run accepts', {}, { CARD_IDS: '', FAIL_ON: '-unjudged' }],
  ['no users', {}, { USER_IDS: '' }],
  [
    'a key and a module, with a clock that is off',
    { alter: setDateTenMinutesBack },
    { ...keySettings, AUTH_MODULE: writeSigningModule() },
  ],
  ['HTTP 401', changeEveryAnswer({ status: 401 })],
  ['HTTP 403 with a key', changeEveryAnswer({ status: 403 }), keySettings],
  ['HTTP 407', changeEveryAnswer({ status: 407 })],
  ['HTTP 429', changeEveryAnswer({ status: 429 })],
  ['HTTP 500', changeEveryAnswer({ status: 500 })],
  ['a login page', changeEveryAnswer(pageAnswer)],
  ['a redirect, the last there is', changeEveryAnswer({ status: 399 })],
  ['a redirect, the first there is', changeEveryAnswer({ status: 300 })],
  ['HTTP 400', changeEveryAnswer({ status: 400 })],
  ['JSON of something else', changeEveryAnswer({ body: {} })],
  ['nothing that listens', {}, { BASE_URL: 'http://user@127.0.0.1:1' }],
  ['a proxy that does not listen', {}, { ...httpsSettings, ALLOW_INVALID_CERTIFICATES: '1' }],
  ['a module without a function', {}, { AUTH_MODULE: writeTestFile('empty.mjs', '') }],
  ['a module that does not sign', {}, { AUTH_MODULE: writeTestFile('none.mjs', 'export default () => 1') }],
  ['a recording', {}, { TRAFFIC: 'package.json' }],
  ['a misspelt variable', {}, { CARD_ID: 'a' }],
  ['identifiers of another form', {}, { CARD_IDS: 'abc,def', USER_IDS: 'ghi' }],
];
test('each state prints its lines with what to do and without a secret, after one request', async () => {
  const texts: string[] = [];
  for (const [name, options, env] of createStates()) {
    const { text, requests } = await examineMock(options, env);
    expect(text).toMatch(/^✓ contract +Lookup API, \d+ operations, \d+ requirements$/m);
    const normalizedText = text.replace(/^(. contract|. clock) .*\n/gm, '').replace(/\d+ ms|\/\S+mjs/g, '…');
    texts.push(`${name}: ${requests} requests\n${normalizedText.replace(/127\.0\.0\.1:\d{2,}/g, 'HOST')}`);
  }
  expect(texts.join('\n')).toMatchSnapshot(['doctor.txt']);
  expect(texts.join()).not.toMatch(/key-4711|signed-4f9c/);
});

test('settings that a run would reject are reported, and nothing is sent', async () => {
  const { callerEnv } = createRecordedFolder('[]');
  expect(await examineAndFormat({ ...callerEnv, TRAFFIC: path.resolve('package.json') })).not.toMatch(/^✗/m);
  const textOfMisspeltName = await examineAndFormat({ BASE_ULR: 'https://staging.example.com' });
  expect(textOfMisspeltName.split('did you mean BASE_URL?')).toHaveLength(2);
  const checksOfBrokenContract = await examine(
    readConfiguration({}, '/nonexistent'),
    new Error('line 1: not YAML'),
  );
  for (const [text, messagePattern] of [
    [await examineAndFormat({}, 'CARD_ID=a'), /^✗ configuration .*did you mean CARD_IDS\?$/m],
    [
      await examineAndFormat(callerEnv),
      /^✗ configuration +observed\/<TARGET_NAME>.json holds no recorded answers/m,
    ],
    [
      await examineAndFormat({ REPORTS_DIR: '/dev/null/a' }),
      /^✗ .*REPORTS_DIR .*cannot be written: a file stands/m,
    ],
    [
      await examineAndFormat({ LEDGER_FILE: 'no/ledger.yaml' }),
      /LEDGER_FILE names no.ledger.yaml in the folder of the suite, a .*\n✓ contract/,
    ],
    [formatChecks(checksOfBrokenContract), /^✗ contract .*line 1: not YAML/m],
  ] as const) {
    expect(text).toMatch(messagePattern);
    expect(text).toMatch(/^! target +nothing was sent/m);
  }
});

test('no secret is printed, whatever is wrong, and a secret that is a word of the contract changes no line', async () => {
  const canaries = new Canaries();
  const headers = { a: 'customers', b: 'target', c: 'request', 'X-Api-Key': canaries.getCode('key') };
  const env = { CARD_IDS: canaries.getCode('card'), API_HEADERS: JSON.stringify(headers) };
  const alterToEcho: Alter = (response, request) => ({
    ...response,
    status: 401,
    headers: { date: `${request.headers['x-api-key']}` },
  });
  const { text } = await examineMock({ alter: alterToEcho }, env);
  expect(text).toMatch(/^✓ target +responded to GET .*\/customers with HTTP 401/m);
  const user = encodeURIComponent(canaries.getTextToEncode('user'));
  const textOfDeadTarget = await examineAndFormat({
    ...env,
    BASE_URL: `http://${user}:${canaries.getCode('password')}@127.0.0.1:1`,
  });
  expect(textOfDeadTarget).toContain('is the target running');
  const wrongSettings = { BASE_URL: `ftp://${user}@127.0.0.1`, API_HEADERS: canaries.getCode('no JSON') };
  const allTexts = text + textOfDeadTarget + (await examineAndFormat({ ...env, ...wrongSettings }));
  expect(canaries.findLeaks([{ name: 'the doctor', text: allTexts }])).toEqual([]);
});

/** Clock difference to the target with expected messages: `[9_000_000, ['9000 s ahead …']]`. */
const clockRows: [aheadMs: number, messages: string[]][] = [
  [60_000, []],
  [9_000_000, ['9000 s ahead of that of the target: the target may reject a signature']],
  [-60_001, ['60 s behind that of the target: the target may reject a signature']],
];
test('a clock that is far off is wrong if requests are signed', () => {
  const now = Date.parse('2026-11-22T00:00:00Z');
  for (const [aheadMs, messages] of clockRows) {
    const checks = checkClock({ date: new Date(now).toUTCString() }, now + aheadMs);
    const expected = messages.map((message) => ({
      state: 'wrong',
      message: expect.stringContaining(message),
    }));
    expect(checks).toMatchObject(expected);
    expect(checks).toHaveLength(messages.length);
  }
  expect(checkClock({}, now)).toEqual([]);
  const cachedAtMidnight = { date: new Date(now).toUTCString(), age: '600' };
  expect(checkClock(cachedAtMidnight, now + 600_000)).toEqual([]);
});

test('the command exits with 1 if something is wrong, and otherwise with 0, after the mock has ended', async () => {
  const listServers = () =>
    process.getActiveResourcesInfo().filter((resource) => resource === 'TCPServerWrap');
  const resourcesBefore = [listServers(), process.listenerCount('exit')];
  const deadRun = await runCommand('commands/doctor.ts', [], { BASE_URL: 'http://127.0.0.1:1' });
  expect(deadRun).toMatchObject({ status: 1, stderr: '', stdout: expect.not.stringMatching(/^\s+at /m) });
  const mockRun = await runCommand('commands/doctor.ts', [], { BASE_URL: 'mock', CI: 'true' });
  const helpRun = await runCommand('commands/doctor.ts', ['--help'], { BASE_URL: 'http://127.0.0.1:1' });
  expect(helpRun).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(/^usage: npm run doctor/),
  });
  const wrongRun = await runCommand('commands/doctor.ts', ['staging'], { BASE_URL: 'http://127.0.0.1:1' });
  expect(wrongRun).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining("'staging'") });
  // The complete address appears only on a local terminal.
  const stdout = expect.stringMatching(/^✓ target +responded to GET \/svc/m);
  expect(mockRun).toMatchObject({ status: 0, stderr: '', stdout });
  await expect.poll(() => [listServers(), process.listenerCount('exit')]).toEqual(resourcesBefore);
});
