import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../../schemas/contract/ledger.ts';
import type { Target } from '../../../src/client/target.ts';
import { addChanges, formatCause } from '../../../src/verdict/changes.ts';
import { concludeRun } from '../../../src/verdict/verdict.ts';
import type { Verdict } from '../../../src/verdict/verdicts.ts';
import { exampleTarget } from '../harness/examples.ts';
import { createRunReport, monday, tuesday } from '../harness/plain-runs.ts';

interface RunDifference {
  verdict?: Verdict;
  settings?: Partial<Target>;
  ledger?: LedgerEntry[];
  suite?: string;
  contract?: string;
}

const accepts = { missing: true } as const;
const entry: LedgerEntry = {
  requirement: 'getCard/code',
  accepts,
  because: 'known',
  line: 1,
  until: '2099-01-01',
};
const endingEntry: LedgerEntry = { ...entry, until: monday.slice(0, 10) };
const createIdentifiers = (...CARD_IDS: string[]): Partial<Target> => ({ identifiers: { CARD_IDS } });
const usualSettings = {
  ...createIdentifiers('1'),
  headers: { 'X-Key': 'a' },
  baseUrl: 'https://a.example/v1',
};

function createRun(
  startedAt: string,
  { verdict, suite = '1', contract = 'c', ...difference }: RunDifference,
): Conformance {
  const report = createRunReport(startedAt, { code: verdict ?? 'pass', other: 'pass' });
  return { ...report, suite, contract, ...computeHashes(startedAt, difference) };
}

function computeHashes(
  startedAt: string,
  { settings, ledger: entries = [entry] }: RunDifference,
): Pick<Conformance, 'ledger' | 'configuration'> {
  const target = exampleTarget({ name: 'staging', ...usualSettings, ...settings });
  const contract = { ...loadContract(), ledger: entries };
  const results = { run: undefined, observations: [], requirementResults: [] };
  const run = { addresses: [], failed: new Set<string>(), problems: [], startedAt: new Date(startedAt) };
  const { ledger = '', configuration = '' } = concludeRun({ contract, target, results, ...run });
  return { ledger, configuration };
}

/**
 * Differences between two runs, and the `cause` that the comparison must name for the changed verdict. `laterRun` replaces
 * properties of the later run, in which every requirement passes by default.
 */
const differenceRows: [name: string, laterRun: RunDifference, cause: string][] = [
  ['nothing, and a requirement is broken', { verdict: 'violation' }, 'target'],
  ['nothing, and a requirement is not exercised', { verdict: 'not exercised' }, 'target'],
  ['the text of an entry', { ledger: [{ ...entry, because: 'still known', line: 9 }] }, 'target'],
  ['an entry for another target', { ledger: [entry, { ...entry, target: 'other' }] }, 'target'],
  ['the value of a header', { settings: { headers: { 'X-Key': 'b' } } }, 'target'],
  ['probes', { verdict: 'violation', settings: { probes: true, fuzzRequests: 200 } }, 'target'],
  ['the contract', { contract: 'd' }, 'contract'],
  ['the suite', { suite: '2' }, 'suite'],
  ['an entry that is gone', { verdict: 'violation', ledger: [] }, 'ledger'],
  ['an entry that is gone, and nothing deviates', { ledger: [] }, 'target'],
  [
    'an entry that is new',
    { verdict: 'violation', ledger: [entry, { ...entry, requirement: 'getCard/data' }] },
    'ledger',
  ],
  [
    'an entry that accepts something else',
    { verdict: 'violation', ledger: [{ ...entry, accepts: { name: 'kode' } }] },
    'ledger',
  ],
  ['a day on which an entry has ended', { verdict: 'violation', ledger: [endingEntry] }, 'ledger'],
  ['an identifier', { settings: createIdentifiers('2') }, 'configuration'],
  ['another address', { settings: { baseUrl: 'https://b.example/v1' } }, 'configuration'],
  ['one header more', { settings: { headers: { 'X-Key': 'a', 'X-More': 'b' } } }, 'configuration'],
  ['a sweep', { settings: { sweep: 'all' } }, 'configuration'],
];

for (const [name, laterRun, cause] of differenceRows)
  test(`runs that differ in ${name} have the ${cause} as cause`, () => {
    const earlierRun = createRun(monday, { verdict: 'deviation', ledger: [endingEntry] });
    const { changes } = addChanges(createRun(tuesday, laterRun), earlierRun);
    expect(changes?.causes).toEqual([cause]);
    const recordingChanges = addChanges({ ...createRun(tuesday, laterRun), traffic: {} }, earlierRun).changes;
    expect(recordingChanges?.causes).toEqual([cause === 'target' ? 'recording' : cause]);
    const sentencePattern =
      cause === 'target' ? /^the target has changed;/ : new RegExp(`: a change of the ${cause};`);
    expect(changes && formatCause(changes)).toMatch(sentencePattern);
  });

test('a change of the ledger explains only what was or is tolerated', () => {
  const earlierRun = createRun(monday, { verdict: 'deviation' });
  const laterRun = createRun(tuesday, { verdict: 'violation', ledger: [] });
  const [code, other] = laterRun.requirements;
  const requirements = [code, { ...other, verdict: 'violation' }] as typeof laterRun.requirements;
  const { changes } = addChanges({ ...laterRun, requirements }, earlierRun);
  expect(changes?.causes).toEqual(['ledger', 'target']);
  expect(changes && formatCause(changes)).toMatch(/ of the ledger for .* and of the target for the others$/);
  const acceptedRun = addChanges(
    earlierRun,
    createRun('2026-03-01T08:00:00.000Z', { verdict: 'violation', ledger: [] }),
  );
  expect(acceptedRun.changes?.causes).toEqual(['ledger']);
});

test('probes are a cause if a gate depends on them', () => {
  const settings = { failOn: ['server-errors'] } satisfies Partial<Target>;
  const earlierRun = createRun(monday, { settings: { ...settings, probes: true } });
  const laterRun = createRun(tuesday, { verdict: 'violation', settings: { ...settings, probes: false } });
  expect(addChanges(laterRun, earlierRun).changes?.causes).toEqual(['configuration']);
});
