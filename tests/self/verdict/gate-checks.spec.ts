import { expect, test } from '@playwright/test';
import { type GateCheck, type GateFacts, unlessPrevented } from '../../verdict/gate-checks.ts';

const facts = { sweeps: [] } as unknown as GateFacts;
const ending = (verdict: 'pass' | 'fail'): GateCheck =>
  unlessPrevented(
    () => 'nothing was answered',
    () => ({ verdict, expected: 'no error', actual: verdict }),
  );

test('a gate whose check was prevented is an error, unless it has failed', () => {
  const verdictOf = (check: GateCheck) => check(facts, undefined as never).verdict;
  expect(verdictOf(ending('pass'))).toBe('error');
  expect(verdictOf(ending('fail'))).toBe('fail');
});
