import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { acrossParts } from '../../sweep/merge/across-parts.ts';
import { mergeParts } from '../../sweep/merge/merge-parts.ts';
import { withUnseen } from '../../sweep/results/ordinary-lists.ts';
import { Tally } from '../../sweep/results/tally.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { sweepMock } from './sweep-run.ts';

/* What ordinary requests list, a sweep of the same run must have seen. */

/** Shows customers only where no `limit` is set. */
const withoutLimit: Alter = (answer, { operation, parameters: { limit } }) => {
  const { data } = (answer.body ?? {}) as { data?: { customers?: unknown[] } };
  if (operation === 'listCustomers' && limit !== undefined && data?.customers) data.customers = [];
  return answer;
};

const reason = 'the sweep was shown less than half of what the ordinary requests of the same run were';

for (const SWEEP of ['all', '5'])
  test(`a sweep that was shown nothing does not pass where ordinary requests have listed customers (SWEEP=${SWEEP})`, async () => {
    const { conformance } = await runInProcessAgainst({ alter: withoutLimit }, { SWEEP, SWEEP_SEED: '1' });
    const [sweep] = conformance?.sweeps ?? [];
    expect(sweep).toMatchObject({ judged: 0, blocked: [{ from: 1, to: expect.any(Number), reason }] });
    expect(sweep).not.toHaveProperty('population');
    expect(sweep).not.toHaveProperty('listed');
    const gate = conformance?.gates?.find(({ address }) => address === 'run/sweep');
    expect([gate?.verdict, conformance?.verdict]).toEqual(['error', 'error']);
  });

test('a sample is held against what it was drawn of, and parts when they are merged', async () => {
  const { result } = await sweepMock({ population: { customers: 60 } });
  const blocked = (changes: object) => withUnseen({ ...result, listed: 121, ...changes }).blocked;
  const range = { from: 61, to: 121, reason };
  expect(blocked({ listed: 120 })).toEqual([]);
  expect(blocked({})).toEqual([range]);
  const sample = { mode: 'sample', judged: 5 };
  expect(blocked({ ...sample, population: 60 })).toEqual([range]);
  expect(blocked({ ...sample, population: 61 })).toEqual([]);
  expect(blocked({ ...sample, population: 100, judged: 0 })).toEqual([{ ...range, from: 1 }]);
  const part = { ...result, part: { current: 1, total: 2 }, listed: 121 };
  expect(withUnseen(part).blocked).toEqual([]);
  const merged = mergeParts([part], new Tally(loadContract().operations), acrossParts([]));
  expect(merged.blocked).toEqual([{ ...range, from: 1 }]);
});
