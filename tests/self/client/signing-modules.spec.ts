import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import { createClient } from '../../client/http-client.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { withEnvironment } from '../harness/process-state.ts';
import { filesBelow } from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';

test.setTimeout(120_000);

const { target } = readConfiguration({}, '/nonexistent');
const signing = new URL('../../client/signing.ts', import.meta.url).href;

/** A folder that belongs to no project: no package.json is beside it or above it. */
let folder: string;

test.beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'signing-modules-'));
  writeFileSync(path.join(folder, 'typed.ts'), 'export const typed: string = "typed";');
});

test.afterEach(() => rmSync(folder, { recursive: true }));

const typed = `
  import type { Sign } from '${signing}';
  import { typed } from './typed.js';
  enum Level { One = 1 }
  const sign: Sign = async ({ path }) => ({ 'x-signature': path + typed + Level.One });
  export default sign;`;
const untyped = "export default ({ path }) => ({ 'x-signature': path });";
const required = "const { sep } = require('node:path'); module.exports = () => ({ 'x-signature': sep });";

/** What no run expects of a module: it is passed over. */
const sendingAnything = [
  ...['null', '"ready"', '[]', '{}', '{ stray: 1 }', '{ id: 1, headers: 5 }', '{ id: 1, headers: [5] }'],
  ...['{ id: 1, headers: [["a", 5]] }', '{ id: 1, failed: 5 }', '{ id: "1" }', '{ stray: { name: {} } }'],
]
  .map((message) => `process.send(${message});`)
  .join(' ');

const modules: [extension: string, text: string, signature: string][] = [
  ['ts', typed, '/atyped1'],
  ['ts', `await Promise.resolve();\n${typed}`, '/atyped1'],
  ['mts', typed, '/atyped1'],
  ['cts', "import { sep } from 'node:path';\nexport default (): object => ({ 'x-signature': sep });", '/'],
  ['cts', required, '/'],
  ['ts', required, '/'],
  ['js', untyped, '/a'],
  ['js', required, '/'],
  ['mjs', untyped, '/a'],
  ['cjs', required, '/'],
  ['mjs', "export default () => new Headers({ 'X-Signature': 'a' })", 'a'],
  ['mjs', "export default () => new Map([['X-Signature', 'a']])", 'a'],
  ['mjs', "export default () => ({ *[Symbol.iterator]() { yield ['x-signature', 'a']; } })", 'a'],
  ['mjs', `export default () => { ${sendingAnything} return { 'x-signature': 'a' }; }`, 'a'],
  ['mjs', "export default ({ headers }) => ({ ...headers, 'x-signature': 7 })", '7'],
];

for (const [index, [extension, text, signature]] of modules.entries()) {
  test(`a module in .${extension} is loaded from anywhere (${index})`, async () => {
    const authModule = path.join(folder, `sign.${extension}`);
    writeFileSync(authModule, text);
    expect(await secretsOf(authModule)).toEqual([signature]);
  });
}

/** What a module has returned, as the one that masks secrets receives it, and as it is received by the target. */
async function secretsOf(authModule: string): Promise<string[]> {
  const secrets: string[] = [];
  const mock = await startMock({
    alter: (answer, { headers }) => {
      expect([headers['x-signature']]).toEqual(secrets);
      return answer;
    },
  });
  const client = await createClient({ ...target, authModule }, mock.url, (secret) => secrets.push(secret));
  expect(await client.get('/a')).toMatchObject({ status: expect.any(Number) });
  await Promise.all([client.close(), mock.close()]);
  expect(mock.requests).toHaveLength(1);
  return secrets;
}

/** Where Playwright keeps what it has compiled, in this process as in a run. */
const compiled = path.join(tmpdir(), `playwright-transform-cache-${process.geteuid?.()}`);

test('the source of a module is copied nowhere', async () => {
  const canaries = new Canaries();
  const temporary = test.info().outputPath('tmp');
  mkdirSync(temporary, { recursive: true });
  const file = path.join(folder, 'sign.ts');
  const text = `export default () => ({ 'x-signature': '${canaries.of('text')}' });`;
  writeFileSync(file, `// ${canaries.of('comment')}\n${text}`);
  const before = Date.now();
  await withEnvironment({ ...process.env, TMPDIR: temporary }, () => secretsOf(file));
  const written = [...filesBelow(temporary), ...filesBelow(compiled, before)];
  expect(existsSync(compiled)).toBe(true);
  expect(canaries.leaksIn(written)).toEqual([]);
});
