import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import { createClient } from '../../../src/client/http-client.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import {
  cleanEnvironment,
  playwrightCache,
  readFilesBelow,
  runAgainst,
  runSuite,
} from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';

test.setTimeout(120_000);

const { target } = readConfiguration({}, '/nonexistent');

/** Temporary folder of one test. */
let folder: string;

test.beforeEach(() => {
  // Outside of any npm package, because a `package.json` affects how Node loads files.
  folder = mkdtempSync(path.join(tmpdir(), 'signing-modules-'));
});

test.afterEach(() => rmSync(folder, { recursive: true }));

function writeModule(text: string, name = 'sign.mjs'): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Sends a request signed by a module. Returns its header `x-signature` as the mock received it, or an error message. */
async function sendSigned(moduleFile: string): Promise<{ signature: unknown } | { message: string }> {
  const receivedSignatures: unknown[] = [];
  const mock = await startMock({
    alter: (response, { headers }) => {
      receivedSignatures.push(headers['x-signature']);
      return response;
    },
  });
  try {
    const { outcome, reportedSecrets } = await getWithModule(moduleFile, mock.url);
    expect(mock.requests).toHaveLength('blocked' in outcome ? 0 : 1);
    if ('blocked' in outcome) return { message: outcome.blocked };
    // The client reports each signature as a secret, which reports must not show.
    expect(reportedSecrets).toEqual(receivedSignatures);
    return { signature: receivedSignatures[0] };
  } catch (error) {
    return { message: (error as Error).message };
  } finally {
    await mock.close();
  }
}

async function getWithModule(authModule: string, url: string) {
  const reportedSecrets: string[] = [];
  const settings = { ...target, authModule, timeoutMs: 1000 };
  const client = await createClient(settings, url, (secret) => reportedSecrets.push(secret));
  const outcome = await client.get('/a').finally(client.close);
  return { outcome, reportedSecrets };
}

const esModule = "export default ({ path }) => ({ 'x-signature': path });";
const typeScriptModule =
  "type Headers = Record<string, string>;\nexport default ({ path }: { path: string }): Headers => ({ 'x-signature': path });";
const commonJsModule =
  "const { basename } = require('node:path'); module.exports = () => ({ 'x-signature': basename('x/required') });";
const modules: [extension: string, moduleText: string, signature: string][] = [
  // This module signs with the text `required`, and the next two sign with the path of the request.
  ['js', commonJsModule, 'required'],
  ['mts', typeScriptModule, '/a'],
  ['mjs', esModule, '/a'],
  ['mjs', "export default () => new Headers({ 'X-Signature': 'a' })", 'a'],
  ['mjs', "export default () => new Map([['X-Signature', 'a']])", 'a'],
  ['mjs', "export default async ({ headers }) => ({ ...headers, 'x-signature': '7' })", '7'],
];

for (const [index, [extension, moduleText, signature]] of modules.entries()) {
  test(`a module in .${extension} is loaded from anywhere (${index})`, async () => {
    expect(await sendSigned(writeModule(moduleText, `sign.${extension}`))).toEqual({ signature });
  });
}

test('a module in .ts is loaded from a package of "type": "module"', async () => {
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  expect(await sendSigned(writeModule(typeScriptModule, 'sign.ts'))).toEqual({ signature: '/a' });
});

test('a module in .ts outside such a package is named in a sentence that explains what to do', async () => {
  const file = writeModule(typeScriptModule, 'sign.ts');
  const message = `AUTH_MODULE ${file} could not be loaded: it threw SyntaxError at line 1: unless its package is of "type": "module", name the file .mts`;
  expect(await sendSigned(file)).toEqual({ message });
});

test('a module in .mts is loaded by a run and by the doctor', async () => {
  const file = writeModule(typeScriptModule, 'sign.mts');
  const paths: unknown[] = [];
  const run = await runAgainst(
    {
      alter: (response, { headers }) => {
        paths.push(headers['x-signature']);
        return response;
      },
    },
    { AUTH_MODULE: file, PROBES: 'off' },
  );
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  expect(paths.filter((signed) => !String(signed).startsWith('/'))).toEqual([]);
  expect(runDoctor(file)).toMatchObject({ code: 0, output: expect.stringContaining('AUTH_MODULE') });
});

test('a run whose module cannot be loaded is an error that says why, without an error of this suite', async () => {
  const file = writeModule('export default ( => "a"');
  const run = await runAgainst({}, { AUTH_MODULE: file, PROBES: 'off' });
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'error', customTests: [{ failed: false }] } });
  expect(run.output).toContain(`ERROR: AUTH_MODULE ${file} could not be loaded: it threw SyntaxError`);
  expect(run.output).not.toMatch(/not caught|exited unexpectedly|Errors of this suite/);
});

const [unloaded, unsigned] = ['could not be loaded: it threw', 'could not sign a request: it threw'];
const noHeaders = 'must return an object of headers';
const early = 'const e = RangeError("(/CANARY.js:7)"); e.stack; e.message = "";';
const throwing = '\nexport default () => { throw new RangeError("CANARY (/CANARY.js:7)") }';
const illegal = 'export default () => ({ a: "CANARY\\n" + "x: y\\u0000" })';
const late = 'did not return within 1000 ms (REQUEST_TIMEOUT_MS)';
const notOwn = 'returned host, content-length, proxy-*: only the client itself may set that';
const clientHeaders = 'export default () => ({ Host: "CANARY", "Content-Length": "5", "Proxy-CANARY": "a" })';

/** Faulty signing modules: name, source code, part of the expected error message, and file extension (default: `mjs`). */
const faultyModules: [name: string, moduleText: string, message: string, extension?: string][] = [
  ['without a function', 'export const sign = "CANARY";', 'must export a function as its default'],
  ['not JavaScript', '\nexport default ( => "CANARY"', `${unloaded} SyntaxError`],
  ['broken', 'const a = 1;\n\nthrow new TypeError("CANARY");', `${unloaded} TypeError at line 3`],
  ['importing nothing', 'import "./CANARY.js";', `${unloaded} Error (ERR_MODULE_NOT_FOUND)`],
  ['throwing', throwing, `${unsigned} RangeError at line 2`],
  ['throwing in TypeScript', `type Text = string;${throwing}`, `${unsigned} RangeError at line 2`, 'mts'],
  ['no TypeScript', 'export default (: string => "CANARY"', `${unloaded} SyntaxError`, 'mts'],
  [
    // The module reads the stack and then empties the message, so that the stack still shows the old message.
    'throwing an old stack',
    `\nexport default () => { ${early} throw e }`,
    `${unsigned} RangeError at line 2`,
  ],
  ['never answering', 'export default () => new Promise(() => {})', late],
  ['returning nonsense', 'export default () => "CANARY"', noHeaders],
  ['returning a name that is no text', 'export default () => new Map([[1, "CANARY"]])', noHeaders],
  ['returning lines', 'export default () => ["CANARY: a"]', noHeaders],
  ['returning an illegal header', illegal, 'returned a header that HTTP does not allow'],
  ['returning headers of the client', clientHeaders, notOwn],
];

for (const [name, moduleText, message, extension = 'mjs'] of faultyModules) {
  test(`a module that is ${name} leads to a sentence that names the file and no text of it`, async () => {
    const canaries = new Canaries();
    const file = writeModule(
      moduleText.replaceAll('CANARY', canaries.getCode('module')),
      `sign.${extension}`,
    );
    const outcome = await sendSigned(file);
    expect(outcome).toEqual({ message: expect.stringContaining(`AUTH_MODULE ${file} ${message}`) });
    expect(canaries.findLeaks([{ name: 'the sentence', text: JSON.stringify(outcome) }])).toEqual([]);
  });
}

test('a module that cannot parse a token is not taken for one with a syntax error', async () => {
  const file = writeModule('export default () => JSON.parse("<html>")', 'sign.mjs');
  expect(await sendSigned(file)).toEqual({
    message: expect.stringMatching(/it threw SyntaxError at line 1$/),
  });
});

async function runTests(AUTH_MODULE: string) {
  // A second earlier, because some file systems round the time of a file.
  const startedAt = Date.now() - 1000;
  const env = { AUTH_MODULE, TMPDIR: folder, PWTEST_CACHE_DIR: playwrightCache };
  const { code, output, files } = await runSuite(env);
  expect(existsSync(playwrightCache)).toBe(true);
  const temporaryFiles = readFilesBelow(folder).filter(({ name }) => !name.startsWith('sign.'));
  const cachedFiles = readFilesBelow(playwrightCache, startedAt);
  return { code, output, leftFiles: [...files(), ...temporaryFiles, ...cachedFiles] };
}

function runDoctor(AUTH_MODULE: string) {
  const env = { ...cleanEnvironment(), AUTH_MODULE, BASE_URL: 'mock' };
  const args = ['--import', 'tsx', 'commands/doctor.ts'];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  const atMostOneLine = /^(\n?.*\n)?$/;
  expect(stderr).toMatch(atMostOneLine);
  return { code: status, output: stdout + stderr, leftFiles: [] };
}

const later = (statement: string) =>
  `/* CANARY */ setTimeout(() => { ${statement} }, 100); export default () => new Promise(() => {});`;
const notEnding = /AUTH_MODULE (must not end the process|ended it)/;
const ends: [
  name: string,
  text: string,
  message: string | RegExp,
  by: (typeof runTests | typeof runDoctor)[],
][] = [
  ['ending the process when it is loaded', 'process.exit(0)', notEnding, [runDoctor]],
  ['ending the process from a timer', later('process.exit(0)'), notEnding, [runTests]],
  ['throwing from a timer', later('throw new EvalError("CANARY")'), 'EvalError', [runTests, runDoctor]],
];

for (const [name, text, message, by] of ends)
  test(`a module that is ${name} ends a run or the doctor red, and no file or terminal has its text`, async () => {
    const canaries = new Canaries();
    const file = writeModule(text.replaceAll('CANARY', canaries.getCode('module')));
    for (const end of by) {
      const { code, output, leftFiles } = await end(file);
      expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(message) });
      expect(canaries.findLeaks([...leftFiles, { name: 'terminal', text: output }])).toEqual([]);
    }
  });
