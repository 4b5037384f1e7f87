import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import { cleanEnvironment, fileOf, passedBefore, runAgainst } from '../harness/whole-run.ts';

test.setTimeout(120_000);

test('a worker that ends by itself makes the run an error that names the operation', async () => {
  const AUTH_MODULE = fileOf(
    'exit.mjs',
    'export default ({ path }) => (path.includes("/cards/") ? process.exit(0) : {});',
  );
  const { code, conformance } = await runAgainst(
    {},
    { REPORTS_DIR: passedBefore(), PROBES: 'off', AUTH_MODULE },
  );
  expect({ code, verdict: conformance?.verdict }).toEqual({ code: 1, verdict: 'error' });
  expect(conformance?.notes.join()).toContain('the worker that sent the requests of getCard ended');
});

test('--reporter replaces the conformance reporter: the exit status is that of the verdict, and the reports stay', async () => {
  const args = ['--reporter=line'];
  const green = await runAgainst({}, { REPORTS_DIR: passedBefore() }, args);
  expect(green).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  const blocked = await runAgainst(
    { alter: (answer) => ({ ...answer, status: 503 }) },
    { REPORTS_DIR: passedBefore() },
    args,
  );
  expect(blocked).toMatchObject({ code: 1, conformance: { verdict: 'pass' } });
  expect(blocked.output).toMatch(/ERROR: the target answered HTTP 503/);
});

test('a REPORTS_DIR that takes nothing is one sentence, and no line of Playwright or of what renders reports', () => {
  const file = fileOf('reports', '');
  const [rendered, alone] = [
    'npm run --silent conformance',
    'node node_modules/@playwright/test/cli.js test',
  ];
  for (const [command, REPORTS_DIR, says] of [
    [rendered, file, /REPORTS_DIR \(.*\) cannot be written: a file stands where a folder must be$/],
    [alone, file, /REPORTS_DIR \(.*\) cannot be written: a file stands where a folder must be$/],
  ] as const) {
    const env = { ...cleanEnvironment(), REPORTS_DIR };
    const options = { env, encoding: 'utf8', timeout: 100_000, shell: true } as const;
    const { status, stdout, stderr } = spawnSync(command, options);
    expect(status).toBe(1);
    const said = stripVTControlCharacters(`${stdout}${stderr}`)
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^npm warn/.test(line));
    expect(said).toEqual([expect.stringMatching(says)]);
  }
});

/** Runs a script whose process handles events as a run does, by `command` of bash. */
function handled(text: string, command = '"$@"') {
  const handling = `import { handleProcessEvents } from './src/run/process-events.ts'; handleProcessEvents();`;
  const args = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', `${handling}${text}`];
  const { status, stderr } = spawnSync('bash', ['-c', command, '-', ...args], { encoding: 'utf8' });
  return { status, stderr };
}

test('SIGHUP ends a run as an interruption does', () => {
  const listening = `
    process.on('SIGINT', () => { console.error('interrupted'); process.exit(130); });
    setTimeout(() => {}, 60_000);
    process.kill(process.pid, 'SIGHUP');`;
  expect(handled(listening)).toEqual({ status: 130, stderr: 'interrupted\n' });
});

test('a run goes on to its reports if nobody reads what it prints', () => {
  // It prints before and after its output was found to be lost.
  const printing = `
    const print = () => process.stdout.write('a line\\n');
    const lost = setInterval(print, 5);
    setTimeout(() => { clearInterval(lost); print(); console.error('went on'); }, 100);`;
  expect(handled(printing, 'set -o pipefail; "$@" | true')).toEqual({ status: 0, stderr: 'went on\n' });
});
