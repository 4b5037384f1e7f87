import { readFileSync, writeFileSync } from 'node:fs';
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

const nickname = `          nickname:
            type: string
            description: Another name.
            x-source: "2.2"
            x-data-classification: { category: content, sensitivity: confidential }
`;

/** What is said of each requirement that a change of the contract changes. */
const saysOf = (one: Contract, other: Contract) =>
  compareContracts(one, other).changed.map(({ address, says }) => `${address}: ${says.join('; ')}`);

test('new, gone and changed requirements in words: a field, a pattern, values, a level, a check', () => {
  const field = /( +)expiration_date:\n/.exec(texts['openapi.yaml'])?.[1] ?? '';
  const added = nickname.replace(/^ {10}/gm, field);
  const rule = 'operations: [listCustomers]\n  level: ';
  const now = changed(
    ['openapi.yaml', `${field}expiration_date:\n`, `${added}${field}expiration_date:\n`],
    ['openapi.yaml', 'pattern: ^(0[1-9]|1[0-2])/[0-9]{2}$', 'pattern: ^(0[1-9]|1[0-2])/[23][0-9]$'],
    ['openapi.yaml', 'enum: [Idle, Ordered, Active', 'enum: [Idle, Active'],
    ['openapi.yaml', 'enum: [User, Store]', 'enum: [User, Store, Shop]'],
    ['requirements.yaml', `${rule}MUST`, `${rule}SHOULD`],
    ['requirements.yaml', 'named: reference_number', 'named: dial_code'],
  );
  const changes = compareContracts(before, now);
  expect(changes.added.map(({ address }) => address)).toEqual(['getCard/data/card/nickname']);
  expect(changes.removed).toEqual([]);
  for (const says of [
    'getCard/data/card/expiration_date: `pattern` was `^(0[1-9]|1[0-2])/[0-9]{2}$`, and is `^(0[1-9]|1[0-2])/[23][0-9]$`',
    /^getCard\/data\/card\/physical_status: it was: .*Idle, Ordered, Active.*; it is: .*Idle, Active.*; `enum` was /,
    /^listCustomers\/parameters\/linked_source_type: it was: .*Store; it is: .*Shop; `enum`/,
    /^listCustomers\/rules\/uuid-is-unique: it was a MUST, and is a SHOULD;.*`check` was .*reference_number.*dial_code/,
  ])
    expect(saysOf(before, now)).toContainEqual(typeof says === 'string' ? says : expect.stringMatching(says));
  const markdown = diffMarkdown({ ...changes, ref: '` @team', document: ['major: x'], replayed: undefined });
  expect(markdown).toContain(`**Requirements: 1 new, ${changes.changed.length} changed.**`);
  expect(markdown).toContain('### New requirements (1)');
  expect(markdown.replace(/`[^`\n]*`/g, '')).not.toContain('@team');
  const { removed } = compareContracts(now, before);
  expect(removed.map(({ address }) => address)).toEqual(['getCard/data/card/nickname']);
});

const judged = (now: Contract, sources: string[]) => replay([before, now], sources, target);

function recorded(name: string, text: string): string {
  const file = test.info().outputPath(name);
  writeFileSync(file, text);
  return file;
}

test('verdicts that change on the same recorded answers are listed, with their number and no value', async () => {
  const year = 'pattern: ^(0[1-9]|1[0-2])/[0-9]{2}$';
  const openapi = texts['openapi.yaml'].replace(year, 'pattern: ^13/[0-9]{2}$');
  const now = buildContract({
    ...texts,
    'openapi.yaml': openapi.replace(/expiration_date: .*\d.*/g, 'expiration_date: "13/29"'),
  });
  const replayed = await judged(now, [recording]);
  expect(replayed.verdicts).toEqual([
    [
      'getCard/data/card/expiration_date',
      'pass',
      expect.stringMatching(/^violation in (\d+) of \1 answers$/),
    ],
  ]);
  const diff = { added: [], removed: [], changed: [], ref: 'HEAD', document: [] };
  const markdown = diffMarkdown({ ...diff, replayed });
  expect(markdown).toContain('No requirement has changed.');
  expect(markdown).toMatch(
    /\| `getCard\/data\/card\/expiration_date` \| pass \| violation in \d+ of \d+ answers \|/,
  );
  const same = await judged(before, [recording]);
  expect(same).toMatchObject({ verdicts: [], broken: [] });
  expect(diffMarkdown({ ...diff, replayed: same })).toContain('No verdict changes.');
});

const har = readFileSync(recording, 'utf8');
const otherPath = JSON.stringify({
  log: { entries: [{ request: { method: 'GET', url: 'https://a.example/' } }] },
});
const unjudged: [name: string, text: string, says: RegExp][] = [
  ['cut.har', '{"log":{"entries":[{"x', /which cannot be judged: ends early at byte \d+$/],
  ['broken.zip', 'PK\u0003\u0004junk', /which cannot be judged: /],
  ['empty.jsonl', '', /which cannot be judged: it holds no recorded traffic$/],
];
test('a recording of which nothing can be judged is rejected beside one that is whole; what is cut later is judged so far', async () => {
  for (const [name, text, says] of unjudged)
    await expect(judged(before, [recording, recorded(name, text)]), name).rejects.toThrow(says);
  const none = judged(before, [recorded('other.har', otherPath)]);
  await expect(none).rejects.toThrow(/^no answer that --judge names can be judged: 1 \w/);
  const cut = har.slice(0, har.indexOf('startedDateTime', har.indexOf('/fee_rule')));
  const { answers, broken } = await judged(before, [recorded('cut.har', cut)]);
  expect(answers).toBeGreaterThan(0);
  expect(broken).toEqual([expect.stringMatching(/^\[1\] ….har: ends early at byte \d+; only what/)]);
});

test('the command compares with a commit, and says in one sentence what it cannot', async () => {
  const diff = (...args: string[]) => runCommand('commands/contract-diff.ts', args);
  const { status, stdout } = await diff('HEAD', '--judge', recording);
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(
      /^## What this change .* against `HEAD`\n[\s\S]*Verdicts that change on the same/,
    ),
  });
  for (const [args, says] of [
    [[], /usage: npm run contract:diff -- REF /],
    [['v99'], /there is no commit, branch or tag "v99" here/],
    [['--output=/tmp/x'], /Unknown option '--output'/],
    [['--', '--output=/tmp/x'], /there is no commit, branch or tag "--output=\/tmp\/x" here/],
    [['HEAD', '--judge', 'docs'], /--judge names \S+, which cannot be judged: no such file/],
    [['HEAD', '--judge', 'nothing'], /--judge names \S*nothing, which is not there/],
  ] as const) {
    const failed = await diff(...args);
    expect({ ...failed, stderr: '' }).toEqual({ status: 2, stdout: '', stderr: '' });
    expect(failed.stderr).toMatch(says);
  }
});
