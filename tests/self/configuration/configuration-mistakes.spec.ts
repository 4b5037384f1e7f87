import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { readConfiguration } from '../../../src/run/target.ts';
import { writeTestFile } from '../harness/whole-run.ts';

const readVariables = (env: Record<string, string>) => readConfiguration(env, '/nonexistent/.env');

const secret = 's3cr3t';
const mistakeRows: [variable: string, text: string, messagePattern: RegExp][] = [
  ['BASE_URL', secret, /not a URL/],
  ['BASE_URL', `ftp://${secret}.example.com`, /http:\/\/ or https:\/\//],
  ['BASE_URL', `https://example.com/${secret}?`, /query/],
  ['BASE_URL', `https://example.com/${secret}/#`, /fragment/],
  ['BASE_URL', `https://example.com/a ${secret}`, /not a URL/],
  ['BASE_URL', `https://exam\nple.com/${secret}`, /not a URL/],
  ['BASE_URL', `https://${secret}:100%@example.com`, /user or password that is not escaped/],
  ['BASE_URL', `https://${secret}/svc/ts/api/v1/openapi/cards/1`, /contains \S+\/openapi\/cards, which/],
  ['BASE_URL', `https://${secret}/svc/payment/api/v1/openapi`, /openapi, .*: remove that part$/],
  ['TARGET_NAME', `${secret}\n## pass`, /one line/],
  ['TARGET_NAME', `${secret.repeat(33)}abc`, /at most 200 printable characters/],
  ['PROFILE', secret, /one of: observed, documented/],
  ['FAIL_ON', `drfit,${secret}`, /^FAIL_ON must be a list of: undeclared, server-errors, drift, unjudged, -/],
  ['FAIL_ON', 'drift,server-error', /^FAIL_ON has server-error, and must be a list of: undeclared, /],
  ['FAIL_ON', 'unjudged,drift,-unjudged', /^FAIL_ON has both unjudged and -unjudged: leave one of them out$/],
  ['SWEEP', secret, /^SWEEP must be all, off, a number such as 5000, or 5000:42 with a seed$/],
  ['SWEEP', '5000:', /must be all/],
  ['SWEEP', 'all:42', /must be all/],
  ['RESUME', '1', /^RESUME=1 continues a sweep, but none is set: set SWEEP/],
  ['REQUEST_TIMEOUT_MS', '0', /number from 1 to 2147483647$/],
  ['REQUEST_TIMEOUT_MS', '10s', /number from 1 to 2147483647$/],
  ['MAX_RPS', '0', /number of at least 0.01$/],
  ['MIN_COVERAGE', '-1', /number from 0 to 100$/],
  ['MIN_COVERAGE', '100.5', /number from 0 to 100$/],
  ['MIN_COVERAGE', ' ', /number from 0 to 100$/],
  ['MAX_BODY_MB', '501', /number from 0.001 to 500$/],
  ['PROBES', secret, /^PROBES must be off, on, record, a number such as/],
  ['CARD_IDS', ' , ', /^CARD_IDS holds no identifier: write some, separated by commas, or unset it$/],
  ['CARD_IDS', `${secret},..`, /name another path in an address/],
  ['CARD_IDS', `@${secret}`, /^CARD_IDS names a file that does not exist$/],
  ['USER_IDS', '@john.doe', /^USER_IDS names a file that does not exist$/],
  ['CARD_IDS', '@no/cards.txt', /^CARD_IDS names no\/cards.txt, a file that does not exist$/],
  ['API_HEADERS', `X-Api-Key: ${secret}`, /is no JSON object/],
  ['API_HEADERS', `["${secret}"]`, /is no JSON object/],
  ['API_HEADERS', `{"Proxy-A":"${secret}","Proxy-B":"b"}`, /sets proxy-\*, which only/],
  ['API_HEADERS', `{"X-Api-Key":["${secret}"]}`, /HTTP does not allow/],
  ['API_HEADERS', `{"X-Api-Key":"${secret}\\nX-Other: 1"}`, /HTTP does not allow/],
  ['API_HEADERS', `{"${secret} key":"a"}`, /HTTP does not allow/],
  ['API_HEADERS', `{"x-key":"${secret}","X-Key":"a"}`, /a header twice/],
  ['API_HEADERS', `{"Proxy-${secret}":"a"}`, /sets proxy-\*, which/],
  [
    'CUSTOM_TESTS',
    'docs/examples',
    /^CUSTOM_TESTS names docs\/examples, which has no test file, such as a.spec.mts$/,
  ],
  ['AUTH_MODULE', `/nonexistent/${secret}`, /does not exist/],
];

for (const [variable, text, messagePattern] of mistakeRows) {
  test(`${variable}=${text} is rejected with its name and without its secret`, () => {
    const { problems } = readVariables({ [variable]: text });
    const problemsOfVariable = problems.filter((problem) => problem.includes(variable));
    expect(problems).toEqual(problemsOfVariable);
    expect(problems.filter((problem) => messagePattern.test(problem))).not.toEqual([]);
    expect(problems.join()).not.toMatch(/s3cr3t|\n/);
  });
}

test('a header that would change the responses of a conforming target is rejected', () => {
  const framingHeaders =
    'Content-Length Transfer-Encoding Host Connection Keep-Alive Upgrade TE Trailer Expect Accept';
  const alteringHeaders =
    'Accept-Encoding Range If-None-Match If-Modified-Since X-HTTP-Method-Override __proto__';
  for (const name of `${framingHeaders} ${alteringHeaders}`.split(' ')) {
    const message = `API_HEADERS sets ${name.toLowerCase()}, which only the client itself may set`;
    expect(readVariables({ API_HEADERS: `{"${name}":"${secret}"}` }).problems).toEqual([
      expect.stringContaining(message),
    ]);
  }
});

const remoteSettings = { BASE_URL: 'https://api.example.com' };
const clientSettings = {
  TOKEN_URL: 'https://login.example.com/token',
  CLIENT_ID: 'a',
  CLIENT_SECRET: secret,
};
const proxyMessage = 'HTTP_PROXY and HTTPS_PROXY must be http';
const combinationRows: [env: Record<string, string>, message: string][] = [
  [{ HTTPS_PROXY: `socks5://${secret}.example.com` }, proxyMessage],
  [{ HTTPS_PROXY: `http://%C3:%A9${secret}@proxy` }, proxyMessage],
  [{ ...clientSettings, CLIENT_SECRET: '' }, 'TOKEN_URL needs CLIENT_ID and CLIENT_SECRET'],
  [{ ...clientSettings, TOKEN_URL: 'login' }, 'TOKEN_URL is not a URL: give scheme and host'],
  [
    { ...clientSettings, API_HEADERS: '{"Authorization":"a"}' },
    'API_HEADERS and TOKEN_URL both set authorization',
  ],
  [
    { ...clientSettings, BASE_URL: 'https://u@a.example' },
    'the user in BASE_URL and TOKEN_URL both set authorization',
  ],
  [
    { BASE_URL: 'https://:p@a.example', API_HEADERS: '{"Authorization":"a"}' },
    'API_HEADERS and the user in BASE_URL both set authorization',
  ],
  [{ DEBUG: 'https-proxy-agent' }, 'DEBUG would print addresses and headers unredacted: unset it'],
  [{ API_HEADERS: '{"Traceparent":"a"}' }, 'API_HEADERS and REQUEST_ID both set traceparent'],
];

for (const [env, message] of combinationRows)
  test(`${JSON.stringify(env)} is rejected in one sentence without a secret`, () => {
    const { problems } = readVariables({ ...remoteSettings, ...env });
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems.join()).not.toContain(secret);
  });

const specialFileRows: [kind: string, createAt: (file: string) => void, message: string][] = [
  ['a pipe', (file) => execFileSync('mkfifo', [file]), 'no regular file'],
  ['a folder', (file) => mkdirSync(file), 'a folder'],
  ['a link to nothing', (file) => symlinkSync('nowhere', file), 'a file that does not exist'],
];

for (const [kind, createAt, message] of specialFileRows)
  test(`${kind} is rejected as a file and not opened`, () => {
    const file = test.info().outputPath('special');
    createAt(file);
    const { problems } = readConfiguration({ AUTH_MODULE: file, CLIENT_CERT: file, BASE_URL: 'mock' }, file);
    const sentences = ['.env is', 'AUTH_MODULE names', 'CLIENT_CERT names'].map(
      (name) => `${name} ${message}`,
    );
    expect(problems.sort()).toEqual(sentences.map((sentence) => expect.stringContaining(sentence)));
  });

test('a file without identifiers is rejected in one sentence', () => {
  const { problems } = readVariables({ CARD_IDS: `@${writeTestFile('none.txt', '\uFEFF\n \n')}` });
  expect(problems).toEqual([expect.stringMatching(/none.txt, a file without an identifier: write/)]);
});

test('a custom test that Node would load as CommonJS is rejected with the name that it needs', () => {
  // Playwright ignores the case of `.Spec`.
  const CUSTOM_TESTS = path.dirname(writeTestFile('a.Spec.ts', ''));
  writeTestFile('b.spec.mts', '');
  // The nearest `package.json` is that of the suite, whose type is `module`.
  expect(readVariables({ CUSTOM_TESTS }).problems).toEqual([]);
  writeTestFile('package.json', '{}');
  const message = 'CUSTOM_TESTS has a.Spec.ts: outside of this project, name it a.Spec.mts';
  expect(readVariables({ CUSTOM_TESTS }).problems).toEqual([message]);
});

test('CUSTOM_TESTS may be a symbolic link to the folder of custom tests', () => {
  writeTestFile('a.spec.mts', '');
  const CUSTOM_TESTS = `${test.info().outputDir}-link`;
  symlinkSync(test.info().outputDir, CUSTOM_TESTS);
  expect(readVariables({ CUSTOM_TESTS }).problems).toEqual([]);
});
