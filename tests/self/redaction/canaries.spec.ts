import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import { operations } from '../harness/edits.ts';
import { Canaries } from './canaries.ts';
import { type CanaryKind, kinds, whispered } from './canary-kinds.ts';
import { watch } from './canary-run.ts';
import { knowing, provider, wreckedRecord } from './canary-target.ts';

test.setTimeout(120_000);

test('the search finds a mark in every encoding', () => {
  const canaries = new Canaries();
  const mark = canaries.of('x');
  const basic = Buffer.from(`user:${mark}@example.com`).toString('base64');
  const forms = [
    mark,
    mark.toUpperCase(),
    `"…${mark.slice(0, 12)}`,
    encodeURIComponent(canaries.text('x')),
    basic,
  ];
  const texts = [...forms, JSON.stringify(canaries.text('x')), Buffer.from(`ab${mark}`).toString('hex')];
  for (const text of texts) expect(canaries.leaksIn([{ name: 'file', text }]), text).toEqual(['x in file']);
  expect(canaries.leaksIn([{ name: 'file', text: new Canaries().of('x') }])).toEqual([]);
});

/** Names of the fields that hold a value. */
const fields = loadContract()
  .operations.flatMap(nodesOf)
  .filter(({ schema }) => !schema.properties && !schema.items)
  .map(({ name }) => name.replace('[]', ''));

test('every field of the contract has a mark where all of an answer is wrong', async () => {
  const canaries = new Canaries();
  const alter = provider(wreckedRecord(canaries));
  const request = { method: 'GET', path: '/', headers: {}, ordinal: 1 };
  for (const operation of operations) {
    const parameters = operation === 'getFeeRules' ? { type: 'user', user_id: '1' } : { id: '1' };
    await alter({ status: 200, headers: {}, body: null }, { ...request, operation, parameters });
  }
  expect(fields.length).toBeGreaterThan(30);
  expect(canaries.places()).toEqual(expect.arrayContaining(fields));
});

for (const [name, kind] of Object.entries(kinds)) {
  test(`${name}: nothing is left of what it received and answered`, async () => {
    const canaries = new Canaries();
    const { code, conformance, known, left } = await watch(kind, canaries);
    expect(canaries.leaksIn(left)).toEqual([]);
    expect(left.at(-1)?.text).not.toMatch(kind.unsaid ?? /^never$/);
    const archived = left.filter((file) => /\.(zip|html)\/./.test(file.name));
    expect(archived.length > 0).toBe(kind.archives ?? false);
    expect(conformance?.verdict).toBe(kind.verdict);
    expect(code === 0).toBe(kind.verdict === 'pass');
    expect(conformance?.notes.join('\n')).toMatch(kind.says ?? '');
    if (kind.violations) expect(violationsIn(conformance)).toBe(kind.violations);
    expect(canaries.placesIn(known), 'where the run could have found them').toEqual(canaries.places());
    expect(canaries.places().length).toBeGreaterThanOrEqual(15);
  });
}

test('reports into a file: nothing is left in the sentence that says so', async () => {
  const canaries = new Canaries();
  const env: CanaryKind['env'] = (...of) => {
    const settings = whispered(...of);
    const { REPORTS_DIR = '' } = settings;
    mkdirSync(path.dirname(REPORTS_DIR), { recursive: true });
    writeFileSync(REPORTS_DIR, '');
    return settings;
  };
  const { code, left } = await watch({ env, verdict: 'error' }, canaries);
  expect(code).toBe(1);
  expect(left.map(({ text }) => text).join('\n')).toMatch(
    /REPORTS_DIR \(.*\) cannot be written: a file is in/,
  );
  expect(canaries.leaksIn(left)).toEqual([]);
});

const violationsIn = (conformance?: Conformance) =>
  conformance?.requirements.filter(({ verdict }) => verdict === 'violation').length;

/** A target in whose process a run tells what it should not: as it stands in the terminal, and encoded in a file. */
const leaking =
  (canaries: Canaries): Alter =>
  (answer, request) => {
    const folder = test.info().outputPath('reports/a/b');
    mkdirSync(folder, { recursive: true });
    const secret = Buffer.from(`secret=${canaries.of('client secret')}`);
    writeFileSync(path.join(folder, 'c.txt'), secret.toString('base64'));
    process.stdout.write(canaries.of('user id'));
    return knowing(canaries)(answer, request);
  };

test('a leak on purpose is found', async () => {
  const canaries = new Canaries();
  const { left } = await watch({ alter: leaking, grep: /getFeeRules\/code$/, verdict: 'pass' }, canaries);
  const file = path.normalize('reports/a/b/c.txt');
  expect(canaries.leaksIn(left)).toEqual([`client secret in ${file}`, 'user id in the terminal']);
});
