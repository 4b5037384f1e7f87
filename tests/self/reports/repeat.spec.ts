import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { startMock } from '../../../mock/server.ts';
import { listConfiguredArguments } from '../../../src/operations/request.ts';
import {
  adaptCurlOutput,
  buildCurlCommand,
  buildIdentifierExpression,
  plainCurl,
  quoteAddressForShell,
} from '../../../src/redact/curl.ts';
import type { Finding } from '../../../src/redact/observation.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { altering, applyInOrder, type Change, set } from '../harness/edits.ts';
import { judgeMock } from '../harness/judge-mock.ts';

type Environment = Record<string, string>;

async function runInShell(command: string, env: Environment): Promise<string> {
  const fullEnv = { PATH: '/usr/local/bin:/usr/bin:/bin', ...env };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', command], { env: fullEnv });
  return (stderr + stdout).trim();
}

const usual = readConfiguration({}, '/nonexistent').target;

const oddIdentifier = `a b&c=d/é'"$(exit 1)`;

const setOddContentType: Change = (response) => ({
  ...response,
  headers: { 'content-type': 'text/x-odd' },
});

const breakEachOperation = applyInOrder(
  altering('getCard', set('data/card/status', 7)),
  altering('getCustomer', set('data/customer/dial_code', true)),
  altering('getFeeRules', set('data/fee_rules/0/fixed_fee', null)),
  altering('listCustomers', set('data/customers/1/phone', 49)),
  altering('getFeeRules', setOddContentType),
);

/** Finding and the expected output of its `curl` command: `/^getCard.*status$/`, `/^7$/`. */
const repeatRows: [finding: RegExp, output: RegExp][] = [
  [/^getCard.*status$/, /^7$/],
  [/^getCustomer.*dial_code$/, /^true$/],
  [/^getFeeRules.*fixed_fee$/, /^null$/],
  [/^listCustomers.*phone$/, /^49$/],
  [/^getFeeRuleshttp/, /^HTTP\/1.1 200[\s\S]*text\/x-odd/],
];

test('the command that repeats a request shows the broken place, with sh, curl and jq', async () => {
  const headers = { 'X-Api-Key': `it's "secret"`, 'X-Other': '1' };
  const { identifiers, plainListVariables } = readConfiguration(
    { USER_IDS: oddIdentifier },
    '/nonexistent',
  ).target;
  const { findings } = await judgeMock(
    { alter: breakEachOperation },
    { headers, identifiers, plainListVariables },
  );
  const credentials: unknown[] = [];
  const mock = await startMock({
    alter: (response, request) => {
      credentials.push([request.headers['x-api-key'], request.headers['x-other']]);
      return breakEachOperation(response, request);
    },
  });
  const lists = Object.entries(identifiers).map(([variable, values]) => [variable, values.join()]);
  const env = {
    BASE_URL: mock.url,
    API_HEADERS: JSON.stringify(headers),
    ...Object.fromEntries(lists),
  };
  try {
    for (const [findingPattern, outputPattern] of repeatRows) {
      const violations = findings.filter(({ kind }) => kind === 'violation');
      const matchingFindings = violations.filter(({ operation, pointer }) =>
        findingPattern.test(`${operation}${pointer}`),
      );
      expect(matchingFindings.length, String(findingPattern)).toBeGreaterThan(0);
      for (const { repeat = '' } of pickDistinct(matchingFindings))
        expect(await runInShell(repeat, env)).toMatch(outputPattern);
    }
    const ofUser = findings.find(({ exchange }) => exchange.includes('{USER_IDS[0]}'));
    expect(await runInShell(ofUser?.repeat ?? '', env)).toContain('404');
  } finally {
    await mock.close();
  }
  expect(new Set(credentials.map(String))).toEqual(new Set([String(Object.values(headers))]));
  expect(mock.requests.map(({ path }) => path).join()).toContain('user_id=a%20b%26c%3Dd%2F%C3%A9');
});

function pickDistinct(findings: Finding[]): Finding[] {
  const findingByRequestKind = new Map<string, Finding>();
  for (const finding of findings) findingByRequestKind.set(finding.exchange.replace(/\d+/g, '0'), finding);
  return [...findingByRequestKind.values()].slice(0, 3);
}

test('the command names credentials as variables, and shows no value', () => {
  const command = buildCurlCommand({
    ...usual,
    headers: { 'X-Secret-Name': 'secret' },
    authModule: 'secret.ts',
    transport: {
      proxy: undefined,
      clientCertificate: 'secret.p12',
      passphrase: 'secret',
      allowInvalidCertificates: true,
    },
  });
  for (const name of ['API_HEADERS', 'AUTH_HEADER', 'CLIENT_CERT', 'CLIENT_CERT_PASSPHRASE'])
    expect(command).toContain(`"\${${name}:?}"`);
  expect(command).toMatch(/ --cert-type P12 .* -k$/);
  expect(command).not.toMatch(/secret/i);
});

test('the jq path ends before a name that may be withheld', () => {
  expect(adaptCurlOutput('c', '/data/customers/17/uuid')).toBe("c | jq '.data.customers[17].uuid'");
  expect(adaptCurlOutput('c', `/data/\uE000it's/x`)).toBe("c | jq '.data'");
  expect(adaptCurlOutput('c', '/(name of 3 characters)')).toBe("c | jq '.'");
  expect(adaptCurlOutput(plainCurl, 'http')).toBe(`${plainCurl} -i`);
  expect(adaptCurlOutput('c', 'http')).toBe('c');
});

test('an error response, and a variable that is not set, print no null that looks like the broken value', async () => {
  const mock = await startMock();
  const env = { BASE_URL: mock.url, NO_CARDS: '00000000-0000-4000-8000-000000000000' };
  const runCommand = (variable: string, isPlain: boolean) => {
    const path = `/svc/ts/api/v1/openapi/cards/${buildIdentifierExpression(variable, 0, isPlain)}`;
    return runInShell(adaptCurlOutput(`${plainCurl} ${quoteAddressForShell(path)}`, '/data/card/title'), env);
  };
  try {
    for (const isPlain of [true, false]) {
      const [missing, unset] = [await runCommand('NO_CARDS', isPlain), await runCommand('CARD_IDS', isPlain)];
      expect(missing).toMatch(/^curl: \(22\) .* 404$/);
      expect(unset).toMatch(/CARD_IDS: parameter/);
      expect(`${missing}\n${unset}`).not.toMatch(/^null$/m);
    }
    await expect(runInShell(`${plainCurl} ${quoteAddressForShell('')}`, {})).rejects.toThrow(
      /BASE_URL: parameter/,
    );
  } finally {
    await mock.close();
  }
});

/** Value of `CARD_IDS` and the index of an identifier: `['a, b , c', 1]` means `b`. */
const lists: [text: string, index: number][] = [
  ['a-1,b_2,c.3', 2],
  ['a, b , c', 1],
  [',a,,b', 1],
  ['a\n,b', 1],
  ['ü/?,b c', 0],
  ['ü/?,b c', 1],
];

test('the command for a field with another name shows the received value', async () => {
  const alter = altering('getFeeRules', (response, request) => {
    const renamed = set('data/fee_rules/0/p_user_id', 'the-user')(response, request);
    return renamed && set('data/fee_rules/0/user_id', undefined)(renamed, request);
  });
  const { findings } = await judgeMock({ alter });
  const finding = findings.find(({ kind, pointer }) => kind === 'deviation' && pointer.endsWith('/user_id'));
  const mock = await startMock({ alter });
  const env = { BASE_URL: mock.url, USER_IDS: knownIdentifiers.USER_IDS?.join() ?? '' };
  const output = await runInShell(finding?.repeat ?? '', env).finally(mock.close);
  expect(output).toBe('"the-user"');
});

test('the command finds any identifier of a list, encoded for an address', async () => {
  for (const [CARD_IDS, index] of lists) {
    const { target } = readConfiguration({ CARD_IDS }, '/nonexistent');
    const argument = listConfiguredArguments(target, 'CARD_IDS')[index];
    const identifier = await runInShell(`printf %s "${argument?.shell}"`, { CARD_IDS });
    expect(identifier, CARD_IDS).toBe(encodeURIComponent(argument?.value ?? ''));
  }
});

test('the command for a field of a card has at most 160 characters', async () => {
  const { findings } = await judgeMock({
    alter: altering('getCard', set('data/card/limits/0/limit_amount', 7)),
  });
  const commands = findings
    .filter(({ pointer }) => pointer.endsWith('limit_amount'))
    .map(({ repeat = '' }) => repeat.replace(/\$\{BASE_URL:\?\}/, ''));
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) expect(command.length, command).toBeLessThanOrEqual(160);
});
