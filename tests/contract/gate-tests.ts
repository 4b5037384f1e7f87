import { test } from '@playwright/test';
import type { Contract } from '../../schemas/contract/contract.ts';
import type { Target } from '../../src/client/target.ts';
import { type Gate, gateSentence, gatesFor } from '../../src/verdict/gates.ts';
import type { Results } from '../../src/verdict/results.ts';
import { concludeRun } from '../../src/verdict/verdict.ts';
import { FailedGate } from './failure.ts';

/** A test for each gate of the run that is configured. They judge the run, and are no requirements. */
export function gateTests(contract: Contract, target: Target, resultsOf: () => Results): void {
  test.describe('run', () => {
    for (const gate of gatesFor(target, contract.ledger)) gateTest(contract, gate, target, resultsOf);
  });
}

function gateTest(
  contract: Contract,
  { address, statement }: Gate,
  target: Target,
  resultsOf: () => Results,
): void {
  test(statement, { tag: `@${address}` }, async () => {
    const results = resultsOf();
    const input = { contract, target, results, addresses: [address], problems: [], startedAt: new Date() };
    const [gate] = concludeRun({ ...input, failed: new Set<string>() }).gates;
    if (!gate || gate.verdict === 'pass') return;
    throw new FailedGate(gateSentence(gate));
  });
}
