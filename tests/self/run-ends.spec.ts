import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../mock/edits.ts';
import { startMock } from '../../mock/server.ts';
import { addressesOf, runAgainst, runSuite, startSuite, targetOf } from './whole-run.ts';

test.setTimeout(120_000);

/** A folder of reports in which an earlier run has passed. */
function passedBefore(): string {
  const reportsDir = test.info().outputPath('reports');
  mkdirSync(reportsDir, { recursive: true });
  for (const name of ['conformance.json', 'contract.html', 'junit.xml'])
    writeFileSync(path.join(reportsDir, name), '{"verdict":"pass"}');
  return reportsDir;
}

/** A module that ends the process with status 0, so many milliseconds after its first signature. */
function exitingModule(afterMs: number): string {
  const file = test.info().outputPath('sign.mjs');
  const once = `globalThis.ending ??= setTimeout(() => process.exit(0), ${afterMs})`;
  writeFileSync(file, `export default () => { ${once}; return {}; };`);
  return file;
}

for (const [when, afterMs, args] of [
  ['while it is asked', 0, undefined],
  ['while the tests run', 900, ['--reporter=line']],
] as const) {
  test(`a module that ends the process ${when} ends the run red`, async () => {
    const REPORTS_DIR = passedBefore();
    const env = { REPORTS_DIR, AUTH_MODULE: exitingModule(afterMs) };
    const { code, conformance, output } = await runSuite(env, args && [...args]);
    expect({ code, conformance }).toEqual({ code: 1, conformance: undefined });
    expect(output).toContain('before the run had a verdict: AUTH_MODULE must not end the process');
  });
}

test('a second run leaves the folder alone, and a signal ends the first with a report that says so', async () => {
  const mock = await startMock({ alter: (answer) => new Promise((go) => setTimeout(go, 400, answer)) });
  const env = { ...targetOf(mock.url), REPORTS_DIR: passedBefore() };
  const first = startSuite(env);
  await expect.poll(() => mock.requests.length).toBeGreaterThan(0);
  const second = await runSuite(env, []);
  expect(second).toMatchObject({ code: 1, conformance: undefined });
  expect(second.output).toContain(`another run (process ${first.child.pid}) is writing to `);
  expect(second.output).not.toMatch(/^ {4}at /m);
  first.child.kill('SIGTERM');
  const { code, conformance, output } = await first.ended;
  expect(code).toBe(130);
  expect(conformance).toMatchObject({ verdict: 'error', notes: ['the run was interrupted before its end'] });
  expect(output).not.toContain('AUTH_MODULE');
  expect(first.said()).toContain('ERROR: nothing sure');
  await mock.close();
});

test('a run that takes longer than --global-timeout says so', async () => {
  const args = ['--reporter=./reports/reporter.ts', '--global-timeout=300'];
  const { code, conformance, output } = await runSuite({ REPORTS_DIR: passedBefore() }, args);
  expect({ code, verdict: conformance?.verdict }).toEqual({ code: 1, verdict: 'error' });
  expect(conformance?.notes.join()).toContain('Timed out waiting 0.3s');
  expect(output).not.toContain('AUTH_MODULE');
});

test('-x stops at the first failed test, and the verdict is that of all requirements', async () => {
  const alter = altering('getCard', set('data/card/expiration_date', 7));
  const run = await runAgainst({ alter }, {}, ['--reporter=./reports/reporter.ts', '-x']);
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
  expect(addressesOf(run, 'violation')).toEqual(['getCard/data/card/expiration_date']);
  expect(addressesOf(run, 'error')).toEqual([]);
  expect(addressesOf(run, 'pass')).toHaveLength(116);
});

const rejected: [name: string, args: string[], env: Record<string, string>, says: string][] = [
  ['a project that does not exist', ['--project', 'nope'], {}, 'nope'],
  [
    'a folder that cannot be made',
    [],
    { REPORTS_DIR: '/dev/null/reports' },
    'cannot be written: a file is in',
  ],
  [
    'a folder below one that takes none',
    [],
    { REPORTS_DIR: '/proc/reports' },
    'cannot be written: nothing can',
  ],
];

for (const [name, args, env, says] of rejected) {
  test(`${name} ends a run before anything is sent, and leaves no earlier verdict`, async () => {
    const { code, conformance, output } = await runSuite({ REPORTS_DIR: passedBefore(), ...env }, args);
    expect({ code, conformance }).toEqual({ code: 1, conformance: undefined });
    expect(output).toContain(says);
    expect(output).not.toContain('asking');
  });
}
