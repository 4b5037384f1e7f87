import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import type { SweepSummary } from '../../../src/sweep/summary.ts';
import { addChanges, formatCause, listAddressesToJudge } from '../../../src/verdict/changes.ts';
import { sweepNote } from '../../../src/verdict/evaluate.ts';
import type { GateResult } from '../../../src/verdict/gates.ts';
import type { RunVerdict, Verdict } from '../../../src/verdict/verdicts.ts';
import { createRunReport, monday, tuesday } from '../harness/plain-runs.ts';

const verdictRows: [name: string, was: Verdict, is: Verdict, changes: string[]][] = [
  ['kept', 'pass', 'pass', []],
  ['broken', 'pass', 'violation', ['broken']],
  ['now a known deviation', 'pass', 'deviation', ['newlyTolerated']],
  ['fixed', 'violation', 'pass', ['fixed']],
  ['fixed by the target of an entry', 'deviation', 'pass', ['fixed']],
  ['tolerated, not fixed', 'violation', 'deviation', ['newlyTolerated']],
  ['no longer tolerated', 'deviation', 'violation', ['broken']],
  ['found deviating', 'not exercised', 'deviation', ['newlyTolerated', 'newlyExercised']],
  ['lasting', 'violation', 'violation', []],
  ['found', 'not exercised', 'pass', ['newlyExercised']],
  ['found broken', 'blocked', 'violation', ['broken', 'newlyExercised']],
  ['lost', 'pass', 'not exercised', ['noLongerExercised']],
  ['blocked', 'violation', 'blocked', ['noLongerExercised']],
];

const otherVerdict = 'pass';

for (const [name, was, is, expected] of verdictRows) {
  test(`${name}: from ${was} to ${is}`, () => {
    const { changes } = addChanges(
      createRunReport(tuesday, { other: otherVerdict, [name]: is }),
      createRunReport(monday, { other: otherVerdict, [name]: was }),
    );
    const { since, causes, ...kinds } = changes ?? { since: undefined };
    expect(causes).toEqual(was === is ? [] : ['target']);
    expect(Boolean(changes && formatCause(changes))).toBe(was !== is);
    expect(since?.startedAt).toBe(monday);
    const reported = Object.entries(kinds).filter(([, addresses]) => addresses.length > 0);
    expect(reported).toEqual(expected.map((kind) => [kind, [`getCard/${name}`]]));
  });
}

test('a recording shows what is broken, but not what is fixed', () => {
  const earlierRun = createRunReport(monday, { code: 'violation', data: 'pass', name: 'deviation' });
  const laterRun = createRunReport(tuesday, { code: 'pass', data: 'violation', name: 'pass' });
  const traffic = { sources: ['[1] ….har'], exchanges: 3, judged: 3, skipped: {}, broken: [] };
  expect(addChanges({ ...laterRun, traffic }, { ...earlierRun, traffic }).changes).toMatchObject({
    broken: ['getCard/data'],
    fixed: [],
    notLookedAtAgain: ['getCard/code', 'getCard/name'],
    causes: ['recording'],
  });
});

const createGate = (address: string, verdict: RunVerdict): GateResult => ({
  address,
  verdict,
  statement: address,
  section: '',
  expected: '',
  actual: '',
});

test('tests of the team change nothing, whether they ran or not', () => {
  const failedRun = { ...createRunReport(monday, {}), gates: [createGate('run/custom-tests', 'fail')] };
  const laterRun = { ...createRunReport(tuesday, { code: 'pass' }), gates: [] };
  expect(addChanges(laterRun, failedRun).changes).toMatchObject({ fixed: [], causes: ['target'] });
});

test('a gate is listed among broken and fixed requirements', () => {
  const createGates = (...verdictsOfGates: RunVerdict[]) =>
    verdictsOfGates.map((verdict, index) => createGate(`run/${index}`, verdict));
  const earlierRun = { ...createRunReport(monday, {}), gates: createGates('pass', 'fail', 'fail', 'pass') };
  const gates = createGates('fail', 'pass', 'error', 'pass', 'fail', 'pass');
  const laterRun = { ...createRunReport(tuesday, { code: 'pass' }), gates };
  expect(addChanges(laterRun, earlierRun).changes).toMatchObject({
    broken: ['run/0', 'run/4'],
    fixed: ['run/1'],
  });
  // A gate that is not selected or not set any more has no result to compare.
  expect(addChanges({ ...laterRun, gates: [] }, earlierRun).changes).toMatchObject({
    broken: [],
    fixed: [],
  });
  expect(addChanges({ ...laterRun, requirements: [] }, earlierRun).changes).toBeUndefined();
  expect(addChanges({ ...laterRun, incomplete: true }, earlierRun).changes).toBeUndefined();
});

test('a lost requirement stays lost until it is judged again or the gate is not set', () => {
  const createJudgedGate = (verdict: RunVerdict) => createGate('run/judged', verdict);
  const createNextRun = (before: Conformance, verdicts: Record<string, Verdict>, ...gates: GateResult[]) =>
    addChanges({ ...createRunReport(tuesday, verdicts), gates }, before);
  const first = createRunReport(monday, { code: 'pass', data: 'violation', name: 'not exercised' });
  const fewerVerdicts: Record<string, Verdict> = {
    code: 'not exercised',
    data: 'pass',
    name: 'not exercised',
  };
  const second = createNextRun(first, fewerVerdicts, createJudgedGate('fail'));
  expect(second.requirements.map(({ lost }) => lost)).toEqual([true, undefined, undefined]);
  expect(listAddressesToJudge(second)).toEqual(['getCard/code', 'getCard/data']);
  const third = createNextRun(second, fewerVerdicts, createJudgedGate('fail'));
  expect(listAddressesToJudge(third)).toEqual(['getCard/code', 'getCard/data']);
  expect(listAddressesToJudge(createNextRun(third, fewerVerdicts))).toEqual(['getCard/data']);
  expect(
    listAddressesToJudge(createNextRun(third, { ...fewerVerdicts, code: 'pass' }, createJudgedGate('pass'))),
  ).toEqual(listAddressesToJudge(first));
});

test('an outage between two runs does not lower what the gate run/judged demands', () => {
  const first = createRunReport(monday, { code: 'pass', data: 'pass', name: 'not exercised' });
  const blockedReport = createRunReport(tuesday, { code: 'blocked', data: 'not exercised', name: 'blocked' });
  const judgedGate = createGate('run/judged', 'error');
  const blockedRun = addChanges({ ...blockedReport, gates: [judgedGate] }, first);
  expect(listAddressesToJudge(blockedRun)).toEqual(['getCard/code', 'getCard/data']);
  expect(listAddressesToJudge(addChanges(blockedReport, first))).toEqual([]);
});

const createSweep = (overrides: Partial<SweepSummary> = {}): SweepSummary => ({
  operation: 'listCustomers',
  noun: 'customers',
  mode: 'all',
  judged: 20_000,
  pages: 20,
  blocked: [],
  ...overrides,
});

function createSweptRun(startedAt: string, verdict: Verdict, sweep?: SweepSummary): Conformance {
  const run = createRunReport(startedAt, { code: verdict });
  const [cardResult] = run.requirements as [ResultRow];
  const listResult = { ...cardResult, address: 'listCustomers/phone', operation: 'listCustomers' };
  const lookupResult = { ...cardResult, address: 'getCustomer/phone', operation: 'getCustomer' };
  if (!sweep) return { ...run, requirements: [cardResult, listResult, lookupResult] };
  const brokenCount = verdict === 'pass' ? 0 : 2;
  const swept = { judged: sweep.judged, broken: brokenCount, records: 'customers' };
  const sweptResults = [
    { ...listResult, swept },
    { ...lookupResult, reason: `an entry accepts something else; ${sweepNote}` },
  ];
  return { ...run, requirements: [cardResult, ...sweptResults], sweeps: [sweep] };
}

type ResultRow = Conformance['requirements'][number];

const createSample = (seed: number, overrides: Partial<SweepSummary> = {}) =>
  createSweep({ mode: 'sample', judged: 500, population: 20_000, seed, ...overrides });
const shardSweep = createSweep({ shard: { current: 1, total: 2 } });

const sweepRows: [name: string, was: SweepSummary, now: SweepSummary | undefined, seen: boolean][] = [
  ['no sweep', createSweep(), undefined, false],
  ['a sample', createSweep(), createSample(1), false],
  ['another sample', createSample(1), createSample(2), false],
  ['the same sample', createSample(1), createSample(1), true],
  ['a larger sample with the same seed', createSample(1), createSample(1, { judged: 600 }), false],
  ['a sample of a longer list', createSample(1), createSample(1, { population: 20_100 }), false],
  ['the share of a shard', createSweep(), shardSweep, false],
  ['a sweep that stopped', createSweep(), createSweep({ stopped: 'no response' }), false],
  ['a sweep of a list that is shorter now', createSweep(), createSweep({ judged: 19_998 }), true],
];

for (const [name, earlierSweep, laterSweep, isCovered] of sweepRows) {
  test(`after a sweep that found violations, ${name} ${isCovered ? 'shows what is fixed' : 'shows nothing as fixed that it did not cover'}`, () => {
    const earlierRun = createSweptRun(monday, 'violation', earlierSweep);
    const { changes } = addChanges(createSweptRun(tuesday, 'pass', laterSweep), earlierRun);
    expect(listAddressesToJudge(earlierRun)).toEqual(['getCard/code']);
    const sweptAddresses = ['listCustomers/phone', 'getCustomer/phone'];
    expect(changes?.notLookedAtAgain).toEqual(isCovered ? [] : sweptAddresses);
    expect(changes?.fixed).toEqual(['getCard/code', ...(isCovered ? sweptAddresses : [])]);
  });
}
