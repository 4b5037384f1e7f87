import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { ContractError } from '../../../schemas/contract/files.ts';
import { entriesFor, readLedger } from '../../../schemas/contract/ledger.ts';
import type { Target } from '../../../src/client/target.ts';
import { gatesFor } from '../../../src/verdict/gates.ts';
import { formatExpiredNotes } from '../../../src/verdict/ledger-use.ts';
import { concludeRun } from '../../../src/verdict/verdict.ts';
import { exampleTarget, resultsOf } from '../harness/examples.ts';
import { bytesWith, runs, seed } from '../soak.ts';

const loadLedger = (text: string) => readLedger(text, loadContract());

/** An entry from its lines; the place of each word is its own. */
const entry = (fields: Record<string, string>) =>
  Object.entries({
    requirement: 'getCard/code',
    accepts: '{ schema: { const: 0 } }',
    because: 'The placeholder is still sent.',
    source: '"2.1"',
    ...fields,
  })
    .filter(([, text]) => text !== '')
    .map(([word, text], index) => `${index === 0 ? '-' : ' '} ${word}: ${text}`)
    .join('\n');

/** A good entry of five lines, a blank line, and the entry in question at line 7. */
const second = (fields: Record<string, string>) => `# one\n${entry({})}\n\n${entry(fields)}\n`;

function problemOf(text: string): string {
  try {
    loadLedger(text);
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(ContractError);
    return (error as ContractError).message;
  }
}

const mistakes: [name: string, words: Record<string, string>, says: RegExp][] = [
  ['an unknown requirement', { requirement: 'getCard/data/crad' }, /getCard\/data\/crad/],
  ['an index for a `*`', { requirement: 'getCard/data/card/limits/0/period' }, /limits\/0\/period/],
  ['no requirement', { requirement: '' }, /requirement/],
  ['no accepts', { accepts: '' }, /accepts/],
  ['nothing accepted', { accepts: '{}' }, /accepts.* fewer/],
  ['both forms of accepts', { accepts: '{ name: a, schema: {} }' }, /accepts.* more/],
  ['a misspelt schema', { accepts: '{ schema: { tpye: number } }' }, /tpye/],
  ['a schema of an unknown type', { accepts: '{ schema: { type: nubmer } }' }, /type/],
  ['a schema of an unknown format', { accepts: '{ schema: { type: string, format: uuuid } }' }, /uuuid/],
  ['a schema that is none', { accepts: '{ schema: number }' }, /accepts schema/],
  ['no reason', { because: '' }, /line 7: the key "because" is missing/],
  ['an empty reason', { because: '""' }, /because/],
  ['neither source nor link', { source: '' }, /source or a link/],
  ['a day that does not exist', { until: '2026-02-30' }, /until/],
  ['a parameter', { requirement: 'listCustomers/parameters/limit' }, /http\/status/],
  ['undeclared fields', { requirement: 'getCard/rules/declared-fields' }, /FAIL_ON/],
];

for (const [name, words, says] of mistakes) {
  test(`an entry with ${name} is an error, with its line`, () => {
    const message = problemOf(second(words));
    expect(message).toMatch(/^spec\/ledger\.yaml, line ([7-9]|1[01]): .*; /);
    expect(message).toMatch(says);
    expect(message).not.toMatch(/\n|undefined|\.ts\b/);
  });
}

test('an entry is in force for its target, until the end of its last day', () => {
  const ledger = loadLedger(second({ target: 'staging', until: '2026-06-30' }));
  const lines = (target: string, today: string) => entriesFor(ledger, target, today).map(({ line }) => line);
  expect(lines('staging', '2025-12-31')).toEqual([2, 7]);
  expect(lines('staging', '2026-06-30T23:59:59.999Z')).toEqual([2, 7]);
  expect(lines('staging', '2026-07-01')).toEqual([2]);
  expect(lines('Staging', '2026-06-30')).toEqual([2]);
});

const ending = () => loadLedger(entry({ until: '2026-06-30', target: 'staging' }));
const staging = (overrides: Partial<Target> = {}) => exampleTarget({ name: 'staging', ...overrides });
const place = 'spec/ledger.yaml, line 1, tolerate';

/** What a run says of an entry that has ended, by the day, and of which target it is. */
const announced: [today: string, overrides: Partial<Target>, notes: string[]][] = [
  ['2026-06-30', {}, []],
  [
    '2026-07-01',
    {},
    [`expired: ${place}d getCard/code until 2026-06-30: fix the target, or set a later day`],
  ],
  ['2026-07-01', { name: 'mock' }, []],
  ['2026-07-01', { profile: 'documented' }, []],
];

for (const [today, overrides, notes] of announced)
  test(`on ${today}, ${JSON.stringify(overrides)}: ${notes[0] ?? 'nothing is announced'}`, () => {
    expect(formatExpiredNotes(staging(overrides), today, ending())).toEqual(notes);
  });

test('the gate of entries for a target is there before and after their last day, so that the shards of both are of one run', async () => {
  const results = await resultsOf((_, usual) => usual, { name: 'staging' });
  const gateUntil = (until: string, overrides: Partial<Target> = {}) => {
    const ledger = loadLedger(entry({ until, target: 'staging' }));
    const contract = { ...loadContract(), ledger };
    const due = gatesFor(staging(overrides), ledger);
    const addresses = due.map(({ address }) => address);
    const about = { problems: [], startedAt: new Date(), failed: new Set<string>() };
    const { gates } = concludeRun({ contract, target: staging(), results, addresses, ...about });
    return gates.find(({ address }) => address === 'run/ledger');
  };
  expect(gateUntil('2099-12-31')).toMatchObject({ verdict: 'fail' });
  expect(gateUntil('2025-12-31')).toMatchObject({ verdict: 'pass' });
  expect(gateUntil('2099-12-31', { name: 'mock' })).toBeUndefined();
  expect(gateUntil('2099-12-31', { profile: 'documented' })).toBeUndefined();
});

test('whatever bytes a ledger holds, it has entries, or a mistake with its line', () => {
  const lines = entry({})
    .split('\n')
    .map((line) => `${line}\n`);
  const known = [
    entry({}),
    ...lines,
    ...'-:{}[]&*!|>"#%@\t\n ',
    '\n',
    '---\n',
    '<<: *a',
    '{ schema: { type: 5 } }',
  ];
  const said = /^(accepted$|spec\/ledger\.yaml, line \d+: )/;
  const holds = (bytes: Buffer) => said.test(problemOf(bytes.toString()));
  fc.assert(fc.property(bytesWith(known), holds), { seed, numRuns: runs(300) });
});
