import { mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from '@playwright/test';
import { fromBufferPromise } from 'yauzl';
import { startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { identifierVariables } from '../../../src/run/identifier-variables.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import {
  callersFolder,
  type Environment,
  fileOf,
  filesBelow,
  type ReportFile,
  runSuite,
  type WholeRun,
} from '../harness/whole-run.ts';
import type { Canaries } from './canaries.ts';
import { type Canary, headersOf, knowing, uuid } from './canary-target.ts';

/** A run: against a target that knows everything, and with what every run is given, unless it says otherwise. */
interface CanaryStep {
  alter?: Canary;
  env?(common: Common, canaries: Canaries): Environment | Promise<Environment>;
  /** Options of a run in a process of its own, for what Playwright or Node itself may print. Other runs are in this process. */
  args?(): string[];
  /** Selects requirements of a run in this process. */
  grep?: RegExp;
}

/** A kind of run, and how it ends. What is rendered of one is searched in `shards.spec.ts` and `pages-allure.spec.ts`. */
export interface CanaryKind extends CanaryStep {
  /** None where nothing can be written. */
  verdict: Conformance['verdict'] | undefined;
  /** What one of its notes says. */
  says?: RegExp;
  /** What the terminal does not say. */
  unsaid?: RegExp;
  /** What the terminal says. */
  prints?: RegExp;
  /** Names of files that it leaves, some of them in archives. */
  leaves?: string[];
  /** Places that have marks. */
  marks?: string[];
  /** How many requirements it finds broken at least. */
  violations?: number;
  /** A run before it, into the same folder. */
  earlier?: CanaryStep;
}

export type Common = ReturnType<typeof environmentOf>;

/** A run, with all that it could have leaked and all that it left. */
export interface Watched extends Pick<WholeRun, 'code' | 'conformance'> {
  /** Its configuration, its requests and their responses. */
  known: string;
  /** Every file that was written, temporary ones too, and what the terminal showed. */
  left: ReportFile[];
}

/** Runs against a target that writes down what passes. */
export async function watch(kind: CanaryKind, canaries: Canaries): Promise<Watched> {
  const passed: string[] = [];
  let alter = knowing(canaries);
  const mock = await startMock({
    choices: { prefix: `/${canaries.of('path of the address')}` },
    alter: async (answer, request) => {
      const headers = { ...answer.headers, ...headersOf(canaries) };
      const altered = await alter({ ...answer, headers }, request);
      passed.push(JSON.stringify([request, altered]));
      return altered;
    },
  });
  const common = environmentOf(canaries, mock.url);
  const output: string[] = [];
  try {
    let run: WholeRun | undefined;
    for (const step of [...(kind.earlier ? [kind.earlier] : []), kind]) {
      alter = (step.alter ?? knowing)(canaries);
      const env = { ...common, ...(await step.env?.(common, canaries)) };
      run = await runStep(step, env);
      passed.push(JSON.stringify(env));
      output.push(run.output);
    }
    const files = [...filesBelow(test.info().outputDir), ...filesBelow(common.INIT_CWD)];
    const archived = await Promise.all(files.map((file) => contentsOf(test.info().outputDir, file)));
    const left = [...files, ...archived.flat(), { name: 'the terminal', text: output.join('\n') }];
    return { code: run?.code ?? null, conformance: run?.conformance, known: passed.join('\n'), left };
  } finally {
    await mock.close();
  }
}

const runStep = ({ args, grep }: CanaryStep, env: Record<string, string>): Promise<WholeRun> =>
  args ? runSuite(env, args()) : runInProcess(env, grep);

const addressed = (canaries: Canaries, url: string, kind = '') =>
  url.replace(
    '//',
    `//${canaries.of(`${kind}user`)}:${encodeURIComponent(canaries.text(`${kind}password`))}@`,
  );

/** It signs with what it finds in the environment. */
const signing = `
import { env } from 'node:process';
export default () => ({ 'x-client': env.CLIENT_ID, 'x-signature': env.CLIENT_SECRET });`;

/** Every variable of identifiers: the values of a new one are searched for as well. */
function identifiersOf(canaries: Canaries): Environment {
  const known: Environment = {
    CARD_IDS: `${uuid(canaries, 'card id')},${uuid(canaries, 'card id')}`,
    CUSTOMER_IDS: `${canaries.of('customer id')},${uuid(canaries, 'customer uuid')}`,
    USER_IDS: `${canaries.of('user id')},${canaries.phrase('user id in words')}`,
  };
  const markOf = (name: string) => known[name] ?? uuid(canaries, `value of ${name}`);
  return Object.fromEntries(identifierVariables().map((name) => [name, markOf(name)]));
}

/** Variables of a run, a mark in each that can hold one. */
function environmentOf(canaries: Canaries, url: string) {
  const headers = {
    'X-Api-Key': canaries.text('API key'),
    [`X-${canaries.of('name of an own header')}`]: '1',
    'X-Token': `Token ${canaries.of('own token')}`,
    Cookie: `a=${canaries.of('own cookie')}`,
  };
  const folder = test.info().outputPath('temporary');
  mkdirSync(folder, { recursive: true });
  return {
    BASE_URL: addressed(canaries, url),
    ...(identifiersOf(canaries) as { CUSTOMER_IDS?: string }),
    API_HEADERS: JSON.stringify(headers),
    HTTPS_PROXY: addressed(canaries, 'http://proxy.invalid:3128', 'proxy '),
    CLIENT_ID: canaries.of('client id'),
    CLIENT_SECRET: canaries.of('client secret'),
    CLIENT_CERT_PASSPHRASE: canaries.of('passphrase'),
    AUTH_MODULE: fileOf('sign.mjs', signing),
    REPORTS_DIR: test.info().outputPath('reports'),
    MAX_RPS: '1000',
    ...callersFolder().called,
    TMPDIR: folder,
    // Playwright's usual one in spite of TMPDIR, or every run would compile the suite anew.
    PWTEST_CACHE_DIR: path.join(tmpdir(), `playwright-transform-cache-${process.geteuid?.()}`),
  };
}

/** What hides from a search in an archive: a zip, or the one in a page of Playwright's HTML reporter. */
async function contentsOf(folder: string, file: ReportFile): Promise<ReportFile[]> {
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
