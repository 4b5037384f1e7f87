import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { type Entry, readLedger } from '../../../schemas/contract/ledger.ts';
import type { Target } from '../../../src/client/target.ts';
import { failureText } from '../../../src/verdict/entry.ts';
import { entriesInForce, staleFindings } from '../../../src/verdict/ledger-use.ts';
import { altering, has, status } from '../harness/edits.ts';
import { exampleTarget } from '../harness/examples.ts';
import { judgeProvider, type Outcome } from '../harness/provider.ts';
import { assign, each, inTurn } from './variants/variant.ts';

interface Deviation {
  address: string;
  alter: Alter;
  accepts: string;
}

const renamed = each('card', (card) => {
  card.label = card.title;
  delete card.title;
});

/** Deviations that only one target is known for: a value that a schema accepts, another type, name and status. */
const unheard: Deviation = {
  address: 'getCard/data/card/physical_status',
  alter: assign('card', { physical_status: 'Unheard' }),
  accepts: '{ schema: { const: Unheard } }',
};
const amount: Deviation = {
  address: 'getCard/data/card/limits/*/limit_amount',
  alter: assign('limit', { limit_amount: 5 }),
  accepts: '{ schema: { type: number, minimum: 0 } }',
};
const label = { address: 'getCard/data/card/title', alter: renamed, accepts: '{ name: label }' };
const partial: Deviation = {
  address: 'listCustomers/http/status',
  alter: altering('listCustomers', status(206)),
  accepts: '{ schema: { const: 206 } }',
};
const deviations = [unheard, amount, label, partial];

const ledgerOf = ({ address, accepts }: Omit<Deviation, 'alter'>, more = 'target: mock') =>
  readLedger(
    `- requirement: ${address}\n  accepts: ${accepts}\n  because: known\n  source: "2"\n  ${more}\n`,
    loadContract(),
  );

type Swept = Outcome & { sweeps?: unknown[] };

/** What a run finds that would be said of no single requirement: entries that matched nothing. */
function stale(
  { observations, sweeps = [], ...by }: Swept,
  ledger: Entry[],
  overrides: Partial<Target> = {},
) {
  const target = exampleTarget(overrides);
  const results = { ...by[target.profile], run: undefined, observations, sweeps: sweeps as [] };
  const entries = entriesInForce(target, '2026-01-01', ledger);
  const findings = staleFindings(results, entries);
  return findings.map(({ kind, requirement, expected }) => `${kind} ${requirement}: ${expected}`);
}

const addresses = deviations.map(({ address }) => address);
const wholeLedger = deviations.flatMap((deviation) => ledgerOf(deviation));
const all = inTurn(...deviations.map(({ alter }) => alter));

test('deviations are tolerated where the ledger says so, several in one run too', async () => {
  const outcome = await judgeProvider({ alter: all }, { ledger: wholeLedger });
  expect(outcome.observed).toMatchObject({ violated: [], blocked: [] });
  const findings = outcome.observed.requirementResults.flatMap((one) => one.findings);
  expect(new Set(findings.map(({ because }) => because))).toEqual(new Set(['known']));
  expect(stale(outcome, wholeLedger)).toEqual([]);
  expect(outcome.observed.deviating.toSorted()).toEqual(addresses.toSorted());
  expect(outcome.documented.violated.toSorted()).toEqual(addresses.toSorted());
});

test('each entry is stale once what it tolerates is fixed', async () => {
  const outcome = await judgeProvider({}, { ledger: wholeLedger });
  expect(outcome.observed).toMatchObject({ violated: [], deviating: [] });
  for (const deviation of deviations) {
    const ledger = ledgerOf(deviation);
    const said = `stale ${deviation.address}: the deviation of spec/ledger.yaml, line 1`;
    expect(stale(outcome, ledger)).toEqual([said]);
    expect(stale(outcome, ledger, { profile: 'documented' })).toEqual([]);
    expect(stale(outcome, ledgerOf(deviation, 'link: https://example.com'))).toEqual([]);
    const swept = ledgerOf(deviation, 'target: mock\n  swept: true');
    expect(stale({ ...outcome, sweeps: [{ mode: 'sample' }] }, swept)).toEqual([]);
    expect(stale({ ...outcome, sweeps: [{ mode: 'all' }] }, swept)).toEqual([said]);
  }
});

test('a rejected parameter is tolerated by way of the status', async () => {
  const address = 'listCustomers/http/status';
  const ledger = ledgerOf({ address, accepts: '{ schema: { const: 400 } }' });
  const alter = altering('listCustomers', status(400), has('limit'));
  const outcome = await judgeProvider({ alter }, { ledger });
  expect(outcome.observed).toMatchObject({ violated: [], deviating: ['listCustomers/parameters/limit'] });
  expect(stale(outcome, ledger)).toEqual([]);
  expect(outcome.documented.violated).toEqual(['listCustomers/parameters/limit']);
});

test('a narrow entry tolerates nothing beside it', async () => {
  const narrow = ledgerOf(unheard);
  const alter = assign('card', { physical_status: 'Stolen' });
  const outcome = await judgeProvider({ alter }, { ledger: narrow });
  expect(outcome.observed.violated).toEqual(['getCard/data/card/physical_status']);
  // The entry is not stale: removing it would fix nothing.
  expect(stale(outcome, narrow)).toEqual([]);
  const [broken] = outcome.observed.requirementResults.filter(({ verdict }) => verdict === 'violation');
  const reason = 'the target deviates in a way that the entry in spec/ledger.yaml, line 1 does not accept';
  expect(broken?.reason).toBe(reason);
  const text = broken && failureText(broken, broken.findings);
  expect(text).toContain(`  note      ${reason}`);
  expect(text).toMatch(/ {2}how often in (\d+) of \1 requests/);
});

test('nothing is stale where something was blocked or not asked', async () => {
  const ledger = ledgerOf(unheard);
  const rejecting = (status: number, only?: string): Alter => {
    return (answer, { operation }) => (only && operation !== only ? answer : { ...answer, status });
  };
  for (const alter of [rejecting(401), rejecting(503, 'getFeeRules'), rejecting(500)])
    expect(stale(await judgeProvider({ alter }, { ledger }), ledger)).toEqual([]);
  expect(stale(await judgeProvider({}, { ledger, identifiers: { CARD_IDS: [] } }), ledger)).toEqual([]);
});

test('where undeclared fields are a breach, that there are none is judged, and passes', async () => {
  const { documented } = await judgeProvider({}, { failOn: ['undeclared'] });
  const own = documented.requirementResults.filter(({ address }) =>
    address.endsWith('/rules/declared-fields'),
  );
  expect(own.map(({ verdict }) => verdict)).toEqual(loadContract().operations.map(() => 'pass'));
});
