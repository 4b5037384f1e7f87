import { expect, test } from '@playwright/test';
import { evaluateGates, type GateFacts } from '../../../src/verdict/gates.ts';
import { exampleTarget } from '../harness/examples.ts';

test('a gate whose check was prevented is an error, unless it has failed', () => {
  const drift = { kind: 'drift', requirement: '', expected: 'yes', actual: 'no', exchange: 'q' } as const;
  const verdictOf = (findings: GateFacts['findings']) => {
    const facts = { sweeps: [], behaviour: { comparable: 0 }, findings } as unknown as GateFacts;
    const target = exampleTarget({ failOnDrift: true });
    return evaluateGates(target, 0, new Set(['run/drift']), facts)[0]?.verdict;
  };
  expect([verdictOf([]), verdictOf([drift])]).toEqual(['error', 'fail']);
});
