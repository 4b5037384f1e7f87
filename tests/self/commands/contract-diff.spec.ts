import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { type ContractDiff, compareWith } from '../../../commands/contract-diff/compare.ts';
import { textsAt } from '../../../commands/contract-diff/earlier-texts.ts';
import { diffMarkdown } from '../../../commands/contract-diff/markdown.ts';
import { compareContracts } from '../../../commands/contract-diff/requirements.ts';
import { schemaSteps } from '../../../commands/contract-diff/schema-steps.ts';
import { buildContract, type Schema, type SpecTexts } from '../../../schemas/contract/contract.ts';
import { requirementsOf } from '../../../schemas/contract/requirements.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { edited, recordings, repository, texts, yearPattern } from './changed-contract.ts';

const { target } = readConfiguration({ TRAFFIC: '-' }, '/nonexistent');

/** Adds a field, tightens a pattern, drops a value, and renames an operation. */
function changed(): SpecTexts {
  const added = texts['openapi.yaml'].replace(
    /( +)expiration_date:\n/,
    (line, indent) =>
      `${indent}nickname:\n${indent}  type: string\n${indent}  description: Another name.\n${indent}  x-source: "2.2"\n${indent}  x-data-classification: { category: content, sensitivity: confidential }\n${line}`,
  );
  expect(added).not.toBe(texts['openapi.yaml']);
  let all: SpecTexts = { ...texts, 'openapi.yaml': added };
  all = edited(all, 'openapi.yaml', yearPattern, 'pattern: ^(0[1-9]|1[0-2])/[23][0-9]$');
  all = edited(all, 'openapi.yaml', ', Suspended, Terminated]', ', Suspended]');
  all = edited(all, 'openapi.yaml', 'physical_status: Terminated', 'physical_status: Idle');
  for (const name of ['openapi.yaml', 'requirements.yaml'] as const)
    all = edited(all, name, 'getFeeRules', 'getTopUpFees');
  return all;
}

async function diffOf(now: SpecTexts, judge: string[] = []): Promise<ContractDiff> {
  const recordFile = test.info().outputPath('observed', 'staging.json');
  mkdirSync(path.dirname(recordFile), { recursive: true });
  writeFileSync(recordFile, JSON.stringify({ 'write-operations': 'HTTP 404', 'no-such-question': 'yes' }));
  return compareWith({ folder: repository(now), ref: 'HEAD', judge, target: { ...target, recordFile } });
}

test('a field more, a tighter pattern, a value less, an operation renamed: each is said for what it is', async () => {
  const diff = await diffOf(changed(), [recordings]);
  expect(diff.added.map(({ address }) => address)).toEqual(['getCard/data/card/nickname']);
  expect(diff.removed).toEqual([]);
  const own = requirementsOf(buildContract(texts)).filter(({ operation }) => operation === 'getFeeRules');
  expect(diff.renamed).toEqual([{ before: 'getFeeRules', now: 'getTopUpFees', requirements: own.length }]);
  expect(diff.changed.map(({ requirement, direction }) => `${requirement.address} ${direction}`)).toEqual([
    'getCard/data/card/expiration_date changed',
    'getCard/data/card/physical_status stricter',
  ]);
  const page = diffMarkdown(diff);
  expect(page).toContain('it rejects some of what it accepted, and nothing that it rejected, in 200 samples');
  expect(page).toContain('`enum` no longer has `Terminated`');
  expect(page).toContain('`getFeeRules` is `getTopUpFees` now');
  expect(diff.ledger.map(({ says }) => says)).toEqual(
    Array(3).fill(expect.stringContaining('unknown requirement')),
  );
  expect(diff.recorded).toEqual([
    expect.objectContaining({ says: expect.stringContaining('`no-such-question`') }),
  ]);
  expect(diff.document?.map(({ impact }) => impact)).toContain('major');
  expect(diffMarkdown(withText('@team', diff)).replace(/`[^`\n]*`/g, '')).not.toContain('@team');
});

/** The same with a text wherever a file or the contract has one. */
const withText = (text: string, diff: ContractDiff): ContractDiff => ({
  ...diff,
  ref: `\` ${text}`,
  added: diff.added.map((one) => ({ ...one, statement: text })),
  changed: diff.changed.map((one) => ({ ...one, steps: one.steps.map((step) => ({ ...step, says: text })) })),
  ledger: diff.ledger.map((one) => ({ ...one, says: text })),
  recorded: diff.recorded.map((one) => ({ ...one, file: text, says: text })),
});

test('what is the same is said to be: no requirement, no verdict, no change of the document', async () => {
  const diff = await diffOf(texts, [recordings]);
  expect(diff).toMatchObject({
    added: [],
    removed: [],
    changed: [],
    renamed: [],
    reworded: 0,
    ledger: [],
    document: [],
  });
  expect(diff.replayed?.answers).toBeGreaterThan(3);
  expect(diff.replayed?.verdicts).toEqual([]);
});

const schemas: [name: string, before: Schema, now: Schema, direction: string, inverse?: string][] = [
  ['a type that is narrower', { type: 'number' }, { type: 'integer' }, 'stricter'],
  ['another type', { type: 'string' }, { type: 'number' }, 'changed'],
  ['a constant', { type: 'string' }, { type: 'string', const: 'a' }, 'stricter'],
  ['a value more', { enum: ['a'] }, { enum: ['a', 'b'] }, 'looser'],
  ['a value for another', { enum: ['a'] }, { enum: ['b'] }, 'changed'],
  ['no pattern any more', { pattern: 'a' }, {}, 'looser'],
  ['a greater minimum', { minimum: 1 }, { minimum: 2 }, 'stricter'],
  ['a greater maximum', { maxLength: 1 }, { maxLength: 2 }, 'looser'],
  ['another format', { format: 'date' }, { format: 'date-time' }, 'changed'],
];

for (const [name, before, now, direction] of schemas) {
  test(`${name}: ${direction}`, () => {
    expect(schemaSteps(before, now).map((step) => step.direction)).toEqual([direction]);
  });
}

test('another level is neither stricter nor looser: a SHOULD that is broken is a violation, too', () => {
  const rule = 'operations: [listCustomers]\n  level: ';
  const now = buildContract(edited(texts, 'requirements.yaml', `${rule}MUST`, `${rule}SHOULD`));
  const { changed } = compareContracts(buildContract(texts), now);
  expect(changed.length).toBeGreaterThan(0);
  for (const { direction, steps } of changed)
    expect({ direction, says: steps.map(({ says }) => says) }).toEqual({
      direction: 'changed',
      says: ['it was a MUST, and is a SHOULD: a breach of either is a violation'],
    });
});

test('what a parameter may be, a provider has to accept: more of that is stricter', () => {
  const now = edited(texts, 'openapi.yaml', 'enum: [User, Store]', 'enum: [User, Store, Shop]');
  const { changed } = compareContracts(buildContract(texts), buildContract(now));
  expect(changed.map(({ requirement, direction }) => `${requirement.address} ${direction}`)).toEqual([
    'listCustomers/parameters/linked_source_type stricter',
  ]);
});

test('a commit that is not there, an option of Git, and a mistake of now are one sentence each', async () => {
  const folder = repository({ ...texts, 'openapi.yaml': 'openapi: [' });
  for (const ref of ['v99', '--output=/tmp/x'])
    expect(() => textsAt(folder, ref)).toThrow(`there is no commit, branch or tag "${ref}" here`);
  const order = {
    folder,
    ref: 'HEAD',
    judge: [],
    target: { ...target, recordFile: '/nonexistent/staging.json' },
  };
  await expect(compareWith(order)).rejects.toThrow('the contract has a mistake: spec/openapi.yaml, line 1');
  const { status, stderr } = await runCommand('commands/contract-diff.ts', []);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^contract:diff: usage: npm run contract:diff -- REF .*\n$/);
});
