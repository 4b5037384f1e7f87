import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { type Mock, type MockOptions, startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { checkConformance } from '../../../reports/read-conformance.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { knownNames } from '../../../src/run/variable-names.ts';

/** What a user has of a run of the suite: exit code, what the terminal showed, and files. */
export interface WholeRun {
  code: number | null;
  /** stdout and stderr. */
  output: string;
  conformance: Conformance | undefined;
  reportsDir: string;
  files(): ReportFile[];
}

export interface ReportFile {
  /** Relative to the reports folder. */
  name: string;
  text: string;
}

export type Environment = Record<string, string>;

/** A run, and what its target was asked. */
export type MockedRun = WholeRun & { requests: Mock['requests'] };

const root = fileURLToPath(new URL('../../../', import.meta.url));
const cli = path.join(root, 'node_modules/@playwright/test/cli.js');
/** The suite's own reporter alone: JUnit and Allure take their time. */
const quick = ['--reporter=./reports/reporter.ts'];
/** With any provider, a run ends long before this, also on a busy machine. */
const longest = 170_000;

/** Runs the suite as a user does; `env` is all that it sees of its own variables, `cwd` may hold a copy of it. */
export async function runSuite(env: Environment, args: string[] = quick, cwd = root): Promise<WholeRun> {
  return startSuite(env, args, cwd).ended;
}

/** The folder of a run's reports: that of the test, unless the run has one. */
export const reportsDirOf = ({ REPORTS_DIR }: Environment) =>
  REPORTS_DIR ?? test.info().outputPath('reports');

/** A run that has been started: its process, what it has said so far, and what it comes to. */
export interface StartedRun {
  child: ChildProcess;
  said(): string;
  ended: Promise<WholeRun>;
}

/** Starts the suite as a user does, for a test that does something to it meanwhile. */
export function startSuite(env: Environment, args: string[] = quick, cwd = root): StartedRun {
  const reportsDir = reportsDirOf(env);
  const child = spawn(process.execPath, [cli, 'test', ...args], {
    cwd,
    env: { ...cleanEnvironment(), REPORTS_DIR: reportsDir, ...env },
    timeout: longest,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    output,
    conformance: readConformance(reportsDir),
    reportsDir,
    files: () => filesBelow(reportsDir),
  }));
  return { child, said: () => output, ended };
}

/** Runs the suite against a mock that is not the embedded one: over BASE_URL, with all its identifiers. */
export const runAgainst = (
  options: MockOptions,
  env: Environment = {},
  args: string[] = quick,
): Promise<MockedRun> => againstMock(options, env, (settled) => runSuite(settled, args));

export async function againstMock(
  options: MockOptions,
  env: Environment,
  run: (env: Environment) => Promise<WholeRun>,
): Promise<MockedRun> {
  const mock = await startMock(options);
  try {
    return { ...(await run({ ...targetOf(mock.url), ...env })), requests: mock.requests };
  } finally {
    await mock.close();
  }
}

/** Variables for a target on this machine that knows the identifiers of the mock. */
export function targetOf(url: string): Environment {
  const { identifiers } = readConfiguration({}, '/nonexistent').target;
  const listed = Object.entries(identifiers).map(([variable, values]) => [variable, values.join()]);
  return { BASE_URL: url, ...Object.fromEntries(listed), MAX_RPS: '10000' };
}

let callers: string | undefined;

/** A new folder outside of the project, and the variables of a run that npm has started after it was called there. */
export function callersFolder() {
  if (!callers) {
    callers = mkdtempSync(path.join(tmpdir(), 'callers-'));
    process.once('exit', () => rmSync(callers ?? '', { recursive: true }));
  }
  const folder = mkdtempSync(path.join(callers, 'called-'));
  return { folder, called: { INIT_CWD: folder, npm_package_json: path.join(root, 'package.json') } };
}

/** Such a folder where behaviour is recorded, for a target of a name. */
export function recordedFolder(text?: string, name = 'mock'): { file: string; called: Environment } {
  const { folder, called } = callersFolder();
  const file = path.join(folder, `observed/${name}.json`);
  if (text !== undefined) {
    mkdirSync(path.dirname(file));
    writeFileSync(file, text);
  }
  return { file, called };
}

const foreign =
  /^(CONFORMANCE_|PLAYWRIGHT_|PWTEST|PWDEBUG|TEST_|ALLURE|GITHUB_|FORCE_COLOR$|DEBUG$|NODE_DEBUG$)/;

/** The environment of this process, without what is meant for the suite or for Playwright. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  // Empty rather than absent, or a .env of the developer would fill the gaps.
  const emptied = knownNames().map((name) => [name, '']);
  return { ...Object.fromEntries(inherited), ...Object.fromEntries(emptied), NODE_OPTIONS: shortLived };
}

/** Makes a process begin sooner; its children have it as well. */
export const shortLived = `--require=${JSON.stringify(fileURLToPath(new URL('short-lived.cjs', import.meta.url)))}`;

/** `conformance.json` of a folder, if it is there. What no run may write is an error in any test. */
export function readConformance(reportsDir: string): Conformance | undefined {
  const file = path.join(reportsDir, 'conformance.json');
  if (!existsSync(file)) return undefined;
  const run: Conformance = JSON.parse(readFileSync(file, 'utf8'));
  // Some tests put something else there.
  if (run.requirements) checkConformance(run, file);
  return run;
}

/** Every file below a folder, however deep, or those that were written since a time. */
export function filesBelow(folder: string, sinceMs = 0): ReportFile[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const statOf = (name: string) => statSync(path.join(folder, name), { throwIfNoEntry: false });
  return names
    .filter((name) => statOf(name)?.isFile() && (statOf(name)?.mtimeMs ?? 0) >= sinceMs)
    .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));
}

export function addressesOf({ conformance }: WholeRun, verdict: string): string[] {
  const requirements = conformance?.requirements ?? [];
  return requirements.filter((one) => one.verdict === verdict).map(({ address }) => address);
}

export function fileOf(name: string, text: string): string {
  const file = test.info().outputPath(name);
  writeFileSync(file, text);
  return file;
}

/** A folder of reports in which an earlier run has passed. */
export function passedBefore(): string {
  const reportsDir = test.info().outputPath('reports');
  mkdirSync(reportsDir, { recursive: true });
  for (const name of ['conformance.json', 'contract.html', 'junit.xml'])
    writeFileSync(path.join(reportsDir, name), '{"verdict":"pass"}');
  return reportsDir;
}

/** Each request is a GET, and none is like another, but that a card is requested a second time: it has to be constant. */
export function expectAskedOnce(requests: Mock['requests']): void {
  const asked = requests.map(({ method, path: sent }) => `${method} ${sent}`);
  expect(asked.filter((one) => !one.startsWith('GET '))).toEqual([]);
  const again = asked.filter((one, index) => asked.indexOf(one) !== index);
  expect(again.filter((one) => !one.includes('/cards/'))).toEqual([]);
  expect(new Set(again).size).toBe(again.length);
}
