import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { answerQuestions } from '../harness/observing.ts';
import { noDotenv } from '../harness/project-files.ts';
import type { ProviderOptions } from '../harness/provider.ts';

test.setTimeout(120_000);

const probingEnv = { PROBES: 'on', TARGET_NAME: 'staging', REQUEST_TIMEOUT_MS: '1500' };
const listServerErrors = ({ findings }: { findings: { kind: string; actual: string; exchange: string }[] }) =>
  findings.filter(({ kind }) => kind === 'server error');

const failEnv = { FAIL_ON: 'server-errors' };
const rejectionRows: [
  name: string,
  rejection: 'http-500' | 'silence',
  actual: RegExp,
  env: object,
  verdict: string,
][] = [
  ['answers 500 to', 'http-500', /^server error 500$/, failEnv, 'fail'],
  ['never answers', 'silence', /^no complete response within 1500 ms/, {}, 'pass'],
];

for (const [name, rejection, actual, env, verdict] of rejectionRows) {
  test(`the server errors of a target that ${name} each bad request are reported, and the verdict is ${verdict}`, async () => {
    const run = await runInProcessAgainst({ choices: { rejection } }, { ...probingEnv, ...env });
    expect(run.conformance).toMatchObject({ verdict });
    const errors = listServerErrors(run.conformance ?? { findings: [] });
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(errors.filter((error) => !actual.test(error.actual))).toEqual([]);
    expect(run.output).toContain('Server errors on bad input');
    for (const { exchange } of errors) expect(run.output).toContain(exchange);
    expect(run.files().find(({ name }) => name === 'conformance.md')?.text).toContain('### Server errors');
  });
}

test('a run whose bad input a gateway rejects does not pass the gate for server errors', async () => {
  let [answeredCount, ordinaryCount] = [0, Number.POSITIVE_INFINITY];
  const denyLaterRequests: Alter = (answer) => {
    answeredCount += 1;
    return answeredCount > ordinaryCount ? { ...answer, status: 401, body: {} } : answer;
  };
  const env = { ...probingEnv, REQUEST_TIMEOUT_MS: '10000', FAIL_ON: 'server-errors' };
  for (const PROBES of ['off', 'on']) {
    const run = await runInProcessAgainst({ alter: denyLaterRequests }, { ...env, PROBES });
    expect(run).toMatchObject({ code: 1, conformance: { verdict: 'error' } });
    expect(run.output).toContain(
      'could not be checked: expected no server error on bad input; got no response to bad input, which is sent only with PROBES=on\n',
    );
    [answeredCount, ordinaryCount] = [0, answeredCount];
  }
});

test('probes stop after three without a response, and the remaining answers are unknown', async () => {
  let isSilent = false;
  // Stays silent, so that no response comes between those that are missing.
  const alter: Alter = (response) => {
    isSilent ||= response.status >= 400;
    return isSilent ? { ...response, delayMs: 60_000 } : response;
  };
  const { observed, findings } = await answerQuestions({ network: true, alter }, { timeoutMs: 900 });
  const unansweredCount = findings.filter(({ kind }) => kind === 'server error').length;
  // Some requests are in flight when the third one fails, and the client retries a reset connection once.
  expect(unansweredCount).toBeGreaterThanOrEqual(3);
  expect(unansweredCount).toBeLessThanOrEqual(16);
  const unsentAnswers = observed.filter(({ evidence }) => evidence[0]?.includes('before it got no response'));
  expect(unsentAnswers.length).toBeGreaterThan(10);
});

test('the probe without credentials is sent if the target has credentials', async () => {
  const guardedProvider: ProviderOptions = {
    network: true,
    alter: (answer, { headers }) =>
      headers['x-api-key'] === 'secret-key' ? answer : { ...answer, status: 401, body: { code: 401 } },
  };
  const { answers, observed } = await answerQuestions(guardedProvider, {
    headers: { 'X-Api-Key': 'secret-key' },
  });
  expect(answers['no-credentials']).toBe('refused as 401');
  expect(observed.find(({ id }) => id === 'no-credentials')?.evidence[0]).toMatch(
    /without credentials: HTTP 401$/,
  );
});

test('a client certificate leaves open how the target responds without credentials', async () => {
  const { transport } = readConfiguration({}, noDotenv).target;
  const settings = { transport: { ...transport, clientCertificate: 'client.pem' } };
  const { answers } = await answerQuestions({}, settings);
  expect(answers['no-credentials']).toBe('unknown');
});
