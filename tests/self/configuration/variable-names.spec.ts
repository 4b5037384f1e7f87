import { expect, test } from '@playwright/test';
import { readConfiguration } from '../../../src/run/target.ts';
import { fileOf } from '../harness/whole-run.ts';

const nowhere = '/nonexistent/.env';
const read = (env: Record<string, string>, dotenv = nowhere) => readConfiguration(env, dotenv);
const remote = { BASE_URL: 'https://api.example.com' };
const secret = 's3cr3t';

test('where CI is set, only BASE_URL=mock judges the mock', () => {
  for (const CI of ['true', '1']) {
    expect(read({ CI })).toMatchObject({
      problems: [expect.stringMatching(/^BASE_URL is not set, but CI is: .* or to mock/)],
      target: { isMock: false, name: 'unknown' },
    });
    expect(read({ CI, BASE_URL: 'mock' })).toMatchObject({ problems: [], target: { isMock: true } });
  }
  for (const CI of ['', '0', 'false']) expect(read({ CI }).problems).toEqual([]);
});

test('BASE_URL=mock is the embedded mock, with its defaults', () => {
  expect(read({ BASE_URL: ' Mock ' })).toEqual(read({}));
});

test('an unknown name in .env is a mistake, reported with the nearest name', () => {
  const text = '# note\nBASEURL=https://a.example\nMAX_RPS=2\nexport COLOUR = blue\nNODE_EXTRA_CA_CERTS=a\n';
  expect(read({}, fileOf('.env', text)).problems).toEqual([
    '.env sets BASEURL, which is no variable of this suite: did you mean BASE_URL?',
    expect.stringMatching(/^\.env sets COLOUR, which is no variable of this suite: did you mean \w+\?$/),
    '.env sets NODE_EXTRA_CA_CERTS, which Node reads before .env: set it in the environment',
  ]);
});

test('what may be a piece of a secret is not repeated as a name of .env', () => {
  const text = `KEY=-----BEGIN\nMIIEvQIBADANBgkqh${secret}==\nJBSWY3DPEHPK3PXP=\n`;
  const { problems } = read({}, fileOf('.env', text));
  expect(problems).toHaveLength(3);
  expect(problems.join()).not.toMatch(/MIIE|s3cr3t|JBSW/);
});

test('with AUTH_MODULE, .env may hold what that module reads', () => {
  const text = 'AUTH_MODULE=tests/setup.ts\nKEY_STORE=https://a.example\nAPP_ID=a\nCARDIDS=a\n';
  expect(read(remote, fileOf('.env', text)).problems).toEqual([
    '.env sets CARDIDS, which is no variable of this suite: did you mean CARD_IDS?',
  ]);
});

test('a name in the environment that is nearly a variable is noticed, also where that one is set', () => {
  // Each has the name that was meant as its value.
  const near = {
    ...{ BASEURL: 'BASE_URL', CARDIDS: 'CARD_IDS', MAX_RPM: 'MAX_RPS', USER_ID: 'USER_IDS' },
    ...{ base_url: 'BASE_URL', TRAFIC: 'TRAFFIC', FIAL_ON: 'FAIL_ON' },
  };
  const { target, problems } = read({ ...near, BASE_URL: 'mock', TARGET_NAME: 'a' });
  expect(problems).toEqual([]);
  expect(read({ ...near, TARGET_NAME: 'a' }).problems).toEqual([
    ...target.notices.filter((one) => /BASE_URL|TRAFFIC/.test(one)),
    'TARGET_NAME names a target, and BASE_URL is not set: set it, to mock for the embedded mock',
  ]);
  const notice = (name: string, meant: string) =>
    `${name} is set, which nothing reads: did you mean ${meant}?`;
  expect(target.notices).toEqual(Object.entries(near).map(([name, meant]) => notice(name, meant)));
  const file = fileOf('.env', 'BASE_URL=https://a.example\nCARD_IDS=a\n');
  expect(read({ CARDIDS: 'b' }, file).target.notices).toEqual([notice('CARDIDS', 'CARD_IDS')]);
  const others = { PATH: '/', HOME: '/', ftp_proxy: 'a', ALL_PROXY: 'a', TMPDIR: '/', CLIENT_NO: 'a' };
  expect(read({ ...remote, ...others }).target.notices).toEqual([]);
});
