import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { type LedgerEntry, readLedger } from '../../../schemas/contract/ledger.ts';
import type { Target } from '../../../src/client/target.ts';
import { createEmptyCounts, type SweepResult } from '../../../src/sweep/summary.ts';
import { formatFailure } from '../../../src/verdict/entry.ts';
import { listStaleFindings, selectEntriesInForce } from '../../../src/verdict/ledger-use.ts';
import type { RunResults } from '../../../src/verdict/results.ts';
import {
  altering,
  applyInOrder,
  editJson,
  hasParameter,
  set,
  setContentType,
  setStatus,
} from '../harness/edits.ts';
import { exampleTarget } from '../harness/examples.ts';
import { judgeProvider, type Outcome } from '../harness/provider.ts';
import { rejectWith } from './derived.ts';
import { assign, editEach } from './variants/variant.ts';

interface Deviation {
  address: string;
  alter: Alter;
  /** YAML text of `accepts` in a ledger entry. */
  accepts: string;
}

const renameTitleToLabel = editEach('card', (card) => {
  card.label = card.title;
  delete card.title;
});

/* Deviations that a ledger entry accepts for one target: another value, type, name and status. */

const unknownStatus: Deviation = {
  address: 'getCard/data/card/physical_status',
  alter: assign('card', { physical_status: 'Unheard' }),
  accepts: '{ schema: { const: Unheard } }',
};
const numericAmount: Deviation = {
  address: 'getCard/data/card/limits/*/limit_amount',
  alter: assign('limit', { limit_amount: 5 }),
  accepts: '{ schema: { type: number, minimum: 0 } }',
};
const renamedTitle = {
  address: 'getCard/data/card/title',
  alter: renameTitleToLabel,
  accepts: '{ name: label }',
};
const partialStatus: Deviation = {
  address: 'listCustomers/http/status',
  alter: altering('listCustomers', setStatus(206)),
  accepts: '{ schema: { const: 206 } }',
};
const deviations = [unknownStatus, numericAmount, renamedTitle, partialStatus];

const createLedger = ({ address, accepts }: Omit<Deviation, 'alter'>, lastLines = 'target: mock') =>
  readLedger(
    `- requirement: ${address}\n  accepts: ${accepts}\n  because: known\n  source: "2"\n  ${lastLines}\n`,
    loadContract(),
  );

type RecordedOutcome = Outcome & Pick<RunResults, 'sweeps' | 'traffic'>;

const createSweep = (overrides: Partial<SweepResult>): SweepResult => ({
  ...{ operation: 'getCard', noun: 'records', journal: 'records', populationSize: 1 },
  ...createEmptyCounts(),
  ...{ judged: 1, pages: 1, lastReceived: 1, list: { pointer: '/data/records', between: [] } },
  ...overrides,
});

function describeStaleEntries(
  outcome: RecordedOutcome,
  ledger: LedgerEntry[],
  targetOverrides: Partial<Target> = {},
): string[] {
  const target = exampleTarget(targetOverrides);
  const { requirementResults } = outcome[target.profile];
  const results = { run: undefined, requirementResults, ...outcome };
  const entriesInForce = selectEntriesInForce(target, '2026-01-01', ledger);
  const staleFindings = listStaleFindings(results, entriesInForce);
  return staleFindings.map(({ kind, requirement, expected }) => `${kind} ${requirement}: ${expected}`);
}

const addresses = deviations.map(({ address }) => address);
const wholeLedger = deviations.flatMap((deviation) => createLedger(deviation));
const alterAll = applyInOrder(...deviations.map(({ alter }) => alter));

test('a run tolerates several deviations that the ledger accepts', async () => {
  const outcome = await judgeProvider({ alter: alterAll }, { ledger: wholeLedger });
  expect(outcome.observed).toMatchObject({ violated: [], blocked: [] });
  const findings = outcome.observed.requirementResults.flatMap((result) => result.findings);
  expect(new Set(findings.map(({ because }) => because))).toEqual(new Set(['known']));
  expect(describeStaleEntries(outcome, wholeLedger)).toEqual([]);
  expect(outcome.observed.deviating.toSorted()).toEqual(addresses.toSorted());
  expect(outcome.documented.violated.toSorted()).toEqual(addresses.toSorted());
});

test('an entry is stale once its deviation is fixed', async () => {
  const traffic = { sources: ['[1] ….har'], exchanges: 1, judged: 1, skipped: {}, broken: [] };
  const outcome = await judgeProvider({}, { ledger: wholeLedger });
  expect(outcome.observed).toMatchObject({ violated: [], deviating: [] });
  for (const deviation of deviations) {
    const ledger = createLedger(deviation);
    const staleText = `stale ${deviation.address}: the deviation of spec/ledger.yaml, line 1`;
    expect(describeStaleEntries(outcome, ledger)).toEqual([staleText]);
    expect(describeStaleEntries(outcome, ledger, { profile: 'documented' })).toEqual([]);
    expect(describeStaleEntries(outcome, createLedger(deviation, 'link: https://example.com'))).toEqual([]);
    const sweptLedger = createLedger(deviation, 'target: mock\n  swept: true');
    const [operation = ''] = deviation.address.split('/');
    const describeStaleAfter = (overrides: Partial<SweepResult>) =>
      describeStaleEntries({ ...outcome, sweeps: [createSweep({ operation, ...overrides })] }, sweptLedger);
    expect(describeStaleAfter({})).toEqual([staleText]);
    expect(describeStaleAfter({ sample: { by: 'records', seed: 1, sampleSize: 1, of: 2, size: 1 } })).toEqual(
      [],
    );
    expect(describeStaleAfter({ operation: 'getFeeRules' })).toEqual([]);
    expect(describeStaleAfter({ shard: { current: 1, total: 2 } })).toEqual([]);
    expect(describeStaleAfter({ stopped: 'it was interrupted' })).toEqual([]);
    // Another file of identifiers may lack the record that deviates.
    const { list: _, ...fileSweep } = createSweep({ operation });
    expect(describeStaleEntries({ ...outcome, sweeps: [fileSweep] }, sweptLedger)).toEqual([]);
    // So may another recording.
    expect(describeStaleEntries({ ...outcome, traffic }, ledger)).toEqual([]);
  }
});

test('an entry for the status also tolerates a rejected parameter', async () => {
  const address = 'listCustomers/http/status';
  const ledger = createLedger({ address, accepts: '{ schema: { const: 400 } }' });
  const alter = altering('listCustomers', rejectWith(400), hasParameter('limit'));
  const outcome = await judgeProvider({ alter }, { ledger });
  expect(outcome.observed).toMatchObject({ violated: [], deviating: ['listCustomers/parameters/limit'] });
  expect(describeStaleEntries(outcome, ledger)).toEqual([]);
  expect(outcome.documented.violated).toEqual(['listCustomers/parameters/limit']);
});

const withoutTitle = altering('getCard', set('data/card/title', null));
const brokenJson = altering(
  'getCard',
  editJson((json) => json.replace(/"title":"[^"]*"/, '"title":NaN')),
);
const hidingRows: [name: string, deviation: Deviation, otherFault: Alter, violated: string][] = [
  [
    'status',
    {
      address: 'getCard/http/status',
      alter: altering('getCard', setStatus(203)),
      accepts: '{ schema: { const: 203 } }',
    },
    withoutTitle,
    'getCard/data/card/title',
  ],
  [
    'media type',
    {
      address: 'getCard/http/content-type',
      alter: altering('getCard', setContentType('text/plain')),
      accepts: '{ schema: { const: text/plain } }',
    },
    brokenJson,
    'getCard/http/json',
  ],
];

for (const [name, deviation, otherFault, violated] of hidingRows)
  test(`a tolerated ${name} hides no other fault of the response`, async () => {
    const alter = applyInOrder(otherFault, deviation.alter);
    const { observed } = await judgeProvider({ alter }, { ledger: createLedger(deviation) });
    expect([observed.violated, observed.deviating]).toEqual([[violated], [deviation.address]]);
  });

test('an entry tolerates no other deviation of its requirement', async () => {
  const narrowLedger = createLedger(unknownStatus);
  const alter = assign('card', { physical_status: 'Stolen' });
  const outcome = await judgeProvider({ alter }, { ledger: narrowLedger });
  expect(outcome.observed.violated).toEqual(['getCard/data/card/physical_status']);
  // The entry is not stale, because the requirement would still be violated without it.
  expect(describeStaleEntries(outcome, narrowLedger)).toEqual([]);
  const [broken] = outcome.observed.requirementResults.filter(({ verdict }) => verdict === 'violation');
  const reason = 'the target deviates in a way that the entry in spec/ledger.yaml, line 1 does not accept';
  expect(broken?.reason).toBe(reason);
  const text = broken && formatFailure(broken, broken.findings);
  expect(text).toContain(`  note      ${reason}`);
  expect(text).toMatch(/ {2}how often in (\d+) of \1 requests/);
});

test('no entry is stale if a requirement was blocked or not requested', async () => {
  const ledger = createLedger(unknownStatus);
  const rejectWith = (status: number, onlyOperation?: string): Alter => {
    return (response, { operation }) =>
      onlyOperation && operation !== onlyOperation ? response : { ...response, status };
  };
  for (const alter of [rejectWith(401), rejectWith(503, 'getFeeRules'), rejectWith(500)])
    expect(describeStaleEntries(await judgeProvider({ alter }, { ledger }), ledger)).toEqual([]);
  expect(
    describeStaleEntries(await judgeProvider({}, { ledger, identifiers: { CARD_IDS: [] } }), ledger),
  ).toEqual([]);
});

test('the rule against undeclared fields passes on a provider without undeclared fields', async () => {
  const { documented } = await judgeProvider({}, { failOn: ['undeclared'] });
  const results = documented.requirementResults.filter(({ address }) =>
    address.endsWith('/rules/declared-fields'),
  );
  expect(results.map(({ verdict }) => verdict)).toEqual(loadContract().operations.map(() => 'pass'));
});
