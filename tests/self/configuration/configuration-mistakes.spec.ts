import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { readRegularFile } from '../../../src/client/files.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { formerVariables } from '../../../src/run/variable-table.ts';

const read = (env: Record<string, string>) => readConfiguration(env, '/nonexistent/.env');

/** Headers with which a conforming target would be another one, or none. */
const reserved =
  'Content-Length Transfer-Encoding Host Connection Keep-Alive Upgrade TE Trailer Expect Accept __proto__ Accept-Encoding Range If-None-Match If-Modified-Since X-HTTP-Method-Override';

/** What is written instead of a value: never to be repeated, for a header's value is a secret. */
const secret = 's3cr3t';
const bad: [variable: string, text: string, says: RegExp][] = [
  ['BASE_URL', secret, /not a URL/],
  ['BASE_URL', `ftp://${secret}.example.com`, /http:\/\/ or https:\/\//],
  ['BASE_URL', `https://example.com?key=${secret}`, /query/],
  ['BASE_URL', `https://example.com#${secret}`, /fragment/],
  ['BASE_URL', `https://example.com/${secret}?`, /query/],
  ['BASE_URL', `https://example.com/${secret}/#`, /fragment/],
  ['BASE_URL', `https://example.com/a ${secret}`, /not a URL/],
  ['BASE_URL', `https://exam\nple.com/${secret}`, /not a URL/],
  ['BASE_URL', `https://%C3:%A9${secret}@example.com`, /user or password that is not escaped/],
  ['BASE_URL', `https://${secret}:100%@example.com`, /user or password that is not escaped/],
  ['TARGET_NAME', `${secret}\n## pass`, /one line/],
  ['TARGET_NAME', `\u202e${secret}`, /printable/],
  ['TARGET_NAME', secret.repeat(40), /at most 200 printable characters/],
  ['PROFILE', secret, /one of: observed, documented/],
  ['PROFILE', 'Observed', /one of: observed, documented/],
  ['FAIL_ON', `drift,${secret}`, /must be a list of: undeclared, server-errors, drift, unjudged, -unjudged$/],
  ['SWEEP', secret, /^SWEEP must be all, off, a number such as 5000, or 5000:42 with a seed$/],
  ['SWEEP', '-5', /must be all/],
  ['SWEEP', '5000:', /must be all/],
  ...[secret, '0', '10s', '2147483648', '99999999999'].map((text): (typeof bad)[number] => [
    'REQUEST_TIMEOUT_MS',
    text,
    /number from 1 to 2147483647$/,
  ]),
  ['MAX_RPS', '0', /number of at least/],
  ['MAX_RPS', 'Infinity', /number of at least/],
  ['PROBES', secret, /^PROBES must be off, on, record, a number such as/],
  ['PROBES', '-1', /must be off/],
  ['PROBES', '200:x', /must be off/],
  ['CARD_IDS', ' , ', /^CARD_IDS holds no identifier: write some, separated by commas, or unset it$/],
  ['CARD_IDS', `${secret},..`, /name another path in an address/],
  ['CARD_IDS', `@/nonexistent/${secret}`, /^CARD_IDS names a file that does not exist$/],
  ['MIN_COVERAGE', '101', /number from 0 to 100/],
  ['MIN_COVERAGE', '80%', /number from 0 to 100/],
  ['API_HEADERS', `X-Api-Key: ${secret}`, /is not JSON/],
  ['API_HEADERS', `"${secret}"`, /is not an object/],
  ['API_HEADERS', `["${secret}"]`, /is not an object/],
  ['API_HEADERS', 'null', /is not an object/],
  ['API_HEADERS', `{"X-Api-Key":["${secret}"]}`, /a value that is not a string/],
  ['API_HEADERS', `{"X-Api-Key":"${secret}\\n"," ":""}`, /HTTP does not allow/],
  ['API_HEADERS', `{"X-Api-Key":"${secret}\\nX-Other: 1"}`, /HTTP does not allow/],
  ['API_HEADERS', `{"${secret} key":"a"}`, /HTTP does not allow/],
  ['API_HEADERS', `{"x-key":"${secret}","X-Key":"a"}`, /a header twice/],
  ['API_HEADERS', `{"X-Api-Key":"${secret}\\u0001"}`, /HTTP does not allow/],
  ...reserved
    .split(' ')
    .map((name): (typeof bad)[number] => [
      'API_HEADERS',
      `{"${name}":"${secret}"}`,
      new RegExp(`sets ${name.toLowerCase()}, which only the client itself may set`),
    ]),
  ['API_HEADERS', `{"Proxy-${secret}":"a"}`, /sets proxy-\*, which/],
  ['AUTH_MODULE', `/nonexistent/${secret}`, /does not exist/],
  ['AUTH_MODULE', '/', /names a folder/],
  ['CLIENT_CERT', '/', /names a folder/],
  ['CLIENT_CERT', `/nonexistent/${secret}`, /does not exist/],
  ['ALLOW_INVALID_CERTIFICATES', secret, /one of: 0, 1/],
];

for (const [variable, text, says] of bad) {
  test(`${variable}=${text} is rejected by its name, and not repeated`, () => {
    const { problems } = read({ [variable]: text });
    const own = problems.filter((problem) => problem.includes(variable));
    expect(problems).toEqual(own);
    expect(problems.filter((problem) => says.test(problem))).not.toEqual([]);
    expect(problems.join()).not.toMatch(/s3cr3t|\n/);
  });
}

for (const proxy of [`socks5://${secret}.example.com`, `${secret}:3128`, `http://%C3:%A9${secret}@proxy`]) {
  test(`HTTPS_PROXY=${proxy} is rejected by its name, and not repeated`, () => {
    const { problems } = read({ BASE_URL: 'https://api.example.com', HTTPS_PROXY: proxy });
    expect(problems).toEqual([expect.stringMatching(/^HTTP_PROXY and HTTPS_PROXY must be http/)]);
    expect(problems.join()).not.toContain(secret);
  });
}

test('a variable that was taken away is one sentence, with what to do instead', () => {
  const files = { CARD_IDS_FILE: 'set CARD_IDS=@ and the name of the file' };
  for (const [name, instead] of Object.entries({ ...formerVariables, ...files }))
    expect(read({ [name]: secret }).problems).toEqual([`${name} is no variable any more: ${instead}`]);
});

test('all mistakes are reported at once, each by the name of its variable', () => {
  const variables = [...new Set(bad.map(([variable]) => variable))];
  const { problems } = read(Object.fromEntries(bad.map(([variable, text]) => [variable, text])));
  expect(variables.filter((variable) => !problems.some((problem) => problem.includes(variable)))).toEqual([]);
});

const fileVariables = 'AUTH_MODULE CLIENT_CERT'.split(' ');

/** A pipe that nobody writes to: reading it never ends. */
function pipe(): string {
  const file = test.info().outputPath('pipe');
  execFileSync('mkfifo', [file]);
  return file;
}

for (const [kind, special] of [
  ['a device', () => '/dev/null'],
  ['a pipe', pipe],
] as const) {
  test(`${kind} is no file that can be configured, and is not opened`, () => {
    const file = special();
    const env = Object.fromEntries(fileVariables.map((name) => [name, file]));
    const { problems } = readConfiguration({ ...env, BASE_URL: 'mock' }, file);
    expect(problems.sort()).toEqual([
      '.env is no regular file; correct or remove it',
      ...fileVariables.map((name) => `${name} names no regular file`),
    ]);
  });
}

test('a file larger than its limit is not read', () => {
  const file = test.info().outputPath('large');
  writeFileSync(file, Buffer.alloc(1025 * 1024));
  expect(() => readRegularFile(file, 1024 * 1024)).toThrow('a file of more than 1 MiB');
});
