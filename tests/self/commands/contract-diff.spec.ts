import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { compareContracts, diffMarkdown, replay } from '../../../commands/contract-changes.ts';
import {
  buildContract,
  type Contract,
  loadContract,
  readSpecTexts,
  type SpecTexts,
} from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { callersFolder, type Environment, fileOf } from '../harness/whole-run.ts';

const { target } = readConfiguration({ TRAFFIC: '-' }, '/nonexistent');
const texts = readSpecTexts();
const before = loadContract();

/** Recorded traffic that keeps the contract. */
const recording = fileURLToPath(new URL('../traffic/recordings/mitmproxy-conforming.har', import.meta.url));

/** The contract with some texts replaced, which it must hold. */
function changed(...edits: [name: keyof SpecTexts, from: string, to: string][]): Contract {
  const all = { ...texts, 'ledger.yaml': '' };
  for (const [name, from, to] of edits) {
    expect(all[name] || from).toContain(from);
    all[name] = all[name].replaceAll(from, to);
  }
  return buildContract(all);
}

const nickname = `nickname:
  type: string
  description: Another name.
  x-source: "2.2"
  x-data-classification: { category: content, sensitivity: confidential }
`;

test('new, gone and changed requirements in words: a field, a pattern, values, a level, a check', () => {
  const field = /( +)expiration_date:\n/.exec(texts['openapi.yaml'])?.[1] ?? '';
  const added = nickname.replace(/^/gm, field).trimEnd();
  const rule = 'operations: [listCustomers]\n  level: ';
  const now = changed(
    ['openapi.yaml', `${field}expiration_date:\n`, `${added}\n${field}expiration_date:\n`],
    ['openapi.yaml', 'pattern: ^(0[1-9]|1[0-2])/[0-9]{2}$', 'pattern: ^(0[1-9]|1[0-2])/[23][0-9]$'],
    ['openapi.yaml', 'enum: [Idle, Ordered, Active', 'enum: [Idle, Active'],
    ['openapi.yaml', 'enum: [User, Store]', 'enum: [User, Store, Shop]'],
    ['requirements.yaml', `${rule}MUST`, `${rule}SHOULD`],
    ['requirements.yaml', 'named: reference_number', 'named: dial_code'],
  );
  const changes = compareContracts(before, now);
  expect(changes.added.map(({ address }) => address)).toEqual(['getCard/data/card/nickname']);
  expect(changes.removed).toEqual([]);
  const markdown = diffMarkdown({ ...changes, ref: '` @team', document: ['major: x'], replayed: undefined });
  for (const says of [
    /^- `getCard\/data\/card\/expiration_date`: `pattern` was `.*\[0-9\]\{2\}\$`, and is `.*\[23\]\[0-9\]\$`$/m,
    /^- `getCard\/data\/card\/physical_status`: it was: .*Idle, Ordered, Active.*; it is: .*Idle, Active.*; `enum` was /m,
    /^- `listCustomers\/parameters\/linked_source_type`: it was: .*Store; it is: .*Shop; `enum`/m,
    /^- `listCustomers\/rules\/uuid-is-unique`: it was a MUST, and is a SHOULD;.*`check` was .*reference_number.*dial_code/m,
  ])
    expect(markdown).toMatch(says);
  expect(markdown).toContain(`**Requirements: 1 new, ${changes.changed.length} changed.**`);
  expect(markdown).toContain('### New requirements (1)');
  expect(markdown.replace(/`[^`\n]*`/g, '')).not.toContain('@team');
  const { removed } = compareContracts(now, before);
  expect(removed.map(({ address }) => address)).toEqual(['getCard/data/card/nickname']);
});

const judged = (now: Contract, ...sources: string[]) => replay([before, now], sources, target);

test('verdicts that change on the same recorded answers are listed, with their number and no value', async () => {
  const year = 'pattern: ^(0[1-9]|1[0-2])/[0-9]{2}$';
  const openapi = texts['openapi.yaml'].replace(year, 'pattern: ^13/[0-9]{2}$');
  const example = 'expiration_date: "13/29"';
  const now = buildContract({
    ...texts,
    'openapi.yaml': openapi.replace(/expiration_date: .*\d.*/g, example),
  });
  const diff = { added: [], removed: [], changed: [], ref: 'HEAD', document: [] };
  const markdown = diffMarkdown({ ...diff, replayed: await judged(now, recording) });
  expect(markdown).toContain('No requirement has changed.');
  expect(markdown.match(/^\| `.*$/gm)).toEqual([
    expect.stringMatching(/^\| `getCard.*_date` \| pass \| violation in (\d+) of \1 answers \|$/),
  ]);
  const replayed = await judged(before, recording);
  expect(replayed.broken).toEqual([]);
  expect(diffMarkdown({ ...diff, replayed })).toContain('No verdict changes.');
});

const har = readFileSync(recording, 'utf8');
const otherPath = '{"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/"}}]}}';
test('where no answer can be judged, it is said why; what is cut later is judged so far', async () => {
  for (const [name, text, says] of [
    ['cut.har', '{"log":{"entries":[{"x', /be judged: \[1\] ….har: ends early at byte \d+; only/],
    ['other.har', otherPath, /^no answer that --judge names can be judged: 1 \w/],
  ] as const)
    await expect(judged(before, fileOf(name, text)), name).rejects.toThrow(says);
  const cut = har.slice(0, har.indexOf('startedDateTime', har.indexOf('/fee_rule')));
  const { answers, broken } = await judged(before, fileOf('cut.har', cut));
  expect(answers).toBeGreaterThan(0);
  expect(broken).toEqual([expect.stringMatching(/^\[1\] ….har: ends early at byte \d+; only what/)]);
});

test('the command compares with a commit, and says in one sentence what it cannot', async () => {
  const diff = (...args: string[]) => runCommand('commands/contract-diff.ts', args);
  const judging = /^## What this change .* against `HEAD`\n[\s\S]*Verdicts that change on the same/;
  expect(await diff('HEAD', '--judge', path.dirname(recording))).toEqual({
    ...{ status: 0, stderr: '' },
    stdout: expect.stringMatching(judging),
  });
  const { folder, called } = callersFolder();
  mkdirSync(path.join(folder, 'empty'));
  for (const [args, says, env] of [
    [[], 'usage: npm run contract:diff -- REF '],
    [['v99'], 'there is no commit, branch or tag "v99" here'],
    [['--output=/tmp/x'], "Unknown option '--output'"],
    [['--', '--output=/tmp/x'], 'there is no commit, branch or tag "--output=/tmp/x" here'],
    [['HEAD', '--judge', 'empty'], '--judge names empty, a folder without recorded traffic', called],
    [['HEAD', '--judge', './none'], '--judge names ./none, which is not there\n', called],
  ] as [string[], string, Environment?][]) {
    const failed = await runCommand('commands/contract-diff.ts', args, env);
    expect({ ...failed, stderr: '' }).toEqual({ status: 2, stdout: '', stderr: '' });
    expect(failed.stderr).toContain(`contract:diff: ${says}`);
  }
});
