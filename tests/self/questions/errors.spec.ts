import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { behaviourOf } from '../harness/observing.ts';
import type { Judged } from '../harness/provider.ts';

test.setTimeout(120_000);

const probing = { PROBES: 'on', TARGET_NAME: 'staging', REQUEST_TIMEOUT_MS: '1500' };
const serverErrors = ({ findings }: { findings: { kind: string; actual: string; exchange: string }[] }) =>
  findings.filter(({ kind }) => kind === 'server error');

const fails = { FAIL_ON: 'server-errors' };
const bad: [name: string, rejection: 'http-500' | 'silence', actual: RegExp, env: object, verdict: string][] =
  [
    ['answers 500 to', 'http-500', /^server error 500$/, fails, 'fail'],
    ['never answers', 'silence', /^no complete answer within 1500 ms/, {}, 'pass'],
  ];

for (const [name, rejection, actual, env, verdict] of bad) {
  test(`a target that ${name} each bad request has its server errors shown, and is a ${verdict} as configured`, async () => {
    const run = await runInProcessAgainst({ choices: { rejection } }, { ...probing, ...env });
    expect(run.conformance).toMatchObject({ verdict });
    const errors = serverErrors(run.conformance ?? { findings: [] });
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(errors.filter((one) => !actual.test(one.actual))).toEqual([]);
    expect(run.output).toContain('Server errors on bad input');
    for (const { exchange } of errors) expect(run.output).toContain(exchange);
    expect(run.files().find(({ name }) => name === 'conformance.md')?.text).toContain('### Server errors');
  });
}

test('where no bad input is answered, as by a gateway, that no server error was seen is no pass', async () => {
  let [answered, ordinary] = [0, Number.POSITIVE_INFINITY];
  const denying: Alter = (answer) => {
    answered += 1;
    return answered > ordinary ? { ...answer, status: 401, body: {} } : answer;
  };
  const env = { ...probing, REQUEST_TIMEOUT_MS: '10000', FAIL_ON: 'server-errors' };
  for (const PROBES of ['off', 'on']) {
    const run = await runInProcessAgainst({ alter: denying }, { ...env, PROBES });
    expect(run).toMatchObject({ code: 1, conformance: { verdict: 'error' } });
    expect(run.output).toContain('got no request with bad input was answered, which PROBES=on sends');
    [answered, ordinary] = [0, answered];
  }
});

test('after three probes without an answer no more are sent, and what is left is unknown', async () => {
  const { observed, findings } = await behaviourOf(
    { network: true, choices: { rejection: 'silence' } },
    { timeoutMs: 900 },
  );
  const unanswered = findings.filter(({ kind }) => kind === 'server error').length;
  // Requests that were under way when the third was given up; the client tries a reset connection twice.
  expect(unanswered).toBeGreaterThanOrEqual(3);
  expect(unanswered).toBeLessThanOrEqual(16);
  const unasked = observed.filter(({ evidence }) => evidence[0]?.includes('before it got no answer'));
  expect(unasked.length).toBeGreaterThan(10);
});

test('without credentials: asked where there are some, and rejected', async () => {
  const guarded: Judged = {
    network: true,
    alter: (answer, { headers }) =>
      headers['x-api-key'] === 'secret-key' ? answer : { ...answer, status: 401, body: { code: 401 } },
  };
  const { answers, observed } = await behaviourOf(guarded, { headers: { 'X-Api-Key': 'secret-key' } });
  expect(answers['no-credentials']).toBe('refused as 401');
  expect(observed.find(({ id }) => id === 'no-credentials')?.evidence[0]).toMatch(
    /without credentials: HTTP 401$/,
  );
});
