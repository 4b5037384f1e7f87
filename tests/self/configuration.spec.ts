import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from '@playwright/test';
import { identifiers } from '../../mock/seed.ts';
import { identifierVariables } from '../client/identifier-variables.ts';
import { readConfiguration, type Target } from '../client/target.ts';

const root = new URL('../../', import.meta.url);
const nowhere = '/nonexistent/.env';
const read = (env: Record<string, string>, dotenv = nowhere) => readConfiguration(env, dotenv);
const remote = { BASE_URL: 'https://api.example.com' };

test('without any variable the mock is judged', () => {
  expect(read({})).toEqual({
    problems: [],
    target: {
      name: 'mock',
      baseUrl: undefined,
      identifiers,
      profile: 'observed',
      headers: {},
      authModule: undefined,
      transport: { proxy: undefined, clientCertificate: undefined, allowSelfSigned: false },
      timeoutMs: 10_000,
      maxRps: Number.POSITIVE_INFINITY,
      maxPages: 3,
      undeclaredFields: 'report',
      minCoverage: 100,
      reportsDir: path.resolve('reports'),
      probes: true,
      failOnServerError: false,
      fuzzRequests: 0,
      fuzzSeed: undefined,
      record: false,
      recordFile: path.resolve('observed/mock.json'),
      failOnDrift: false,
    },
  });
});

const noIdentifiers = { CARD_IDS: [], CUSTOMER_IDS: [], USER_IDS: [] };

test('another target has no identifiers, a limit of its rate, and no gate on coverage', () => {
  const { target, problems } = read(remote);
  expect(problems).toEqual([]);
  expect(target).toMatchObject({ identifiers: noIdentifiers, maxRps: 10, minCoverage: 0 });
  expect(target).toMatchObject({ name: 'api.example.com', baseUrl: 'https://api.example.com' });
});

test('an empty variable is one that is not set', () => {
  const empty = Object.fromEntries(documented().map((name) => [name, '']));
  expect(read(empty)).toEqual(read({}));
});

const good: [variable: string, text: string, Partial<Target>][] = [
  ['BASE_URL', 'http://localhost:4010', { baseUrl: 'http://localhost:4010', name: 'localhost:4010' }],
  ['BASE_URL', 'https://example.com/a/b//', { baseUrl: 'https://example.com/a/b', name: 'example.com' }],
  ['BASE_URL', 'http://[::1]:80', { baseUrl: 'http://[::1]:80', name: '[::1]' }],
  ['BASE_URL', ' http://example.com/a/ \n', { baseUrl: 'http://example.com/a', name: 'example.com' }],
  [
    'BASE_URL',
    'http://%C3%A9:p@example.com',
    { baseUrl: 'http://%C3%A9:p@example.com', name: 'example.com' },
  ],
  ['TARGET_NAME', 'staging', { name: 'staging' }],
  ['CARD_IDS', ' a, b ,,a', { identifiers: { CARD_IDS: ['a', 'b'] } }],
  ['CUSTOMER_IDS', 'a', { identifiers: { CUSTOMER_IDS: ['a'] } }],
  ['USER_IDS', 'ü/?,b', { identifiers: { USER_IDS: ['ü/?', 'b'] } }],
  ['PROFILE', 'documented', { profile: 'documented' }],
  ['API_HEADERS', '{"X-Api-Key":"k","A":""}', { headers: { 'X-Api-Key': 'k', A: '' } }],
  ['AUTH_MODULE', 'tests/setup.ts', { authModule: 'tests/setup.ts' }],
  ['REQUEST_TIMEOUT_MS', '1', { timeoutMs: 1 }],
  ['MAX_RPS', '0.5', { maxRps: 0.5 }],
  ['MAX_PAGES', '10', { maxPages: 10 }],
  ['UNDECLARED_FIELDS', 'fail', { undeclaredFields: 'fail' }],
  ['MIN_COVERAGE', '0', { minCoverage: 0 }],
  ['MIN_COVERAGE', '99.5', { minCoverage: 99.5 }],
  ['REPORTS_DIR', 'out/a', { reportsDir: path.resolve('out/a') }],
  ['REPORTS_DIR', '/tmp/out', { reportsDir: '/tmp/out' }],
  ['PROBES', 'off', { probes: false }],
  ['FAIL_ON_SERVER_ERROR', '1', { failOnServerError: true }],
  ['FUZZ_REQUESTS', '200', { fuzzRequests: 200 }],
  ['FUZZ_SEED', '0', { fuzzSeed: 0 }],
  ['RECORD', '1', { record: true }],
  ['RECORD_FILE', 'a/b.json', { recordFile: path.resolve('a/b.json') }],
  ['TARGET_NAME', 'a/b:1', { recordFile: path.resolve('observed/a-b-1.json') }],
  ['FAIL_ON_DRIFT', '1', { failOnDrift: true }],
];

for (const [variable, text, part] of good) {
  test(`${variable}=${text} is understood`, () => {
    const { target, problems } = read({ [variable]: text });
    expect(problems).toEqual([]);
    expect(target).toMatchObject(part);
  });
}

/** Headers with which a conforming target would be another one, or none. */
const reserved = [
  ...[
    'Content-Length',
    'Transfer-Encoding',
    'Host',
    'Connection',
    'Keep-Alive',
    'Upgrade',
    'TE',
    'Trailer',
    'Expect',
  ],
  ...['Accept-Encoding', 'Range', 'If-None-Match', 'If-Modified-Since', 'X-HTTP-Method-Override'],
];

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
  ['PROFILE', secret, /one of: observed, documented/],
  ['PROFILE', 'ProbeAnswer', /one of: observed, documented/],
  ['UNDECLARED_FIELDS', secret, /one of: report, fail/],
  ['REQUEST_TIMEOUT_MS', secret, /number of at least 1/],
  ['REQUEST_TIMEOUT_MS', '0', /number of at least 1/],
  ['REQUEST_TIMEOUT_MS', '10s', /number of at least 1/],
  ['MAX_RPS', '0', /number of at least/],
  ['MAX_RPS', 'Infinity', /number of at least/],
  ['MAX_PAGES', '-1', /number of at least 1/],
  ['PROBES', secret, /one of: on, off/],
  ['FUZZ_REQUESTS', '-1', /number of at least 0/],
  ['FUZZ_SEED', secret, /number of at least 0/],
  ['RECORD', secret, /one of: 0, 1/],
  ['FAIL_ON_DRIFT', secret, /one of: 0, 1/],
  ['FAIL_ON_SERVER_ERROR', secret, /one of: 0, 1/],
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
  ...reserved.map((name): (typeof bad)[number] => [
    'API_HEADERS',
    `{"${name}":"${secret}"}`,
    new RegExp(`sets ${name.toLowerCase()}, which only the client itself may set`),
  ]),
  ['API_HEADERS', `{"Proxy-${secret}":"a"}`, /sets proxy-\*, which/],
  ['AUTH_MODULE', `/nonexistent/${secret}`, /does not exist/],
  ['AUTH_MODULE', '/', /names a folder/],
  ['CLIENT_CERT', '/', /together|names a folder/],
  ['CLIENT_KEY', '/', /together|names a folder/],
  ['NODE_EXTRA_CA_CERTS', '/', /names a folder/],
  ['CLIENT_CERT', `/nonexistent/${secret}`, /together|does not exist/],
  ['CLIENT_KEY', `/nonexistent/${secret}`, /together|does not exist/],
  ['NODE_EXTRA_CA_CERTS', `/nonexistent/${secret}`, /does not exist/],
  ['ALLOW_SELF_SIGNED', secret, /one of: 0, 1/],
];

for (const [variable, text, says] of bad) {
  test(`${variable}=${text} is refused by its name, and not repeated`, () => {
    const { problems } = read({ [variable]: text });
    const own = problems.filter((problem) => problem.includes(variable));
    expect(problems).toEqual(own);
    expect(problems.filter((problem) => says.test(problem))).not.toEqual([]);
    expect(problems.join()).not.toMatch(/s3cr3t|\n/);
  });
}

test('a client certificate that cannot be used is a mistake before anything is sent', () => {
  const file = test.info().outputPath('client.pem');
  writeFileSync(file, 'no PEM');
  const { problems } = read({ CLIENT_CERT: file, CLIENT_KEY: file });
  expect(problems).toEqual([
    expect.stringContaining('the client certificate cannot be used: check CLIENT_CERT'),
  ]);
});

for (const proxy of [`socks5://${secret}.example.com`, `${secret}:3128`, `http://%C3:%A9${secret}@proxy`]) {
  test(`HTTPS_PROXY=${proxy} is refused by its name, and not repeated`, () => {
    const { problems } = read({ ...remote, HTTPS_PROXY: proxy });
    expect(problems).toEqual([expect.stringMatching(/^HTTP_PROXY and HTTPS_PROXY must be http/)]);
    expect(problems.join()).not.toContain(secret);
  });
}

test('all mistakes are told at once, each by the name of its variable', () => {
  const variables = [...new Set(bad.map(([variable]) => variable))];
  const { problems } = read(Object.fromEntries(bad.map(([variable, text]) => [variable, text])));
  expect(variables.filter((variable) => !problems.some((problem) => problem.includes(variable)))).toEqual([]);
});

test('.env is read, and never overrides the environment', () => {
  const file = test.info().outputPath('.env');
  writeFileSync(
    file,
    `# note\nTARGET_NAME="from the file"\nMAX_PAGES=7\nPROFILE=wrong\nAPI_HEADERS='{"A":"b c"}'\n`,
  );
  const { target, problems } = read({ MAX_PAGES: '5', PROFILE: 'documented' }, file);
  expect(problems).toEqual([]);
  expect(target).toMatchObject({
    name: 'from the file',
    maxPages: 5,
    profile: 'documented',
    headers: { A: 'b c' },
  });
});

test('an .env that cannot be read is a mistake, and one that is not there is none', () => {
  const folder = test.info().outputPath('.env');
  mkdirSync(folder, { recursive: true });
  expect(read({}, folder).problems).toEqual([expect.stringMatching(/^\.env cannot be read \(EISDIR\)/)]);
  expect(read({}, nowhere).problems).toEqual([]);
});

/** Variables of `.env.example`, each of them commented out. */
function documented(): string[] {
  const text = readFileSync(new URL('.env.example', root), 'utf8');
  return [...text.matchAll(/^#([A-Z_]+)=/gm)].map(([, name = '']) => name);
}

/** Words in capitals that are no variables of ours. */
const others = 'DEBUG NODE_DEBUG PWDEBUG ENOENT JSON HTTP MAX_SAFE_INTEGER POSITIVE_INFINITY README'.split(
  ' ',
);

test('.env.example documents the variables that are read, and no others', () => {
  const files = ['tests/client/target.ts', 'tests/client/transport.ts'];
  const source = files.map((file) => readFileSync(new URL(file, root), 'utf8')).join('\n');
  const words = new Set([...(source.match(/\b[A-Z][A-Z_]{3,}\b/g) ?? []), ...identifierVariables()]);
  expect(documented().sort()).toEqual([...words].filter((word) => !others.includes(word)).sort());
});

test('.env.example sets nothing, and says of each variable in one or two lines what it is', () => {
  const text = readFileSync(new URL('.env.example', root), 'utf8');
  expect(parseEnv(text)).toEqual({});
  const [, ...paragraphs] = text.trim().split('\n\n');
  expect(paragraphs.filter((lines) => !/^(# .{10,}\n){1,2}#[A-Z_]+=.*$/.test(lines))).toEqual([]);
  expect(paragraphs).toHaveLength(documented().length);
});
