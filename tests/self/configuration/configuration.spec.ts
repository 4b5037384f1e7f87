import path from 'node:path';
import { expect, test } from '@playwright/test';
import { knownIdentifiers } from '../../../mock/operations.ts';
import type { Target } from '../../../src/client/target.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { listKnownNames } from '../../../src/run/variable-names.ts';

const noIdentifiers = Object.fromEntries(Object.keys(knownIdentifiers).map((name) => [name, []]));
const readVariables = (env: Record<string, string>) => readConfiguration(env, '/nonexistent/.env');
const remoteSettings = { BASE_URL: 'https://api.example.com' };

test('the mock is judged if no variable is set', () => {
  expect(readVariables({})).toMatchObject({
    problems: [],
    target: {
      name: 'mock',
      isMock: true,
      baseUrl: undefined,
      identifiers: knownIdentifiers,
      profile: 'observed',
      headers: {},
      traceHeaders: 'traceparent',
      authModule: undefined,
      transport: { proxy: undefined, clientCertificate: undefined, allowInvalidCertificates: false },
      timeoutMs: 10_000,
      maxBodyBytes: 8 * 2 ** 20,
      maxRps: Number.POSITIVE_INFINITY,
      ...{
        sweep: 'off',
        resume: false,
        identifierFiles: {},
        probes: true,
        fuzzRequests: 0,
        recordsAnswers: false,
      },
      failOn: ['unjudged'],
      minCoverage: 100,
      reportsDir: path.resolve('reports/out'),
      notices: [],
    },
  });
});

test('another target has no identifiers, a rate limit, and no gate on coverage', () => {
  const { target, problems } = readVariables(remoteSettings);
  expect(problems).toEqual([]);
  const expectedName = { name: 'api.example.com', baseUrl: 'https://api.example.com' };
  expect(target).toMatchObject({ ...expectedName, identifiers: noIdentifiers, maxRps: 10, minCoverage: 0 });
});

test('an empty variable counts as unset', () => {
  const emptyVariables = Object.fromEntries(listKnownNames().map((name) => [name, '']));
  expect(readVariables(emptyVariables)).toEqual(readVariables({}));
});

const validRows: [variable: string, text: string, Partial<Target>][] = [
  ['BASE_URL', 'http://localhost:4010', { baseUrl: 'http://localhost:4010', name: 'localhost:4010' }],
  ['BASE_URL', 'https://example.com/a/b//', { baseUrl: 'https://example.com/a/b', name: 'example.com' }],
  ['BASE_URL', 'http://[::1]:80', { baseUrl: 'http://[::1]:80', name: '[::1]' }],
  ['BASE_URL', ' http://example.com/a/ \n', { baseUrl: 'http://example.com/a', name: 'example.com' }],
  ['TARGET_NAME', 'a'.repeat(200), { name: 'a'.repeat(200) }],
  ['CARD_IDS', ' a, b ,,a', { identifiers: { ...knownIdentifiers, CARD_IDS: ['a', 'b', 'a'] } }],
  ['USER_IDS', 'ü/?,b', { identifiers: { ...knownIdentifiers, USER_IDS: ['ü/?', 'b'] } }],
  ['PROFILE', 'documented', { profile: 'documented' }],
  ['API_HEADERS', '{"X-Api-Key":"k","A":""}', { headers: { 'X-Api-Key': 'k', A: '' } }],
  ['AUTH_MODULE', 'tests/setup.ts', { authModule: 'tests/setup.ts' }],
  ['REQUEST_TIMEOUT_MS', '2147483647', { timeoutMs: 2147483647 }],
  ['MAX_BODY_MB', '0.5', { maxBodyBytes: 2 ** 19 }],
  ['MAX_RPS', '0.5', { maxRps: 0.5 }],
  ['SWEEP', 'all', { sweep: 'all' }],
  ['SWEEP', '5000', { sweep: 5000, sweepSeed: undefined }],
  ['SWEEP', ' 5000:42 ', { sweep: 5000, sweepSeed: 42 }],
  ['MIN_COVERAGE', '0', { minCoverage: 0 }],
  ['REPORTS_DIR', 'out/a', { reportsDir: path.resolve('out/a') }],
  ['PROBES', '0', { probes: false }],
  ['FAIL_ON', 'server-errors, undeclared', { failOn: ['undeclared', 'server-errors', 'unjudged'] }],
  ['PROBES', '200', { probes: true, fuzzRequests: 200, fuzzSeed: undefined }],
  ['PROBES', '200:0', { probes: true, fuzzRequests: 200, fuzzSeed: 0 }],
  ['PROBES', 'record', { probes: true, fuzzRequests: 0, recordsAnswers: true }],
  ['FAIL_ON', 'unjudged', { failOn: ['unjudged'] }],
  ['TARGET_NAME', 'a/b:1', { answersFile: path.resolve('observed/a-b-1.json') }],
];

for (const [variable, text, expectedTarget] of validRows) {
  test(`${variable}=${text} is accepted`, () => {
    const { target, problems } = readVariables({ BASE_URL: 'mock', [variable]: text });
    expect(problems).toEqual([]);
    expect(target).toMatchObject(expectedTarget);
  });
}

test('a run must judge a response of each operation, in CI and elsewhere, unless FAIL_ON or TRAFFIC says otherwise', () => {
  for (const CI of ['1', '']) {
    const readFailOn = (env: Record<string, string>) =>
      readVariables({ CI, ...remoteSettings, ...env }).target.failOn;
    expect(readFailOn({})).toEqual(['unjudged']);
    expect(readFailOn({ FAIL_ON: 'undeclared' })).toEqual(['undeclared', 'unjudged']);
    expect(readFailOn({ FAIL_ON: 'undeclared,-unjudged' })).toEqual(['undeclared', '-unjudged']);
    expect(readFailOn({ TRAFFIC: 'package.json' })).toEqual([]);
    expect(readFailOn({ TRAFFIC: 'package.json', FAIL_ON: 'unjudged' })).toEqual(['unjudged']);
  }
});
