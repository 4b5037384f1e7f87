import { expect, test } from '@playwright/test';
import { readConfiguration } from '../../../src/run/target.ts';
import { writeTestFile } from '../harness/whole-run.ts';

const missingFile = '/nonexistent/.env';
const readVariables = (env: Record<string, string>, dotenv = missingFile) => readConfiguration(env, dotenv);
const remoteSettings = { BASE_URL: 'https://api.example.com' };
const secret = 's3cr3t';

test('only BASE_URL=mock judges the mock if CI is set', () => {
  for (const CI of ['true', '1']) {
    expect(readVariables({ CI })).toMatchObject({
      problems: [expect.stringMatching(/^CI is set, so BASE_URL must be set too: .* or to mock/)],
      target: { isMock: false, name: 'unknown' },
    });
    expect(readVariables({ CI, BASE_URL: 'mock' })).toMatchObject({ problems: [], target: { isMock: true } });
  }
  for (const CI of ['', '0', 'false']) expect(readVariables({ CI }).problems).toEqual([]);
});

test('BASE_URL=mock is the embedded mock, with its defaults', () => {
  expect(readVariables({ BASE_URL: ' Mock ' })).toEqual(readVariables({}));
});

test('an unknown name in .env is rejected with the nearest name', () => {
  const text = '# note\nBASEURL=https://a.example\nMAX_RPS=2\nexport COLOUR = blue\nNODE_EXTRA_CA_CERTS=a\n';
  expect(readVariables({}, writeTestFile('.env', text)).problems).toEqual([
    '.env sets BASEURL, which is no variable of this suite: did you mean BASE_URL?',
    expect.stringMatching(/^\.env sets COLOUR, which is no variable of this suite: did you mean \w+\?$/),
    '.env sets NODE_EXTRA_CA_CERTS, which Node reads before .env: set it in the environment',
  ]);
});

test('a possible piece of a secret is not repeated as a name of .env', () => {
  const text = `KEY=-----BEGIN\nMIIEvQIBADANBgkqh${secret}==\nJBSWY3DPEHPK3PXP=\n`;
  const { problems } = readVariables({}, writeTestFile('.env', text));
  expect(problems).toHaveLength(3);
  expect(problems.join()).not.toMatch(/MIIE|s3cr3t|JBSW/);
});

test('.env may hold variables of the AUTH_MODULE', () => {
  const text = 'AUTH_MODULE=tests/setup.ts\nKEY_STORE=https://a.example\nAPP_ID=a\nCARDIDS=a\n';
  expect(readVariables(remoteSettings, writeTestFile('.env', text)).problems).toEqual([
    '.env sets CARDIDS, which is no variable of this suite: did you mean CARD_IDS?',
  ]);
});

test('a name in the environment that resembles a variable is reported, even if that variable is set', () => {
  // Similar names, each with the intended name as its value.
  const similarNames = {
    BASEURL: 'BASE_URL',
    CARDIDS: 'CARD_IDS',
    MAX_RPM: 'MAX_RPS',
    USER_ID: 'USER_IDS',
    base_url: 'BASE_URL',
    TRAFIC: 'TRAFFIC',
    FIAL_ON: 'FAIL_ON',
    MIN_COVERGE: 'MIN_COVERAGE',
    REQUEST_TIMEOUT: 'REQUEST_TIMEOUT_MS',
  };
  const { target, problems } = readVariables({ ...similarNames, BASE_URL: 'mock', TARGET_NAME: 'a' });
  expect(problems).toEqual([]);
  expect(readVariables({ ...similarNames, TARGET_NAME: 'a' }).problems).toEqual([
    ...target.notices.filter((notice) => /BASE_URL|TRAFFIC/.test(notice)),
    'TARGET_NAME is set, but BASE_URL is not: set it to the address of the target, or to mock',
  ]);
  const formatNotice = (name: string, intendedName: string) =>
    `${name} is no variable of this suite: did you mean ${intendedName}?`;
  expect(target.notices).toEqual(
    Object.entries(similarNames).map(([name, intendedName]) => formatNotice(name, intendedName)),
  );
  const file = writeTestFile('.env', 'BASE_URL=https://a.example\nCARD_IDS=a\n');
  expect(readVariables({ CARDIDS: 'b' }, file).target.notices).toEqual([formatNotice('CARDIDS', 'CARD_IDS')]);
  const unrelatedVariables = {
    PATH: '/',
    HOME: '/',
    ftp_proxy: 'a',
    ALL_PROXY: 'a',
    TMPDIR: '/',
    CLIENT_NO: 'a',
    USER: 'a',
  };
  expect(readVariables({ ...remoteSettings, ...unrelatedVariables }).target.notices).toEqual([]);
});
