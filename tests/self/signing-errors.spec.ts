import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { Canaries } from './canaries.ts';
import { runAgainst, type WholeRun } from './whole-run.ts';

test.setTimeout(120_000);

const everyReporter: string[] = [];

/** Modules that cannot sign; `CANARY` is what no one may ever see. `undefined` is a file that is not there. */
const broken: [name: string, text: string | undefined, says: string][] = [
  ['missing', undefined, 'does not exist: give the path of a TypeScript or JavaScript module'],
  ['without a function', 'export const sign = "CANARY";', 'must export a function as its default'],
  ['not JavaScript', 'export default ( => "CANARY"', 'could not be loaded: it threw'],
  ['throwing when it is loaded', 'throw new TypeError("CANARY")', 'could not be loaded: it threw TypeError'],
  ['never loaded', 'await new Promise(() => {}); export default 1;', 'was not loaded within 10000 ms'],
  ['throwing', 'export default () => { throw new RangeError("CANARY") }', 'threw RangeError when it was to'],
  ['rejecting', 'export default async () => { throw "CANARY" }', 'threw string when it was to sign'],
  ['returning nonsense', 'export default () => "CANARY"', 'must return an object of headers'],
  [
    'returning an illegal header',
    'export default () => ({ a: "CANARY\\n" + "x: y\\u0000" })',
    'HTTP does not',
  ],
  ['never answering', 'export default () => new Promise(() => {})', 'did not answer within 1000 ms'],
];

for (const [name, text, says] of broken) {
  test(`a module that is ${name}: the file is named, and nothing else is said`, async () => {
    const canaries = new Canaries();
    const file = test.info().outputPath('broken.mjs');
    if (text !== undefined) writeFileSync(file, text.replaceAll('CANARY', canaries.of('module')));
    const env = { AUTH_MODULE: file, REQUEST_TIMEOUT_MS: '1000' };
    const run = await runAgainst({}, env, everyReporter);
    expect(run).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'error', requests: 0 } });
    expectSaid(run, `AUTH_MODULE ${file}`, says);
    const files = [...run.files(), { name: 'terminal', text: run.output }];
    expect(canaries.leaksIn(files)).toEqual([]);
  });
}

function expectSaid({ conformance, output }: WholeRun, ...sentences: string[]): void {
  const reasons = conformance?.requirements.map(({ reason }) => reason) ?? [];
  for (const sentence of sentences) {
    expect([...(conformance?.notes ?? []), ...reasons].join('\n')).toContain(sentence);
    expect(output).toContain(sentence);
  }
  expect(output).not.toMatch(/^\s+at .*:\d+/m);
}

test('a module that ends the process does not end the run green', async () => {
  const file = test.info().outputPath('ending.mjs');
  writeFileSync(file, 'export default () => process.exit(0);');
  const { code, output, conformance } = await runAgainst({}, { AUTH_MODULE: file }, everyReporter);
  expect({ code, conformance }).toEqual({ code: 1, conformance: undefined });
  expect(output).toContain('AUTH_MODULE must not end the process');
});
