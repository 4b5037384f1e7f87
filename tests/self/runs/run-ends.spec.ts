import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import { altering, applyInOrder, set } from '../harness/edits.ts';
import {
  cleanEnvironment,
  configureTarget,
  runAgainst,
  runSuite,
  writePassedReports,
  writeTestFile,
} from '../harness/whole-run.ts';
import { findClosedAddress } from './hostile.ts';

test.setTimeout(120_000);

test('a worker that exits makes the run an error that names the operation', async () => {
  const AUTH_MODULE = writeTestFile(
    'exit.mjs',
    'export default ({ path }) => (path.includes("/cards/") ? process.exit(0) : {});',
  );
  const { code, conformance } = await runAgainst(
    {},
    { REPORTS_DIR: writePassedReports(), PROBES: 'off', AUTH_MODULE },
  );
  expect({ code, verdict: conformance?.verdict }).toEqual({ code: 1, verdict: 'error' });
  expect(conformance?.notes.join()).toContain('the worker that sent the requests of getCard ended');
});

for (const [file, grep, address] of [
  ['getFeeRules.spec.ts', '@getCard/code$|@getFeeRules/(requests|code)$', 'getFeeRules/requests'],
  ['run.spec.ts', '@getCard/code$|@run/', 'run/target'],
] as const)
  test(`a worker that exits before the tests of ${file} makes the run an error that names the test`, async () => {
    // Playwright sends this message to the worker before the first test of a file.
    const AUTH_MODULE = writeTestFile(
      'exit.mjs',
      `process.on('message', (message) => {
        if (JSON.stringify(message).includes(${JSON.stringify(file)})) process.exit(3);
      });
      export default () => ({});`,
    );
    const args = ['--reporter=./reports/reporter.ts', '--grep', grep];
    const { code, conformance, output } = await runAgainst({}, { PROBES: 'off', AUTH_MODULE }, args);
    expect({ code, verdict: conformance?.verdict }).toEqual({ code: 1, verdict: 'error' });
    expect(conformance?.notes).toEqual([expect.stringContaining(`ended the test @${address}, `)]);
    expect(output).toContain('worker process exited unexpectedly (code=3, signal=null)');
  });

test('a test file that calls process.exit while Playwright loads it is no pass, and the reports of the last run stay', async () => {
  const CUSTOM_TESTS = path.dirname(writeTestFile('exit.spec.mts', 'process.exit(0);'));
  const env = { CUSTOM_TESTS, REPORTS_DIR: writePassedReports() };
  const run = await runAgainst({}, env, ['--reporter=./reports/reporter.ts']);
  expect(run).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'pass' } });
  expect(run.output).toBe(
    'ERROR: the run exited before its end, because a test file, or what it imports, called process.exit() or never finished loading: nothing was reported\n',
  );
});

test('--reporter replaces the conformance reporter: the exit status is that of the verdict, and the reports stay', async () => {
  const args = ['--reporter=line'];
  const passedRun = await runAgainst({}, { REPORTS_DIR: writePassedReports() }, args);
  expect(passedRun).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  const blockedRun = await runAgainst(
    { alter: (response) => ({ ...response, status: 503 }) },
    { REPORTS_DIR: writePassedReports() },
    args,
  );
  expect(blockedRun).toMatchObject({ code: 1, conformance: { verdict: 'pass' } });
  expect(blockedRun.output).toMatch(/ERROR: the target responded with HTTP 503/);
});

test('with another reporter, a violation counts as judged beside a requirement that was not exercised', async () => {
  const args = ['--reporter=line', '--grep', '@getCard/(code|data/card/limits/\\*/status)$'];
  const alter = applyInOrder(
    altering('getCard', set('data/card/limits', [])),
    altering('getCard', set('code', '200')),
  );
  const { code, output } = await runAgainst({ alter }, { PROBES: 'off' }, args);
  expect(code).toBe(1);
  expect(output).toContain('1 failed');
  expect(output).not.toContain('nothing was judged');
});

test('a REPORTS_DIR that cannot be written is one sentence, without lines of Playwright or Allure', () => {
  const file = writeTestFile('reports', '');
  const [renderedCommand, plainCommand] = [
    'npm run --silent conformance',
    'node node_modules/@playwright/test/cli.js test',
  ];
  for (const [command, REPORTS_DIR, messagePattern] of [
    [renderedCommand, file, /REPORTS_DIR \(.*\) cannot be written: a file stands where a folder must be$/],
    [plainCommand, file, /REPORTS_DIR \(.*\) cannot be written: a file stands where a folder must be$/],
  ] as const) {
    const env = { ...cleanEnvironment(), REPORTS_DIR };
    const options = { env, encoding: 'utf8', timeout: 100_000, shell: true } as const;
    const { status, stdout, stderr } = spawnSync(command, options);
    expect(status).toBe(1);
    const outputLines = stripVTControlCharacters(`${stdout}${stderr}`)
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^npm warn/.test(line));
    expect(outputLines).toEqual([expect.stringMatching(messagePattern)]);
  }
});

function runHandledScript(script: string, bashCommand = '"$@"'): { status: number | null; stderr: string } {
  const handlerScript = `import { handleSignalsAndStreamErrors } from './src/run/process-events.ts'; handleSignalsAndStreamErrors();`;
  const nodeArgs = ['--import', 'tsx', '--input-type=module', '-e', `${handlerScript}${script}`];
  // Bash reads the argument after the command as its own name (`$0`), and the others as `"$@"`.
  const bashArgs = ['-c', bashCommand, 'bash', process.execPath, ...nodeArgs];
  const { status, stderr } = spawnSync('bash', bashArgs, { encoding: 'utf8' });
  return { status, stderr };
}

test('SIGHUP ends a run as an interruption does', () => {
  const signalScript = `
    process.on('SIGINT', () => { console.error('interrupted'); process.exit(130); });
    setTimeout(() => {}, 60_000);
    process.kill(process.pid, 'SIGHUP');`;
  expect(runHandledScript(signalScript)).toEqual({ status: 130, stderr: 'interrupted\n' });
});

test('a run continues to its reports if its output is not read', () => {
  // The script prints before and after the pipe breaks.
  const printScript = `
    const print = () => process.stdout.write('a line\\n');
    const lost = setInterval(print, 5);
    setTimeout(() => { clearInterval(lost); print(); console.error('went on'); }, 100);`;
  expect(runHandledScript(printScript, 'set -o pipefail; "$@" | true')).toEqual({
    status: 0,
    stderr: 'went on\n',
  });
});

test('a custom test is blocked, and does not fail, if the target cannot be reached', async () => {
  const env = configureTarget(await findClosedAddress());
  const { output, conformance } = await runSuite(env, ['--grep', 'a card that was requested|@getCard/code$']);
  expect(conformance?.verdict).toBe('error');
  expect(output.match(/^✗ .*/gm)).toEqual([expect.stringContaining('the connection was refused')]);
});
