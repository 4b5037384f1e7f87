import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from '@playwright/test';
import { fromBufferPromise } from 'yauzl';
import { startMock } from '../../../mock/server.ts';
import { identifierVariables } from '../../../src/run/identifier-variables.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { callersFolder, filesBelow, type ReportFile, runSuite, type WholeRun } from '../harness/whole-run.ts';
import type { Canaries } from './canaries.ts';
import type { CanaryKind, CanaryStep } from './canary-kinds.ts';
import { headersOf, knowing, uuid } from './canary-target.ts';

/** The configuration of every run. */
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
    if (run) kind.finish?.(run.reportsDir);
    const files = [...filesBelow(test.info().outputDir), ...filesBelow(common.INIT_CWD)];
    const archived = await archivedFiles(test.info().outputDir, files);
    const left = [...files, ...archived, { name: 'the terminal', text: output.join('\n') }];
    return { code: run?.code ?? null, conformance: run?.conformance, known: passed.join('\n'), left };
  } finally {
    await mock.close();
  }
}

const runStep = ({ args, grep }: CanaryStep, env: Record<string, string>): Promise<WholeRun> =>
  args ? runSuite(env, args()) : runInProcess(env, grep);

/** Writes a file that a run is to read. */
export function fileOf(name: string, text: string): string {
  const file = test.info().outputPath(name);
  writeFileSync(file, text);
  return file;
}

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
function identifiersOf(canaries: Canaries): Record<string, string> {
  const known: Record<string, string> = {
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
    ...identifiersOf(canaries),
    API_HEADERS: JSON.stringify(headers),
    HTTPS_PROXY: addressed(canaries, 'http://proxy.invalid:3128', 'proxy '),
    CLIENT_ID: canaries.of('client id'),
    CLIENT_SECRET: canaries.of('client secret'),
    AUTH_MODULE: fileOf('sign.mjs', signing),
    REPORTS_DIR: test.info().outputPath('reports'),
    MAX_RPS: '1000',
    ...callersFolder().called,
    TMPDIR: folder,
    // Playwright's usual one in spite of TMPDIR, or every run would compile the suite anew.
    PWTEST_CACHE_DIR: path.join(tmpdir(), `playwright-transform-cache-${process.geteuid?.()}`),
  };
}

/** The files in archives below a folder, which hide from a search: zips, and the zip in a page of Playwright's HTML reporter. */
async function archivedFiles(folder: string, files: ReportFile[]): Promise<ReportFile[]> {
  const found = await Promise.all(files.map((file) => contentsOf(folder, file)));
  return found.flat();
}

async function contentsOf(folder: string, file: ReportFile): Promise<ReportFile[]> {
  if (file.name.endsWith('.zip')) return unzipped(file.name, readFileSync(path.join(folder, file.name)));
  const embedded = /data:application\/zip;base64,([\w+/=]+)/.exec(file.text)?.[1];
  return embedded ? unzipped(file.name, Buffer.from(embedded, 'base64')) : [];
}

async function unzipped(name: string, bytes: Buffer): Promise<ReportFile[]> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  const files: ReportFile[] = [];
  for await (const entry of zip.eachEntry())
    files.push({
      name: `${name}/${entry.fileName}`,
      text: await text(await zip.openReadStreamPromise(entry)),
    });
  return files;
}
