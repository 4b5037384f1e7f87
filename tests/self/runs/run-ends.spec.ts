import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import { type MockAnswer, startMock } from '../../../mock/server.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import {
  cleanEnvironment,
  runAgainst,
  runSuite,
  shortLived,
  startSuite,
  targetOf,
} from '../harness/whole-run.ts';

test.setTimeout(120_000);

/** A folder of reports in which an earlier run has passed. */
function passedBefore(): string {
  const reportsDir = test.info().outputPath('reports');
  mkdirSync(reportsDir, { recursive: true });
  for (const name of ['conformance.json', 'contract.html', 'junit.xml'])
    writeFileSync(path.join(reportsDir, name), '{"verdict":"pass"}');
  return reportsDir;
}

/** A file that ends the main process of Playwright with status 0 as soon as something holds of REPORTS_DIR. */
function exitingPreload(condition: string): string {
  const file = test.info().outputPath('exit.mjs');
  const found = "const found = (name) => existsSync(process.env.REPORTS_DIR + '/' + name);";
  const end = `setInterval(() => { if (${condition}) process.exit(0); }, 5)`;
  const text = `import { existsSync } from 'node:fs';\n${found}\nif (process.argv[2] === 'test') ${end};`;
  writeFileSync(file, text);
  return file;
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

/** A target that answers nothing until it is released, so that something can be done to a run meanwhile. */
async function waitingMock() {
  let release = () => {};
  const released = new Promise<void>((go) => {
    release = go;
  });
  const mock = await startMock({ alter: (answer) => released.then(() => answer) });
  const asked = expect.poll(() => mock.requests.length, { intervals: [25], timeout: 60_000 });
  return { mock, release, asked: () => asked.toBeGreaterThan(0) };
}

for (const signal of ['SIGTERM', 'SIGHUP'] as const)
  test(`${signal} ends a run as an interruption does, with a report that says so`, async () => {
    const { mock, asked } = await waitingMock();
    const run = startSuite({ ...targetOf(mock.url), REPORTS_DIR: passedBefore(), SWEEP: 'all' });
    await asked();
    run.child.kill(signal);
    const { code, conformance, output } = await run.ended;
    expect(code).toBe(130);
    expect(conformance).toMatchObject({
      verdict: 'error',
      notes: ['the run was interrupted before its end: the same line with RESUME=1 goes on with the sweep'],
    });
    expect(output).toContain('ERROR: nothing sure');
    expect(output).not.toContain('AUTH_MODULE');
    await mock.close();
  });

test('a run without the reporter that asks says how to name others', async () => {
  const { code, output, conformance } = await runSuite({ REPORTS_DIR: passedBefore() }, ['--reporter=line']);
  expect({ code, conformance }).toEqual({ code: 1, conformance: undefined });
  expect(output).toContain('name others with --add-reporter');
  expect(output).not.toMatch(/asking|^ {4}at /m);
});

test('a project that does not exist ends a run before anything is sent, and leaves no earlier verdict', async () => {
  const { code, conformance, output } = await runSuite({ REPORTS_DIR: passedBefore() }, [
    '--project',
    'nope',
  ]);
  expect({ code, conformance }).toEqual({ code: 1, conformance: undefined });
  expect(output).toContain('--project selects nothing here');
  expect(output).not.toContain('asking');
});

test('a REPORTS_DIR that is a file is one sentence, and no line of Playwright or of what renders reports', () => {
  const REPORTS_DIR = test.info().outputPath('reports');
  writeFileSync(REPORTS_DIR, '');
  const env = { ...cleanEnvironment(), REPORTS_DIR };
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'conformance'], {
    env,
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  const said = stripVTControlCharacters(`${stdout}${stderr}`)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^npm warn/.test(line));
  expect(said).toEqual([
    expect.stringMatching(/REPORTS_DIR \(.*\) cannot be written: a file is in the way$/),
  ]);
});

// How a process ends that cannot begin is tested in `grep.spec.ts`; one that takes too long is a kind of run in `canary-kinds.ts`.
test('a folder that cannot be made ends a run before anything is sent', async () => {
  for (const [REPORTS_DIR, says] of [
    ['/dev/null/reports', 'cannot be written: a file is in'],
    ['/proc/reports', 'cannot be written: nothing can'],
  ] as const) {
    const { code, output } = await runInProcess({ REPORTS_DIR });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(says) });
    expect(output).not.toContain('asking');
  }
});

/** A process that prints before and after its output was found to be lost, and ends as a run that has passed. */
const printing = `
  import { guardExit, settleVerdict } from './src/run/exit-guard.ts';
  guardExit({ authModule: undefined, reportsDir: '/nonexistent' });
  const print = () => process.stdout.write('one line\\n');
  const lost = setInterval(print, 5);
  setTimeout(() => { clearInterval(lost); print(); settleVerdict('pass'); console.error('went on'); }, 100);
`;

test('a run goes on to its reports where nobody reads what it prints', () => {
  const command = 'set -o pipefail; "$0" --import tsx --input-type=module -e "$1" | true';
  const { status, stderr } = spawnSync('bash', ['-c', command, process.execPath, printing], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: 'went on\n' });
});
