import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { checkConformance } from '../../../reports/read-conformance.ts';
import { runCommand, runScript } from '../harness/in-process-command.ts';
import { judgedRun } from '../harness/judged-runs.ts';

let whole: Conformance;
test.describe.configure({ mode: 'default' });
test.beforeAll(async () => {
  whole = await judgedRun({}, { name: 'production' });
});

/** A run that breaks one requirement. */
const broken = () =>
  judgedRun({ alter: altering('getCard', set('data/card/title', 7)) }, { name: 'staging' });

const wrong: [name: string, change: object, says: RegExp][] = [
  ['another version', { schemaVersion: 99 }, /schemaVersion must be equal/],
  ['a count that is text', { requests: '7' }, /requests must be integer/],
  ['no requirements', { requirements: undefined }, /required property 'requirements'/],
  ['an unknown field', { colour: 1 }, /additional properties/],
  ['counts of nothing', { coverage: JSON.parse('{"__proto__":{"seen":{}}}') }, /coverage must/],
];
for (const [name, change, says] of wrong) {
  test(`a file with ${name} is rejected in one sentence`, () => {
    const value = JSON.parse(JSON.stringify({ ...whole, ...change }));
    expect(() => checkConformance(value, 'a.json')).toThrow(says);
    expect(() => checkConformance(value, 'a.json')).toThrow(/^a\.json is no conformance\.json/);
  });
}

// npm hands arguments on as in `npm-scripts.spec.ts`.
test('the command writes a page and a summary, and ends with 0 for any difference', async () => {
  const files = ['staging.json', 'production.json'].map((name) => test.info().outputPath(name));
  const runs = [await broken(), whole];
  for (const [index, file] of files.entries()) writeFileSync(file, JSON.stringify(runs[index]));
  const output = test.info().outputPath('out/compare');
  const { status, stdout } = await runScript('compare', [...files, '--output', output]);
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('1 difference between') });
  expect(readFileSync(`${output}/compare.html`, 'utf8')).toContain('<h1>1 difference');
  expect(readFileSync(`${output}/compare.md`, 'utf8')).toContain('## 1 difference');
});

test('the command ends with 2 and one sentence on input that it cannot compare', async () => {
  const compare = (...args: string[]) => runCommand('reports/compare.ts', args);
  const { status, stderr } = await compare(
    'package.json',
    'package.json',
    '--output',
    test.info().outputPath('x'),
  );
  expect(status).toBe(2);
  expect(stderr).toMatch(/^compare: package\.json is no conformance\.json.*\n$/);
  expect((await compare('package.json')).stderr).toContain('usage: npm run compare');
});
