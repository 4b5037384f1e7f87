import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from '@playwright/test';
import { fromBufferPromise } from 'yauzl';
import { type Mock, startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { listIdentifierNames } from '../../../src/run/identifier-variables.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import {
  createCallersFolder,
  type Environment,
  playwrightCache,
  type ReportFile,
  readFilesBelow,
  runSuite,
  type WholeRun,
  writeTestFile,
} from '../harness/whole-run.ts';
import type { Canaries } from './canaries.ts';
import { type CreateTarget, conforming, createHeaders, createUuid } from './canary-target.ts';

interface CanaryStep {
  /** Creates the behaviour of the target; default: `conforming`. */
  createTarget?: CreateTarget;
  /** Returns environment variables that extend or override those in `common`. */
  env?(common: Common, canaries: Canaries): Environment | Promise<Environment>;
  /** Arguments of a `playwright test` process; default: run in this process instead. */
  args?(): string[];
}

export interface CanaryScenario extends CanaryStep {
  /** Expected verdict; undefined if the run writes no report. */
  verdict: Conformance['verdict'] | undefined;
  notePattern?: RegExp;
  forbiddenOutput?: RegExp;
  outputPattern?: RegExp;
  /** Parts of the names of expected output files, such as `-result.json`. */
  leftFiles?: string[];
  /** Labels of canaries that the run must have created, such as `API key`. */
  requiredLabels?: string[];
  minViolations?: number;
  earlierRun?: CanaryStep;
}

export type Common = ReturnType<typeof createEnvironment>;

export interface WatchedRun extends Pick<WholeRun, 'code' | 'conformance'> {
  /** Environment, requests and responses of the run as JSON: all that could leak. */
  known: string;
  /** Files that the run wrote and, as last element, its terminal output. */
  writtenFiles: ReportFile[];
}

/** Runs the suite with canaries in settings and responses, and collects its output. */
export async function runWithCanaries(scenario: CanaryScenario, canaries: Canaries): Promise<WatchedRun> {
  const { mock, changeTarget, knownTexts } = await startCanaryMock(canaries);
  const common = createEnvironment(canaries, mock.url);
  const outputs: string[] = [];
  const runStep = async ({ createTarget = conforming, env: createEnv, args }: CanaryStep) => {
    changeTarget(createTarget);
    const env = { ...common, ...(await createEnv?.(common, canaries)) };
    const run = args ? await runSuite(env, args()) : await runInProcess(env);
    knownTexts.push(JSON.stringify(env));
    outputs.push(run.output);
    return run;
  };
  try {
    if (scenario.earlierRun) await runStep(scenario.earlierRun);
    const { code, conformance } = await runStep(scenario);
    const terminal = { name: 'the terminal', text: outputs.join('\n') };
    const writtenFiles = [...(await readWrittenFiles(common)), terminal];
    return { code, conformance, known: knownTexts.join('\n'), writtenFiles };
  } finally {
    await mock.close();
  }
}

/**
 * Starts a mock with canaries in response headers. `changeTarget` replaces its behaviour.
 * The mock adds each request with its response to `knownTexts`, as JSON.
 */
async function startCanaryMock(
  canaries: Canaries,
): Promise<{ mock: Mock; changeTarget(createTarget: CreateTarget): void; knownTexts: string[] }> {
  const knownTexts: string[] = [];
  let alter = conforming(canaries);
  const changeTarget = (createTarget: CreateTarget) => {
    alter = createTarget(canaries);
  };
  const mock = await startMock({
    choices: { prefix: `/${canaries.getCode('path of the address')}` },
    alter: async (response, request) => {
      const headers = { ...response.headers, ...createHeaders(canaries) };
      const sentResponse = await alter({ ...response, headers }, request);
      knownTexts.push(JSON.stringify([request, sentResponse]));
      return sentResponse;
    },
  });
  return { mock, changeTarget, knownTexts };
}

async function readWrittenFiles({ INIT_CWD: callersFolder }: Common): Promise<ReportFile[]> {
  const foldersOfRun = [test.info().outputDir, callersFolder];
  const filesByFolder = await Promise.all(foldersOfRun.map(readFilesWithArchives));
  return filesByFolder.flat();
}

async function readFilesWithArchives(folder: string): Promise<ReportFile[]> {
  const files = readFilesBelow(folder);
  const archivedFiles = await Promise.all(files.map((file) => readArchive(folder, file)));
  return [...files, ...archivedFiles.flat()];
}

function addCredentials(canaries: Canaries, url: string, labelPrefix = ''): string {
  const user = canaries.getCode(`${labelPrefix}user`);
  const password = encodeURIComponent(canaries.getTextToEncode(`${labelPrefix}password`));
  return url.replace('//', `//${user}:${password}@`);
}

const signingModule = `
import { env } from 'node:process';
export default () => ({ 'x-client': env.CLIENT_ID, 'x-signature': env.CLIENT_SECRET });`;

function createIdentifiers(canaries: Canaries): Environment {
  const specialValues: Environment = {
    CARD_IDS: `${createUuid(canaries, 'card id')},${createUuid(canaries, 'card id')}`,
    CUSTOMER_IDS: `${canaries.getCode('customer id')},${createUuid(canaries, 'customer uuid')}`,
    USER_IDS: `${canaries.getCode('user id')},${canaries.getWords('user id in words')}`,
  };
  const identifiers: Environment = {};
  // The default serves variables that a later contract adds.
  for (const name of listIdentifierNames())
    identifiers[name] = specialValues[name] ?? createUuid(canaries, `value of ${name}`);
  return identifiers;
}

function createEnvironment(canaries: Canaries, url: string) {
  const headers = {
    'X-Api-Key': canaries.getTextToEncode('API key'),
    [`X-${canaries.getCode('name of an own header')}`]: '1',
    'X-Token': `Token ${canaries.getCode('own token')}`,
    Cookie: `a=${canaries.getCode('own cookie')}`,
  };
  const temporaryFolder = test.info().outputPath('temporary');
  mkdirSync(temporaryFolder, { recursive: true });
  return {
    BASE_URL: addCredentials(canaries, url),
    ...(createIdentifiers(canaries) as { CUSTOMER_IDS?: string }),
    API_HEADERS: JSON.stringify(headers),
    HTTPS_PROXY: addCredentials(canaries, 'http://proxy.invalid:3128', 'proxy '),
    CLIENT_ID: canaries.getCode('client id'),
    CLIENT_SECRET: canaries.getCode('client secret'),
    CLIENT_CERT_PASSPHRASE: canaries.getCode('passphrase'),
    AUTH_MODULE: writeTestFile('sign.mjs', signingModule),
    REPORTS_DIR: test.info().outputPath('reports'),
    MAX_RPS: '1000',
    ...createCallersFolder().callerEnv,
    TMPDIR: temporaryFolder,
    PWTEST_CACHE_DIR: playwrightCache,
  };
}

async function readArchive(folder: string, file: ReportFile): Promise<ReportFile[]> {
  // Playwright's HTML report embeds a zip.
  const embeddedZip = /data:application\/zip;base64,([\w+/=]+)/;
  const [, base64] = embeddedZip.exec(file.text) ?? [];
  if (!base64 && !file.name.endsWith('.zip')) return [];
  const bytes = base64 ? Buffer.from(base64, 'base64') : readFileSync(path.join(folder, file.name));
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  const files: ReportFile[] = [];
  for await (const entry of zip.eachEntry()) {
    const content = await text(await zip.openReadStreamPromise(entry));
    files.push({ name: `${file.name}/${entry.fileName}`, text: content });
  }
  return files;
}
