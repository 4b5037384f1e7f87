import { mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from '@playwright/test';
import { fromBufferPromise } from 'yauzl';
import { startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { listIdentifierNames } from '../../../src/run/identifier-variables.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import {
  callersFolder,
  type Environment,
  filesBelow,
  type ReportFile,
  runSuite,
  type WholeRun,
  writeTestFile,
} from '../harness/whole-run.ts';
import type { Canaries } from './canaries.ts';
import { type Canary, createHeaders, knowing, uuid } from './canary-target.ts';

/** Step of a run, by default against a target that knows every identifier, with the common environment. */
interface CanaryStep {
  alter?: Canary;
  env?(common: Common, canaries: Canaries): Environment | Promise<Environment>;
  /** Arguments of a run in its own process, for output of Playwright or Node itself. Other runs are in this process. */
  args?(): string[];
  /** Selects requirements for a run in this process. */
  grep?: RegExp;
}

/** Kind of run with its expected end. Rendered reports are searched in `shards.spec.ts` and `pages-allure.spec.ts`. */
export interface CanaryKind extends CanaryStep {
  /** Undefined if nothing can be written. */
  verdict: Conformance['verdict'] | undefined;
  /** Expected text in a note. */
  says?: RegExp;
  /** Text that the terminal must not show. */
  unsaid?: RegExp;
  /** Expected text on the terminal. */
  prints?: RegExp;
  /** Names of files that the run leaves, some of them in archives. */
  leaves?: string[];
  /** Places that must have marks. */
  marks?: string[];
  /** Minimum number of violations. */
  violations?: number;
  /** Earlier run into the same folder. */
  earlier?: CanaryStep;
}

export type Common = ReturnType<typeof createEnvironment>;

/** Finished run, with all texts that it could have leaked and all files that it left. */
export interface WatchedRun extends Pick<WholeRun, 'code' | 'conformance'> {
  /** Configuration, requests and responses of the run. */
  known: string;
  /** Written files, temporary ones included, and the output of the terminal. */
  writtenFiles: ReportFile[];
}

/** Runs against a target that records all requests and responses. */
export async function watch(kind: CanaryKind, canaries: Canaries): Promise<WatchedRun> {
  const passedTexts: string[] = [];
  let alter = knowing(canaries);
  const mock = await startMock({
    choices: { prefix: `/${canaries.of('path of the address')}` },
    alter: async (answer, request) => {
      const headers = { ...answer.headers, ...createHeaders(canaries) };
      const altered = await alter({ ...answer, headers }, request);
      passedTexts.push(JSON.stringify([request, altered]));
      return altered;
    },
  });
  const common = createEnvironment(canaries, mock.url);
  const output: string[] = [];
  try {
    let run: WholeRun | undefined;
    for (const step of [...(kind.earlier ? [kind.earlier] : []), kind]) {
      alter = (step.alter ?? knowing)(canaries);
      const env = { ...common, ...(await step.env?.(common, canaries)) };
      run = await runStep(step, env);
      passedTexts.push(JSON.stringify(env));
      output.push(run.output);
    }
    const files = [...filesBelow(test.info().outputDir), ...filesBelow(common.INIT_CWD)];
    const archivedFiles = await Promise.all(files.map((file) => readArchive(test.info().outputDir, file)));
    const writtenFiles = [
      ...files,
      ...archivedFiles.flat(),
      { name: 'the terminal', text: output.join('\n') },
    ];
    return {
      code: run?.code ?? null,
      conformance: run?.conformance,
      known: passedTexts.join('\n'),
      writtenFiles: writtenFiles,
    };
  } finally {
    await mock.close();
  }
}

const runStep = ({ args, grep }: CanaryStep, env: Record<string, string>): Promise<WholeRun> =>
  args ? runSuite(env, args()) : runInProcess(env, grep);

const addCredentials = (canaries: Canaries, url: string, kind = '') =>
  url.replace(
    '//',
    `//${canaries.of(`${kind}user`)}:${encodeURIComponent(canaries.text(`${kind}password`))}@`,
  );

/** Module that signs with values from the environment. */
const signingModule = `
import { env } from 'node:process';
export default () => ({ 'x-client': env.CLIENT_ID, 'x-signature': env.CLIENT_SECRET });`;

/** Creates values for every variable of identifiers, including variables that are added later. */
function createIdentifiers(canaries: Canaries): Environment {
  const knownValues: Environment = {
    CARD_IDS: `${uuid(canaries, 'card id')},${uuid(canaries, 'card id')}`,
    CUSTOMER_IDS: `${canaries.of('customer id')},${uuid(canaries, 'customer uuid')}`,
    USER_IDS: `${canaries.of('user id')},${canaries.phrase('user id in words')}`,
  };
  const createValue = (name: string) => knownValues[name] ?? uuid(canaries, `value of ${name}`);
  return Object.fromEntries(listIdentifierNames().map((name) => [name, createValue(name)]));
}

/** Creates the environment of a run, with a mark in each variable that can hold one. */
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
    ...callersFolder().called,
    TMPDIR: folder,
    // Playwright's default in spite of TMPDIR; otherwise every run would compile the suite anew.
    PWTEST_CACHE_DIR: path.join(tmpdir(), `playwright-transform-cache-${process.geteuid?.()}`),
  };
}

/** Reads the files in an archive: a zip, or the zip embedded in a page of Playwright's HTML reporter. */
async function readArchive(folder: string, file: ReportFile): Promise<ReportFile[]> {
  const [, embedded] = /data:application\/zip;base64,([\w+/=]+)/.exec(file.text) ?? [];
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
