import { spawn } from 'node:child_process';
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
import { listKnownNames } from '../../../src/run/variable-names.ts';
import { noDotenv, root } from './project-files.ts';

export interface WholeRun {
  code: number | null;
  output: string;
  conformance: Conformance | undefined;
  reportsDir: string;
  files(): ReportFile[];
}

export interface ReportFile {
  /** Path relative to the folder that was read, such as `previous/staging-observed.json`. */
  name: string;
  text: string;
}

export type Environment = Record<string, string>;

export type MockedRun = WholeRun & { requests: Mock['requests'] };

const cli = path.join(root, 'node_modules/@playwright/test/cli.js');
/** Playwright arguments for only the conformance reporter, because Allure's takes longer. */
const suiteReporterArgs = ['--reporter=./reports/reporter.ts'];
/** Folder in which Playwright caches compiled files; value for `PWTEST_CACHE_DIR`. */
export const playwrightCache = path.join(tmpdir(), `playwright-transform-cache-${process.geteuid?.()}`);
const killAfterMs = 170_000;

/** Runs `playwright test` in a child process with `cleanEnvironment()` and `env`. */
export const runSuite = (env: NodeJS.ProcessEnv, args?: string[], cwd?: string): Promise<WholeRun> =>
  startSuite(env, args, cwd).ended;

export const locateReports = ({ REPORTS_DIR }: NodeJS.ProcessEnv) =>
  REPORTS_DIR ?? test.info().outputPath('reports');

export function startSuite(env: NodeJS.ProcessEnv, args = suiteReporterArgs, cwd = root) {
  const reportsDir = locateReports(env);
  const child = spawn(process.execPath, [cli, 'test', ...args], {
    cwd,
    env: { ...cleanEnvironment(), REPORTS_DIR: reportsDir, ...env },
    timeout: killAfterMs,
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
    files: () => readFilesBelow(reportsDir),
  }));
  return { child, readOutput: () => output, ended };
}

export const runAgainst = (
  options: MockOptions,
  env: Environment = {},
  args?: string[],
): Promise<MockedRun> => againstMock(options, env, (completeEnv) => runSuite(completeEnv, args));

export async function againstMock(
  options: MockOptions,
  env: Environment,
  run: (env: Environment) => Promise<WholeRun>,
): Promise<MockedRun> {
  const mock = await startMock(options);
  try {
    return { ...(await run({ ...configureTarget(mock.url), ...env })), requests: mock.requests };
  } finally {
    await mock.close();
  }
}

export function configureTarget(url: string): Environment {
  const { identifiers } = readConfiguration({}, noDotenv).target;
  const env: Environment = { BASE_URL: url };
  for (const [variable, values] of Object.entries(identifiers)) env[variable] = values.join();
  return { ...env, MAX_RPS: '10000' };
}

let callersRoot: string | undefined;

/** Creates a folder, and the variables that `npm --prefix <project> run …` sets if called from this folder. */
export function createCallersFolder(): {
  folder: string;
  callerEnv: { INIT_CWD: string; npm_package_json: string };
} {
  if (!callersRoot) {
    callersRoot = mkdtempSync(path.join(tmpdir(), 'callers-'));
    process.once('exit', () => rmSync(callersRoot ?? '', { recursive: true }));
  }
  const folder = mkdtempSync(path.join(callersRoot, 'called-'));
  return { folder, callerEnv: { INIT_CWD: folder, npm_package_json: path.join(root, 'package.json') } };
}

/**
 * Creates a folder with answers to open questions, as recorded by an earlier run.
 * @param text content of `file`; default: creates no file
 * @param name name of the target and of `file`: `observed/mock.json`
 */
export function createRecordedFolder(text?: string, name = 'mock'): { file: string; callerEnv: Environment } {
  const { folder, callerEnv } = createCallersFolder();
  const file = path.join(folder, `observed/${name}.json`);
  if (text !== undefined) {
    mkdirSync(path.dirname(file));
    writeFileSync(file, text);
  }
  return { file, callerEnv };
}

const toolVariablePattern =
  /^(CONFORMANCE_|PLAYWRIGHT_|PWTEST|PWDEBUG|TEST_|ALLURE|GITHUB_|FORCE_COLOR$|DEBUG$|NODE_DEBUG$)/;

/**
 * Copies `process.env` without variables of Playwright and other tools.
 * Sets the variables of the suite to `''`, and `NODE_OPTIONS` so that Node loads `short-lived.cjs`.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env))
    if (!toolVariablePattern.test(name)) env[name] = value;
  // Empty, because a developer's `.env` would set a variable that is absent.
  for (const name of listKnownNames()) env[name] = '';
  env.NODE_OPTIONS = nodeOptionsForShortRuns;
  return env;
}

export const nodeOptionsForShortRuns = `--require=${JSON.stringify(fileURLToPath(new URL('short-lived.cjs', import.meta.url)))}`;

export function readConformance(reportsDir: string): Conformance | undefined {
  const file = path.join(reportsDir, 'conformance.json');
  if (!existsSync(file)) return undefined;
  const run: Conformance = JSON.parse(readFileSync(file, 'utf8'));
  // Some tests write a file with a verdict alone, which the schema would reject.
  if (run.requirements) checkConformance(run, file);
  return run;
}

/** Reads the files in a folder and its subfolders. @param sinceMs earliest time of change, in milliseconds since 1970 */
export function readFilesBelow(folder: string, sinceMs = 0): ReportFile[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const isWantedFile = (name: string) => {
    // A file may have been removed since the folder was listed.
    const statistics = statSync(path.join(folder, name), { throwIfNoEntry: false });
    return statistics?.isFile() && statistics.mtimeMs >= sinceMs;
  };
  return names
    .filter(isWantedFile)
    .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));
}

export function addressesOf({ conformance }: WholeRun, verdict: string): string[] {
  const requirements = conformance?.requirements ?? [];
  return requirements.filter((requirement) => requirement.verdict === verdict).map(({ address }) => address);
}

export function writeTestFile(name: string, text: string): string {
  const file = test.info().outputPath(name);
  writeFileSync(file, text);
  return file;
}

export function writePassedReports(): string {
  const reportsDir = test.info().outputPath('reports');
  mkdirSync(reportsDir, { recursive: true });
  for (const name of ['conformance.json', 'contract.html', 'junit.xml'])
    writeFileSync(path.join(reportsDir, name), '{"verdict":"pass"}');
  return reportsDir;
}

/** Expects only GET requests, at most one for each URL (two for cards). */
export function expectRequestedOnce(requests: Mock['requests']): void {
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  const countsByPath = new Map<string, number>();
  for (const { path: requestPath } of requests)
    countsByPath.set(requestPath, (countsByPath.get(requestPath) ?? 0) + 1);
  // The rule `card-is-constant` compares two responses about a card, so that the suite requests a card twice.
  const getMaxCount = (requestPath: string) => (requestPath.includes('/cards/') ? 2 : 1);
  const sentTooOften = [...countsByPath].filter(([requestPath, count]) => count > getMaxCount(requestPath));
  expect(sentTooOften).toEqual([]);
}
