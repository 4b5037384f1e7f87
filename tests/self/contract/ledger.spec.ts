import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { ContractError } from '../../../schemas/contract/files.ts';
import { readLedger, selectEntries } from '../../../schemas/contract/ledger.ts';
import type { Target } from '../../../src/client/target.ts';
import { selectGates } from '../../../src/verdict/gates.ts';
import { formatExpiredNotes } from '../../../src/verdict/ledger-use.ts';
import { concludeRun } from '../../../src/verdict/verdict.ts';
import { evaluateReplies, exampleTarget } from '../harness/examples.ts';
import { fuzzBytes, runs, seed } from '../soak.ts';

const readEntries = (text: string) => readLedger(text, loadContract());

function formatEntry(fields: Record<string, string>): string {
  const defaultFields = {
    requirement: 'getCard/code',
    accepts: '{ schema: { const: 0 } }',
    because: 'The placeholder is still sent.',
    source: '"2.1"',
  };
  const presentFields = Object.entries({ ...defaultFields, ...fields }).filter(([, text]) => text !== '');
  const lines = presentFields.map(([key, text]) => `${key}: ${text}`);
  return `- ${lines.join('\n  ')}`;
}

/** Formats a valid ledger entry, followed by one with `fields` from line 7. */
const formatSecondEntry = (fields: Record<string, string>) =>
  `# one\n${formatEntry({})}\n\n${formatEntry(fields)}\n`;

function readLedgerError(text: string): string {
  try {
    readEntries(text);
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(ContractError);
    return (error as ContractError).message;
  }
}

const mistakes: [name: string, fields: Record<string, string>, messagePattern: RegExp][] = [
  ['an unknown requirement', { requirement: 'getCard/data/crad' }, /getCard\/data\/crad/],
  ['an index for a `*`', { requirement: 'getCard/data/card/limits/0/period' }, /limits\/0\/period/],
  ['no requirement', { requirement: '' }, /requirement/],
  ['no accepts', { accepts: '' }, /accepts/],
  ['nothing accepted', { accepts: '{}' }, /accepts: must be an object with exactly one of the keys schema,/],
  [
    'both forms of accepts',
    { accepts: '{ name: a, schema: {} }' },
    /accepts: must be an object with exactly one of/,
  ],
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

for (const [name, fields, messagePattern] of mistakes) {
  test(`an entry with ${name} is rejected with its line`, () => {
    const message = readLedgerError(formatSecondEntry(fields));
    expect(message).toMatch(/^spec\/ledger\.yaml, line ([7-9]|1[01]): .*; /);
    expect(message).toMatch(messagePattern);
    expect(message).not.toMatch(/\n|undefined|\.ts\b/);
  });
}

test('an entry is in force for its target until the end of its last day', () => {
  const ledger = readEntries(formatSecondEntry({ target: 'staging', until: '2026-06-30' }));
  const listLines = (target: string, today: string) =>
    selectEntries(ledger, target, today).map(({ line }) => line);
  expect(listLines('staging', '2025-12-31')).toEqual([2, 7]);
  expect(listLines('staging', '2026-06-30T23:59:59.999Z')).toEqual([2, 7]);
  expect(listLines('staging', '2026-07-01')).toEqual([2]);
  expect(listLines('Staging', '2026-06-30')).toEqual([2]);
});

const readExpiringEntry = () => readEntries(formatEntry({ until: '2026-06-30', target: 'staging' }));
const createStagingTarget = (overrides: Partial<Target> = {}) =>
  exampleTarget({ name: 'staging', ...overrides });
const placeText = 'spec/ledger.yaml, line 1, tolerate';

const noteRows: [today: string, overrides: Partial<Target>, notes: string[]][] = [
  ['2026-06-30', {}, []],
  [
    '2026-07-01',
    {},
    [`expired: ${placeText}d getCard/code until 2026-06-30: fix the target, or set a later day`],
  ],
  ['2026-07-01', { name: 'mock' }, []],
  ['2026-07-01', { profile: 'documented' }, []],
];

for (const [today, overrides, notes] of noteRows)
  test(`on ${today}, ${JSON.stringify(overrides)}: ${notes[0] ?? 'there is no note'}`, () => {
    expect(formatExpiredNotes(createStagingTarget(overrides), today, readExpiringEntry())).toEqual(notes);
  });

test('the ledger gate exists before and after the last day of an entry, so that shards of both days belong to one run', async () => {
  const results = await evaluateReplies((_, usual) => usual, { name: 'staging' });
  const evaluateLedgerGate = (until: string, overrides: Partial<Target> = {}) => {
    const ledger = readEntries(formatEntry({ until, target: 'staging' }));
    const contract = { ...loadContract(), ledger };
    const gatesOfTarget = selectGates(createStagingTarget(overrides), ledger);
    const addresses = gatesOfTarget.map(({ address }) => address);
    const runInput = { problems: [], startedAt: new Date(), failed: new Set<string>() };
    const { gates } = concludeRun({
      contract,
      target: createStagingTarget(),
      results,
      addresses,
      ...runInput,
    });
    return gates.find(({ address }) => address === 'run/ledger');
  };
  expect(evaluateLedgerGate('2099-12-31')).toMatchObject({ verdict: 'fail' });
  expect(evaluateLedgerGate('2025-12-31')).toMatchObject({ verdict: 'pass' });
  expect(evaluateLedgerGate('2099-12-31', { name: 'mock' })).toBeUndefined();
  expect(evaluateLedgerGate('2099-12-31', { profile: 'documented' })).toBeUndefined();
  expect(evaluateLedgerGate('2099-12-31', { traffic: ['session.har'] })).toBeUndefined();
});

test('a ledger of arbitrary bytes has entries, or a mistake with its line', () => {
  const lines = formatEntry({})
    .split('\n')
    .map((line) => `${line}\n`);
  const fragments = [
    formatEntry({}),
    ...lines,
    ...'-:{}[]&*!|>"#%@\t\n ',
    '\n',
    '---\n',
    '<<: *a',
    '{ schema: { type: 5 } }',
  ];
  const expectedPattern = /^(accepted$|spec\/ledger\.yaml, line \d+: )/;
  const isExpected = (bytes: Buffer) => expectedPattern.test(readLedgerError(bytes.toString()));
  fc.assert(fc.property(fuzzBytes(fragments), isExpected), { seed, numRuns: runs(300) });
});
