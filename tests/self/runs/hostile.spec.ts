import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf, targetOf, type WholeRun } from '../harness/whole-run.ts';
import { closedPort } from './hostile.ts';

test.setTimeout(120_000);

/** However a run ends: red, with every report of the suite, and with no stack trace. */
function expectReported({ code, output, files }: WholeRun): void {
  expect(code).toBe(1);
  expect(output).not.toContain('    at ');
  const written = ['conformance.json', 'conformance.md', 'contract.html', 'junit.xml'];
  expect(files().map(({ name }) => name)).toEqual(expect.arrayContaining(written));
}

/** Nothing is said of the contract's bodies; why not is said once, in the verdict. */
function expectBlocked(run: WholeRun, reason: RegExp): void {
  expectReported(run);
  expect(run.conformance?.verdict).toBe('error');
  expect(addressesOf(run, 'violation')).toEqual([]);
  const lines = run.output.slice(run.output.indexOf('  ERROR')).split('\n');
  const bodies = run.conformance?.requirements.filter(({ address }) => address.endsWith('/http/json')) ?? [];
  expect(bodies.length).toBeGreaterThan(0);
  for (const one of bodies) {
    expect(one).toMatchObject({ verdict: 'blocked', reason: expect.stringMatching(reason) });
    expect(lines.filter((line) => line.includes(one.reason ?? ''))).toHaveLength(1);
  }
}

test('the address of a target with a name, and of a proxy, is on the own terminal alone', async () => {
  const env = { TARGET_NAME: 'staging', PROBES: 'off', HTTP_PROXY: 'http://127.0.0.1:9' };
  const own = await runInProcessAgainst({}, { ...env, CI: '' });
  expect(own.output).toMatch(
    /requesting staging at 127\.0\.0\.1:\d+ through the proxy 127\.0\.0\.1:9: at most/,
  );
  for (const { name, text } of own.files()) expect(text.includes('127.0.0.1'), name).toBe(false);
  const public_ = await runInProcessAgainst({}, { ...env, CI: 'true' });
  expect(public_.output).toContain('requesting staging: at most');
  expect(public_.output).not.toContain('127.0.0.1');
});

test('nobody listens: each output says that no open question was answered, and that nothing is covered', async () => {
  const run = await runInProcess({ ...targetOf(await closedPort()), PROBES: 'on' });
  expectBlocked(run, /connection was refused: is the target running/);
  expect(run.output).toContain('npm run doctor looks for the cause');
  const { conformance, output, files } = run;
  const said = `0 of ${conformance?.observed.length} open questions answered`;
  const written = files().filter(({ name }) => /^conformance\.md$|^contract\.html$/.test(name));
  for (const text of [output, ...written.map((file) => file.text)]) expect(text).toContain(said);
  expect(written).toHaveLength(2);
  expect(conformance?.coverage).toMatchObject({ nodes: { exercised: 0 }, states: { exercised: 0 } });
  expect(conformance?.findings.filter(({ kind }) => kind !== 'blocked')).toEqual([]);
});

test('wrong credentials are told once', async () => {
  const alter: Alter = (answer) => ({ ...answer, status: 401 });
  const run = await runInProcessAgainst({ alter }, { CARD_IDS: 'a' });
  expectBlocked(run, /^the credentials are rejected with HTTP 401: set or check API_HEADERS/);
  expect(run.conformance?.notes).toEqual([]);
  // What names no record goes first; three rejections may lock an account.
  expect(run.requests[0]?.path).toBe('/svc/payment/api/v1/openapi/customers');
  expect(run.requests.length).toBeLessThanOrEqual(6);
});

test('every mistake of the configuration is named, and nothing is sent', async () => {
  const env = { BASE_URL: 'foo', MAX_RPS: 'x', API_HEADERS: '{', PROFILE: 'z' };
  const run = await runInProcess(env);
  expectReported(run);
  expect(run.conformance).toMatchObject({ target: 'unknown', verdict: 'error', requests: 0 });
  for (const name of Object.keys(env)) {
    expect(run.output).toContain(`${name} `);
    expect(run.conformance?.notes.join()).toContain(`${name} `);
  }
});
