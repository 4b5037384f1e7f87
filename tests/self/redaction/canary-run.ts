import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from '@playwright/test';
import { fromBufferPromise } from 'yauzl';
import { startMock } from '../../../mock/server.ts';
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
import { type CreateTarget, createHeaders, createUuid, knowing } from './canary-target.ts';

interface CanaryStep {
  /** Behaviour of the target; default: `knowing`, which answers every identifier with a success. */
  alter?: CreateTarget;
  env?(common: Common, canaries: Canaries): Environment | Promise<Environment>;
  /** Arguments of a run in a process of its own, which shows output of Playwright and Node; default: the run is in this process. */
  args?(): string[];
  /** Pattern of the addresses to judge, for a run in this process; default: all. */
  grep?: RegExp;
}

export interface CanaryKind extends CanaryStep {
  /** Expected verdict; undefined if the run cannot write a report. */
  verdict: Conformance['verdict'] | undefined;
  notePattern?: RegExp;
  forbiddenOutput?: RegExp;
  outputPattern?: RegExp;
  /** Names of files that the run must leave, also in archives. */
  leftFiles?: string[];
  /** Labels, such as `API key`, of which the run must have used a canary. */
  requiredLabels?: string[];
  minViolations?: number;
  earlierRun?: CanaryStep;
}

export type Common = ReturnType<typeof createEnvironment>;

export interface WatchedRun extends Pick<WholeRun, 'code' | 'conformance'> {
  /** Text that the run could have leaked: its configuration, requests and responses. */
  known: string;
  /** Files that the run wrote, also temporary ones, and its terminal output as a file. */
  writtenFiles: ReportFile[];
}

/** Makes a run against a mock that records all requests and responses, and collects all that the run wrote and printed. */
export async function runWithCanaries(kind: CanaryKind, canaries: Canaries): Promise<WatchedRun> {
  const passedTexts: string[] = [];
  let alter = knowing(canaries);
  const mock = await startMock({
    choices: { prefix: `/${canaries.of('path of the address')}` },
    alter: async (response, request) => {
      const headers = { ...response.headers, ...createHeaders(canaries) };
      const altered = await alter({ ...response, headers }, request);
      passedTexts.push(JSON.stringify([request, altered]));
      return altered;
    },
  });
  const common = createEnvironment(canaries, mock.url);
  const output: string[] = [];
  try {
    let run: WholeRun | undefined;
    for (const step of [...(kind.earlierRun ? [kind.earlierRun] : []), kind]) {
      alter = (step.alter ?? knowing)(canaries);
      const env = { ...common, ...(await step.env?.(common, canaries)) };
      run = await runStep(step, env);
      passedTexts.push(JSON.stringify(env));
      output.push(run.output);
    }
    const files = [...readFilesBelow(test.info().outputDir), ...readFilesBelow(common.INIT_CWD)];
    const archivedFiles = await Promise.all(files.map((file) => readArchive(test.info().outputDir, file)));
    const terminal = { name: 'the terminal', text: output.join('\n') };
    const writtenFiles = [...files, ...archivedFiles.flat(), terminal];
    return {
      code: run?.code ?? null,
      conformance: run?.conformance,
      known: passedTexts.join('\n'),
      writtenFiles,
    };
  } finally {
    await mock.close();
  }
}

const runStep = ({ args, grep }: CanaryStep, env: Record<string, string>): Promise<WholeRun> =>
  args ? runSuite(env, args()) : runInProcess(env, grep);

/** Adds canaries as user and password to a URL. @param labelPrefix `proxy ` for the labels `proxy user` and `proxy password` */
const addCredentials = (canaries: Canaries, url: string, labelPrefix = '') =>
  url.replace(
    '//',
    `//${canaries.of(`${labelPrefix}user`)}:${encodeURIComponent(canaries.text(`${labelPrefix}password`))}@`,
  );

const signingModule = `
import { env } from 'node:process';
export default () => ({ 'x-client': env.CLIENT_ID, 'x-signature': env.CLIENT_SECRET });`;

/** Creates a value for every variable of identifiers such as `CARD_IDS`, also for those that the contract will have later. */
function createIdentifiers(canaries: Canaries): Environment {
  const knownValues: Environment = {
    CARD_IDS: `${createUuid(canaries, 'card id')},${createUuid(canaries, 'card id')}`,
    CUSTOMER_IDS: `${canaries.of('customer id')},${createUuid(canaries, 'customer uuid')}`,
    USER_IDS: `${canaries.of('user id')},${canaries.phrase('user id in words')}`,
  };
  const createValue = (name: string) => knownValues[name] ?? createUuid(canaries, `value of ${name}`);
  return Object.fromEntries(listIdentifierNames().map((name) => [name, createValue(name)]));
}

function createEnvironment(canaries: Canaries, url: string) {
  const headers = {
    'X-Api-Key': canaries.text('API key'),
    [`X-${canaries.of('name of an own header')}`]: '1',
    'X-Token': `Token ${canaries.of('own token')}`,
    Cookie: `a=${canaries.of('own cookie')}`,
  };
  const folder = test.info().outputPath('temporary');
  mkdirSync(folder, { recursive: true });
  return {
    BASE_URL: addCredentials(canaries, url),
    ...(createIdentifiers(canaries) as { CUSTOMER_IDS?: string }),
    API_HEADERS: JSON.stringify(headers),
    HTTPS_PROXY: addCredentials(canaries, 'http://proxy.invalid:3128', 'proxy '),
    CLIENT_ID: canaries.of('client id'),
    CLIENT_SECRET: canaries.of('client secret'),
    CLIENT_CERT_PASSPHRASE: canaries.of('passphrase'),
    AUTH_MODULE: writeTestFile('sign.mjs', signingModule),
    REPORTS_DIR: test.info().outputPath('reports'),
    MAX_RPS: '1000',
    ...createCallersFolder().callerEnv,
    TMPDIR: folder,
    PWTEST_CACHE_DIR: playwrightCache,
  };
}

/** Reads the files in a zip, or in the zip that a page of Playwright's HTML reporter contains; none for any other file. */
async function readArchive(folder: string, file: ReportFile): Promise<ReportFile[]> {
  const embeddedZip = /data:application\/zip;base64,([\w+/=]+)/;
  const [, embedded] = embeddedZip.exec(file.text) ?? [];
  if (!embedded && !file.name.endsWith('.zip')) return [];
  const bytes = embedded ? Buffer.from(embedded, 'base64') : readFileSync(path.join(folder, file.name));
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  const files: ReportFile[] = [];
  for await (const entry of zip.eachEntry()) {
    const content = await text(await zip.openReadStreamPromise(entry));
    files.push({ name: `${file.name}/${entry.fileName}`, text: content });
  }
  return files;
}
