import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import type { MockAnswer } from '../../../mock/server.ts';
import {
  cleanEnvironment,
  fileOf,
  passedBefore,
  runAgainst,
  runSuite,
  shortLived,
} from '../harness/whole-run.ts';

test.setTimeout(120_000);

/** A file that ends the main process of Playwright with status 0 as soon as something holds of REPORTS_DIR. */
function exitingPreload(condition: string): string {
  const found = "const found = (name) => existsSync(process.env.REPORTS_DIR + '/' + name);";
  const end = `setInterval(() => { if (${condition}) process.exit(0); }, 5)`;
  const text = `import { existsSync } from 'node:fs';\n${found}\nif (process.argv[2] === 'test') ${end};`;
  return fileOf('exit.mjs', text);
}

for (const [when, condition] of [
  ['while it begins', "!found('conformance.json')"],
  ['while the tests run', "found('observations/run.json')"],
] as const) {
  test(`a process that ends by itself ${when} ends the run red`, async () => {
    const slow = { alter: (answer: MockAnswer) => ({ ...answer, delayMs: 50 }) };
    const env = {
      REPORTS_DIR: passedBefore(),
      PROBES: 'off',
      NODE_OPTIONS: `${shortLived} --import=${exitingPreload(condition)}`,
    };
    const { code, conformance, output } = await runAgainst(slow, env);
    expect({ code, conformance }).toEqual({ code: 1, conformance: undefined });
    expect(output).toContain('before the run had a verdict');
  });
}

test('a run without the reporter that asks says how to name others', async () => {
  const { code, output, conformance } = await runSuite({ REPORTS_DIR: passedBefore() }, ['--reporter=line']);
  expect({ code, conformance }).toEqual({ code: 1, conformance: undefined });
  expect(output).toContain('name others with --add-reporter');
  expect(output).not.toMatch(/asking|^ {4}at /m);
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

/** Ends a process that is guarded as a run is, and does this, by `command` of bash. */
function guarded(text: string, command = '"$@"') {
  const guard = `import { guardExit, settleVerdict } from './src/run/exit-guard.ts';
    guardExit({ authModule: undefined, reportsDir: '/nonexistent' });`;
  const args = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', `${guard}${text}`];
  const { status, stderr } = spawnSync('bash', ['-c', command, '-', ...args], { encoding: 'utf8' });
  return { status, stderr };
}

test('SIGHUP ends a run as an interruption does', () => {
  const listening = `
    process.on('SIGINT', () => { console.error('interrupted'); process.exit(130); });
    setTimeout(() => {}, 60_000);
    process.kill(process.pid, 'SIGHUP');`;
  expect(guarded(listening)).toEqual({ status: 130, stderr: 'interrupted\n' });
});

test('an error that somebody else catches does not end a run', () => {
  const catching = `
    process.on('uncaughtException', () => { console.error('caught'); settleVerdict('pass'); });
    setTimeout(() => { throw new Error(); });`;
  expect(guarded(catching)).toEqual({ status: 0, stderr: 'caught\n' });
});

test('a run goes on to its reports where nobody reads what it prints', () => {
  // It prints before and after its output was found to be lost, and ends as a run that has passed.
  const printing = `
    const print = () => process.stdout.write('one line\\n');
    const lost = setInterval(print, 5);
    setTimeout(() => { clearInterval(lost); print(); settleVerdict('pass'); console.error('went on'); }, 100);`;
  expect(guarded(printing, 'set -o pipefail; "$@" | true')).toEqual({ status: 0, stderr: 'went on\n' });
});
