import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import type { SweepSummary } from '../../../src/sweep/summary.ts';
import { formatCause, judgedIn, withChanges } from '../../../src/verdict/changes.ts';
import { brokenOnlyNote } from '../../../src/verdict/evaluate.ts';
import type { GateResult } from '../../../src/verdict/gates.ts';
import type { RunVerdict, Verdict } from '../../../src/verdict/verdicts.ts';
import { monday, runOf, tuesday } from '../harness/plain-runs.ts';

const verdicts: [name: string, was: Verdict, is: Verdict, changes: string[]][] = [
  ['kept', 'pass', 'pass', []],
  ['broken', 'pass', 'violation', ['broken']],
  ['newly tolerated', 'pass', 'deviation', ['newlyTolerated']],
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

const other = 'pass';

for (const [name, was, is, expected] of verdicts) {
  test(`${name}: from ${was} to ${is}`, () => {
    const { changes } = withChanges(
      runOf(tuesday, { other, [name]: is }),
      runOf(monday, { other, [name]: was }),
    );
    const { since, causes, ...kinds } = changes ?? { since: undefined };
    expect(causes).toEqual(was === is ? [] : ['target']);
    expect(Boolean(changes && formatCause(changes))).toBe(was !== is);
    expect(since?.startedAt).toBe(monday);
    const reported = Object.entries(kinds).filter(([, addresses]) => addresses.length > 0);
    expect(reported).toEqual(expected.map((kind) => [kind, [`getCard/${name}`]]));
  });
}

const gateOf = (address: string, verdict: RunVerdict): GateResult => ({
  ...{ address, verdict, statement: address, section: '', expected: '', actual: '' },
});

test('a gate is among what is broken, and among what is fixed', () => {
  const gatesOf = (...all: RunVerdict[]) => all.map((verdict, at) => gateOf(`run/${at}`, verdict));
  const before = { ...runOf(monday, {}), gates: gatesOf('pass', 'fail', 'fail', 'pass') };
  const gates = gatesOf('fail', 'pass', 'error', 'pass', 'fail', 'pass');
  const now = { ...runOf(tuesday, { code: 'pass' }), gates };
  expect(withChanges(now, before).changes).toMatchObject({ broken: ['run/0', 'run/4'], fixed: ['run/1'] });
  expect(withChanges({ ...now, gates: [] }, before).changes).toMatchObject({
    broken: [],
    fixed: ['run/1', 'run/2'],
  });
  expect(withChanges({ ...now, requirements: [] }, before).changes).toBeUndefined();
});

test('what is lost stays so until it is judged again, or the gate is not set', () => {
  const judged = (verdict: RunVerdict) => gateOf('run/judged', verdict);
  const next = (before: Conformance, verdicts: Record<string, Verdict>, ...gates: GateResult[]) =>
    withChanges({ ...runOf(tuesday, verdicts), gates }, before);
  const first = runOf(monday, { code: 'pass', data: 'violation', name: 'not exercised' });
  const less: Record<string, Verdict> = { code: 'not exercised', data: 'pass', name: 'not exercised' };
  const second = next(first, less, judged('fail'));
  expect(second.requirements.map(({ lost }) => lost)).toEqual([true, undefined, undefined]);
  expect(judgedIn(second)).toEqual(['getCard/code', 'getCard/data']);
  const third = next(second, less, judged('fail'));
  expect(judgedIn(third)).toEqual(['getCard/code', 'getCard/data']);
  expect(judgedIn(next(third, less))).toEqual(['getCard/data']);
  expect(judgedIn(next(third, { ...less, code: 'pass' }, judged('pass')))).toEqual(judgedIn(first));
});

const sweepOf = (changed: Partial<SweepSummary> = {}): SweepSummary => ({
  ...{ operation: 'listCustomers', noun: 'customers', mode: 'all', judged: 20_000, pages: 20 },
  ...{ blocked: [], ...changed },
});

/** A run in which a card and a list have a verdict, the list by a sweep. */
function sweptRun(startedAt: string, verdict: Verdict, sweep?: SweepSummary): Conformance {
  const run = runOf(startedAt, { code: verdict, phone: verdict });
  const [card, other] = run.requirements as [Swept, Swept];
  const list = { ...other, address: 'listCustomers/phone', operation: 'listCustomers' };
  const lookup = { ...other, address: 'getCustomer/phone', ...(sweep ? { reason: brokenOnlyNote } : {}) };
  if (!sweep) return { ...run, requirements: [card, list, lookup] };
  const swept = { judged: sweep.judged, broken: verdict === 'pass' ? 0 : 2, records: 'customers' };
  return { ...run, requirements: [card, { ...list, swept }, lookup], sweeps: [sweep] };
}

type Swept = Conformance['requirements'][number];

const sample = (seed: number) => sweepOf({ mode: 'sample', judged: 500, seed });
const share = sweepOf({ shard: { current: 1, total: 2 } });

const sweepsNow: [name: string, was: SweepSummary, now: SweepSummary | undefined, seen: boolean][] = [
  ['no sweep', sweepOf(), undefined, false],
  ['a sample', sweepOf(), sample(1), false],
  ['another sample', sample(1), sample(2), false],
  ['the same sample', sample(1), sample(1), true],
  ['the share of a shard', sweepOf(), share, false],
  ['a sweep that stopped', sweepOf(), sweepOf({ stopped: 'no response' }), false],
  ['a sweep of a list that is shorter now', sweepOf(), sweepOf({ judged: 19_998 }), true],
];

for (const [name, was, now, seen] of sweepsNow) {
  test(`after a sweep that found violations, ${name} ${seen ? 'says what is fixed' : 'calls nothing fixed that it did not look at'}`, () => {
    const before = sweptRun(monday, 'violation', was);
    const { changes } = withChanges(sweptRun(tuesday, 'pass', now), before);
    expect(judgedIn(before)).toEqual(['getCard/code']);
    const swept = ['listCustomers/phone', 'getCustomer/phone'];
    expect(changes?.notLookedAtAgain).toEqual(seen ? [] : swept);
    expect(changes?.fixed).toEqual(['getCard/code', ...(seen ? swept : [])]);
  });
}
