import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf, configureTarget, type WholeRun } from '../harness/whole-run.ts';
import { findClosedAddress } from './hostile.ts';

test.setTimeout(120_000);

function expectReported({ code, output, files }: WholeRun): void {
  expect(code).toBe(1);
  const stackLineStart = '    at ';
  expect(output).not.toContain(stackLineStart);
  const reportNames = ['conformance.json', 'conformance.md', 'contract.html', 'junit.xml'];
  expect(files().map(({ name }) => name)).toEqual(expect.arrayContaining(reportNames));
}

function expectBlocked(run: WholeRun, reason: RegExp): void {
  expectReported(run);
  expect(run.conformance?.verdict).toBe('error');
  expect(addressesOf(run, 'violation')).toEqual([]);
  const requirements = run.conformance?.requirements ?? [];
  const jsonRequirements = requirements.filter(({ address }) => address.endsWith('/http/json'));
  expect(jsonRequirements.length).toBeGreaterThan(0);
  for (const requirement of jsonRequirements) {
    expect(requirement).toMatchObject({ verdict: 'blocked', reason: expect.stringMatching(reason) });
    expect(findSummaryLines(run.output, requirement.reason ?? '')).toHaveLength(1);
  }
}

function findSummaryLines(output: string, text: string): string[] {
  const summary = output.slice(output.indexOf('  ERROR'));
  return summary.split('\n').filter((line) => line.includes(text));
}

test('addresses of a named target and of a proxy are shown only on a private terminal', async () => {
  const env = { TARGET_NAME: 'staging', PROBES: 'off', HTTP_PROXY: 'http://127.0.0.1:9' };
  const privateRun = await runInProcessAgainst({}, { ...env, CI: '' });
  expect(privateRun.output).toMatch(
    /requesting staging at 127\.0\.0\.1:\d+ through the proxy 127\.0\.0\.1:9: about/,
  );
  for (const { name, text } of privateRun.files()) expect(text.includes('127.0.0.1'), name).toBe(false);
  const publicRun = await runInProcessAgainst({}, { ...env, CI: 'true' });
  expect(publicRun.output).toContain('requesting staging: about');
  expect(publicRun.output).not.toContain('127.0.0.1');
});

test('a closed port: every output states that no open question was answered and nothing is covered', async () => {
  const run = await runInProcess({ ...configureTarget(await findClosedAddress()), PROBES: 'on' });
  expectBlocked(run, /connection was refused: is the target running/);
  expect(run.output).toContain('npm run doctor checks configuration');
  const { conformance, output, files } = run;
  const expectedText = `0 of ${conformance?.observed.length} open questions answered`;
  const summaryFiles = files().filter(({ name }) => /^conformance\.md$|^contract\.html$/.test(name));
  for (const text of [output, ...summaryFiles.map((file) => file.text)]) expect(text).toContain(expectedText);
  expect(summaryFiles).toHaveLength(2);
  expect(conformance?.coverage).toMatchObject({ nodes: { exercised: 0 }, states: { exercised: 0 } });
  expect(conformance?.findings.filter(({ kind }) => kind !== 'blocked')).toEqual([]);
});

test('rejected credentials are reported once', async () => {
  const alter: Alter = (response) => ({ ...response, status: 401 });
  const run = await runInProcessAgainst({ alter }, { CARD_IDS: 'a' });
  expectBlocked(run, /^the credentials are rejected with HTTP 401: set or check API_HEADERS/);
  expect(run.conformance?.notes).toEqual([]);
  // Requests without an identifier come first. Few requests follow, because three rejections may lock an account.
  expect(run.requests[0]?.path).toBe('/svc/payment/api/v1/openapi/customers');
  expect(run.requests.length).toBeLessThanOrEqual(6);
});

test('every mistake of the configuration is reported, and no request is sent', async () => {
  const env = { BASE_URL: 'foo', MAX_RPS: 'x', API_HEADERS: '{', PROFILE: 'z' };
  const run = await runInProcess(env);
  expectReported(run);
  expect(run.conformance).toMatchObject({ target: 'unknown', verdict: 'error', requests: 0 });
  for (const name of Object.keys(env)) {
    expect(run.output).toContain(`${name} `);
    expect(run.conformance?.notes.join()).toContain(`${name} `);
  }
});
