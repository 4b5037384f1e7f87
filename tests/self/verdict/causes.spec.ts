import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Entry } from '../../../schemas/contract/ledger.ts';
import type { Target } from '../../../src/client/target.ts';
import { formatCause, withChanges } from '../../../src/verdict/changes.ts';
import { concludeRun } from '../../../src/verdict/verdict.ts';
import type { Verdict } from '../../../src/verdict/verdicts.ts';
import { exampleTarget } from '../harness/examples.ts';
import { monday, runOf, tuesday } from '../harness/plain-runs.ts';

interface Planted {
  is?: Verdict;
  settings?: Partial<Target>;
  ledger?: Entry[];
  suite?: string;
  contract?: string;
}

const accepts = { missing: true } as const;
const entry: Entry = { requirement: 'getCard/code', accepts, because: 'known', line: 1, until: '2099-01-01' };
const ending: Entry = { ...entry, until: monday.slice(0, 10) };
const ids = (...CARD_IDS: string[]): Partial<Target> => ({ identifiers: { CARD_IDS } });
const usual = { ...ids('1'), headers: { 'X-Key': 'a' }, baseUrl: 'https://a.example/v1' };

/** What a run says of itself, and of a requirement that has another verdict since. */
function runWith(day: string, { is, settings, ledger = [entry], suite = '1', contract = 'c' }: Planted) {
  const target = exampleTarget({ name: 'staging', ...usual, ...settings });
  const results = { run: undefined, observations: [], requirementResults: [] };
  const run = { addresses: [], failed: new Set<string>(), problems: [], startedAt: new Date(day) };
  const input = { contract: { ...loadContract(), ledger }, target, results, ...run };
  const { ledger: entries = '', configuration = '' } = concludeRun(input);
  return {
    ...runOf(day, { code: is ?? 'pass', other: 'pass' }),
    suite,
    contract,
    ledger: entries,
    configuration,
  };
}

/** What a run has in another way than the one before, whose entry ends on its day. */
const planted: [name: string, now: Planted, cause: string][] = [
  ['nothing, and a requirement is broken', { is: 'violation' }, 'target'],
  ['nothing, and a requirement is not exercised', { is: 'not exercised' }, 'target'],
  ['the text of an entry', { ledger: [{ ...entry, because: 'still known', line: 9 }] }, 'target'],
  ['an entry for another target', { ledger: [entry, { ...entry, target: 'other' }] }, 'target'],
  ['the value of a header', { settings: { headers: { 'X-Key': 'b' } } }, 'target'],
  ['the contract', { contract: 'd' }, 'contract'],
  ['the suite', { suite: '2' }, 'suite'],
  ['an entry that is gone', { ledger: [] }, 'ledger'],
  ['an entry that is new', { ledger: [entry, { ...entry, requirement: 'getCard/data' }] }, 'ledger'],
  ['an entry that accepts something else', { ledger: [{ ...entry, accepts: { name: 'kode' } }] }, 'ledger'],
  ['a day on which an entry has ended', { ledger: [ending] }, 'ledger'],
  ['an identifier', { settings: ids('2') }, 'configuration'],
  ['another address', { settings: { baseUrl: 'https://b.example/v1' } }, 'configuration'],
  ['one header more', { settings: { headers: { 'X-Key': 'a', 'X-More': 'b' } } }, 'configuration'],
  ['a sweep', { settings: { sweep: 'all' } }, 'configuration'],
];

for (const [name, now, cause] of planted)
  test(`where the runs differ in ${name}, the cause is the ${cause}`, () => {
    const before = runWith(monday, { is: 'deviation', ledger: [ending] });
    const { changes } = withChanges(runWith(tuesday, now), before);
    expect(changes?.causes).toEqual([cause]);
    const recorded = withChanges({ ...runWith(tuesday, now), traffic: {} }, before).changes;
    expect(recorded?.causes).toEqual([cause === 'target' ? 'recording' : cause]);
    const says = cause === 'target' ? /^it is the target/ : new RegExp(`^${cause} changed`);
    expect(changes && formatCause(changes)).toMatch(says);
  });
