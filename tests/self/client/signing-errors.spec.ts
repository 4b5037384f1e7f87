import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import { createClient } from '../../client/http-client.ts';
import { loadSigner } from '../../client/signing.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import type { WholeRun } from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';

test.setTimeout(120_000);

const { target } = readConfiguration({}, '/nonexistent');

/** Modules that cannot sign; `CANARY` is what no one may ever see. */
const broken: [name: string, text: string, says: string][] = [
  ['without a function', 'export const sign = "CANARY";', 'must export a function as its default'],
  ['not JavaScript', '\nexport default ( => "CANARY"', 'could not be loaded: it threw SyntaxError at line 2'],
  [
    'throwing when it is loaded',
    'const a = 1;\n\nthrow new TypeError("CANARY");',
    'could not be loaded: it threw TypeError at line 3',
  ],
  [
    'importing what is not there',
    'import "./CANARY.js";',
    'could not be loaded: it threw Error (ERR_MODULE_NOT_FOUND)',
  ],
  ['ended while it is loaded', 'process.exit(0);', 'ended its process'],
  ['ending the process', 'export default () => process.exit(0)', 'ended its process'],
  [
    'throwing where nobody can catch it',
    'export default () => new Promise(() => setTimeout(() => { throw new EvalError("CANARY") }))',
    'threw EvalError at line 1 where nobody could catch it',
  ],
  [
    'rejecting where nobody can catch it',
    'export default () => new Promise(() => void Promise.reject(new EvalError("CANARY")))',
    'threw EvalError at line 1 where nobody could catch it',
  ],
];

for (const [name, text, says] of broken) {
  test(`a module that is ${name}: the file is named, and nothing else is said`, async () => {
    const canaries = new Canaries();
    const authModule = test.info().outputPath('broken.mjs');
    writeFileSync(authModule, text.replaceAll('CANARY', canaries.of('module')));
    const mock = await startMock();
    const sentence = await sentenceOf(authModule, mock.url).finally(mock.close);
    expect(sentence).toContain(`AUTH_MODULE ${authModule} ${says}`);
    expect(mock.requests).toEqual([]);
    expect(canaries.leaksIn([{ name: 'the sentence', text: sentence }])).toEqual([]);
  });
}

/** Functions that cannot sign a request, of which one process survives each. */
const wrong: [name: string, sign: string, says: string][] = [
  [
    'throwing',
    '() => { throw new RangeError("CANARY") }',
    'threw RangeError at line 1 when it was to sign a request',
  ],
  [
    'reading a file that is not there',
    '() => readFileSync("/CANARY")',
    'threw Error (ENOENT) at line 2 when it was to sign a request',
  ],
  ['rejecting', 'async () => { throw "CANARY" }', 'threw string when it was to sign'],
  ['returning nonsense', '() => "CANARY"', 'must return an object of headers'],
  ['returning a list', '() => [["a", "CANARY"]]', 'must return an object of headers'],
  ['returning a set', '() => new Set(["CANARY", "ab"])', 'must return an object of headers'],
  [
    'returning an object that hides what it holds',
    '() => new (class { #a = "CANARY"; })()',
    'must return an object of headers',
  ],
  [
    'returning no text',
    '() => ({ a: undefined, b: "CANARY" })',
    'returned a header whose value is not a string',
  ],
  [
    'returning an illegal header',
    '() => ({ a: "CANARY\\n" + "x: y\\u0000" })',
    'returned a header that HTTP does not allow',
  ],
  [
    'returning headers of the client',
    '() => ({ Host: "CANARY", "Content-Length": "5", "Proxy-CANARY": "a" })',
    'returned host, content-length, proxy-*: only the client itself may set that',
  ],
  [
    'asking for another media type',
    '() => ({ Accept: "text/CANARY" })',
    'returned accept: only the client itself may set that',
  ],
];

test('whatever a function does in place of signing, the file is named, and nothing else is said', async () => {
  const canaries = new Canaries();
  const authModule = test.info().outputPath('wrong.mjs');
  const functions = wrong.map(([, sign]) => `${sign.replaceAll('CANARY', canaries.of('module'))},\n`);
  const sign = '({ path }) => signing[path.slice(1)]()';
  writeFileSync(
    authModule,
    `const signing = [${functions.join('')}];\nimport { readFileSync } from 'node:fs';\nexport default ${sign};`,
  );
  const mock = await startMock();
  const client = await createClient({ ...target, authModule }, mock.url);
  for (const [index, [name, , says]] of wrong.entries()) {
    const answer = await client.get(`/${index}`);
    const sentence = 'blocked' in answer ? answer.blocked : 'signed';
    expect(sentence, name).toContain(`AUTH_MODULE ${authModule} ${says}`);
    expect(canaries.leaksIn([{ name: 'the sentence', text: sentence }])).toEqual([]);
  }
  await Promise.all([client.close(), mock.close()]);
  expect(mock.requests).toEqual([]);
});

for (const [name, text] of [
  ['never answers', 'export default () => new Promise(() => {})'],
  ['is busy for ever', 'export default () => { for (;;); }'],
] as const) {
  test(`a module that ${name} is given up after REQUEST_TIMEOUT_MS`, async () => {
    const authModule = test.info().outputPath('late.mjs');
    writeFileSync(authModule, text);
    const sentence = await sentenceOf(authModule, 'http://127.0.0.1', 150);
    expect(sentence).toContain(`AUTH_MODULE ${authModule} did not answer within 150 ms (REQUEST_TIMEOUT_MS)`);
  });
}

test('a module that is never loaded is given up after its time', async () => {
  const authModule = test.info().outputPath('late.mjs');
  writeFileSync(authModule, 'await new Promise(() => {}); export default 1;');
  const sentence = `AUTH_MODULE ${authModule} was not loaded within 150 ms`;
  await expect(loadSigner(authModule, 1000, 150)).rejects.toThrow(sentence);
});

/** Why a request could not be signed. */
async function sentenceOf(authModule: string, url: string, timeoutMs = 1000): Promise<string> {
  try {
    const client = await createClient({ ...target, authModule, timeoutMs }, url);
    const answer = await client.get('/a').finally(client.close);
    return 'blocked' in answer ? answer.blocked : 'signed';
  } catch (error) {
    return (error as Error).message;
  }
}

test('what the suite throws is never attributed to a module: nothing of it listens to the process', async () => {
  const authModule = test.info().outputPath('sign.mjs');
  writeFileSync(authModule, 'export default () => ({})');
  const events = ['uncaughtException', 'unhandledRejection', 'exit'];
  const before = events.map((event) => process.listenerCount(event));
  const client = await createClient({ ...target, authModule }, 'http://127.0.0.1');
  expect(events.map((event) => process.listenerCount(event))).toEqual(before);
  await client.close();
});

const runs: [name: string, text: string | undefined, says: string][] = [
  ['missing', undefined, 'AUTH_MODULE names a file that does not exist'],
  ['throwing when it is loaded', 'throw new TypeError("CANARY")', 'could not be loaded: it threw TypeError'],
  ['ending the process from a timer', endingLater(), 'ended its process'],
];

function endingLater(): string {
  return 'setTimeout(() => process.exit(0), 300); export default () => new Promise(() => {});';
}

for (const [name, text, says] of runs) {
  test(`a run with a module that is ${name} is red, says so, and reveals nothing of it`, async () => {
    const canaries = new Canaries();
    const file = test.info().outputPath('broken.mjs');
    if (text !== undefined) writeFileSync(file, text.replaceAll('CANARY', canaries.of('module')));
    const run = await runInProcessAgainst({}, { AUTH_MODULE: file });
    expect(run).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'error', requests: 0 } });
    expectSaid(run, says);
    expect(canaries.leaksIn([...run.files(), { name: 'terminal', text: run.output }])).toEqual([]);
  });
}

function expectSaid({ conformance, output }: WholeRun, sentence: string): void {
  const reasons = conformance?.requirements.map(({ reason }) => reason) ?? [];
  expect([...(conformance?.notes ?? []), ...reasons].join('\n')).toContain(sentence);
  expect(output).toContain(sentence);
  expect(output).not.toMatch(/^\s+at .*:\d+/m);
}
