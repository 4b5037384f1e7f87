import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { type ContractDiff, compareWith } from '../../../commands/contract-diff/compare.ts';
import { textsAt } from '../../../commands/contract-diff/earlier-texts.ts';
import { diffMarkdown } from '../../../commands/contract-diff/markdown.ts';
import { changedVerdicts, replay } from '../../../commands/contract-diff/replay.ts';
import { compareContracts } from '../../../commands/contract-diff/requirements.ts';
import { schemaSteps } from '../../../commands/contract-diff/schema-steps.ts';
import {
  buildContract,
  type Contract,
  readSpecTexts,
  type Schema,
  type SpecTexts,
} from '../../../schemas/contract/contract.ts';
import { requirementsOf } from '../../../schemas/contract/requirements.ts';
import { runCommand } from '../harness/in-process-command.ts';

const texts = readSpecTexts();
const recordings = fileURLToPath(new URL('../traffic/recordings/mitmproxy-conforming.har', import.meta.url));

/** Replaces text of a file that must hold it. */
function edited(all: SpecTexts, name: keyof SpecTexts, from: string, to: string): SpecTexts {
  expect(all[name]).toContain(from);
  return { ...all, [name]: all[name].replaceAll(from, to) };
}

const yearPattern = 'pattern: ^(0[1-9]|1[0-2])/[0-9]{2}$';

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

/** A repository whose last commit has the contract as it is, and whose work tree has another one. */
function repository(now: SpecTexts): string {
  const root = test.info().outputPath('repository');
  const folder = path.join(root, 'contract');
  mkdirSync(folder, { recursive: true });
  const write = (all: SpecTexts) => {
    for (const [name, text] of Object.entries(all)) writeFileSync(path.join(folder, name), text);
  };
  const settings = [
    'user.name=a',
    'user.email=a@example.com',
    'commit.gpgSign=false',
    'core.hooksPath=/dev/null',
  ];
  const git = (...args: string[]) =>
    execFileSync('git', [...settings.flatMap((one) => ['-c', one]), ...args], { cwd: root, stdio: 'ignore' });
  git('init', '-q');
  write(texts);
  git('add', '.');
  git('commit', '-qm', 'The contract');
  write(now);
  return folder;
}

async function diffOf(now: SpecTexts, judge: string[] = []): Promise<ContractDiff> {
  const recordFile = test.info().outputPath('observed', 'staging.json');
  mkdirSync(path.dirname(recordFile), { recursive: true });
  writeFileSync(recordFile, JSON.stringify({ 'write-operations': 'HTTP 404', 'no-such-question': 'yes' }));
  return compareWith({ folder: repository(now), ref: 'HEAD', judge, recordFile });
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

test('verdicts that change on the same recorded answers are listed, with their number and no value', async () => {
  const now = edited(texts, 'openapi.yaml', yearPattern, 'pattern: ^13/[0-9]{2}$');
  const examples = now['openapi.yaml'].replace(/expiration_date: .*\d.*/g, 'expiration_date: "13/29"');
  const contracts = [texts, { ...now, 'openapi.yaml': examples }].map(buildContract) as [Contract, Contract];
  const verdicts = changedVerdicts(await replay(...contracts, [recordings]), new Map());
  expect(verdicts).toEqual([
    {
      address: 'getCard/data/card/expiration_date',
      before: 'pass',
      now: expect.stringMatching(/^violation in (\d+) of \1 answers$/),
    },
  ]);
});

const har = readFileSync(recordings, 'utf8');
const cut = har.slice(0, har.indexOf('startedDateTime', har.indexOf('/fee_rule')));
const otherPath = JSON.stringify({
  log: { entries: [{ request: { method: 'GET', url: 'https://a.example/' } }] },
});

const unjudged: [name: string, file: string, text: string, says: RegExp][] = [
  ['cut', 'a.har', '{"log":{"entries":[{"x', /which cannot be judged: ends early at byte \d+$/],
  ['no text', 'a.har', '\u0001\u0002\uffff\u0000', /which cannot be judged: /],
  ['a broken archive', 'a.zip', 'PK\u0003\u0004junk', /which cannot be judged: /],
  ['empty', 'a.jsonl', '', /which cannot be judged: it holds no recorded traffic$/],
  [
    'without entries',
    'a.har',
    '{"log":{"entries":[]}}',
    /which cannot be judged: it holds no recorded traffic$/,
  ],
  ['of another API', 'a.har', otherPath, /^no answer that --judge names can be judged: 1 \w/],
];

for (const [name, file, text, says] of unjudged) {
  test(`a recording that is ${name} is rejected beside one that is whole`, async () => {
    const source = test.info().outputPath(file);
    writeFileSync(source, text);
    const contract = buildContract(texts);
    const others = name === 'of another API' ? [] : [recordings];
    await expect(replay(contract, contract, [...others, source])).rejects.toThrow(says);
  });
}

test('what is cut behind some answers is judged so far, and said; a folder may have any name', async () => {
  const folder = test.info().outputPath('a [1]');
  mkdirSync(folder);
  const order = {
    folder: repository(texts),
    ref: 'HEAD',
    judge: [folder],
    recordFile: '/nonexistent/a.json',
  };
  await expect(compareWith(order)).rejects.toThrow(/in which is neither recorded traffic nor/);
  writeFileSync(path.join(folder, 'cut.har'), cut);
  const page = diffMarkdown(await compareWith(order));
  expect(page).toMatch(
    /### The same [1-9]\d* recorded answers?\n\n- .*cut\.har: ends early at byte \d+; only what/,
  );
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
  const order = { folder, ref: 'HEAD', judge: [], recordFile: '/nonexistent/staging.json' };
  await expect(compareWith(order)).rejects.toThrow('the contract has a mistake: spec/openapi.yaml, line 1');
  const { status, stderr } = await runCommand('commands/contract-diff.ts', []);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^contract:diff: usage: npm run contract:diff -- REF .*\n$/);
});
