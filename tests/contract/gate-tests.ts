import { label } from 'allure-js-commons';
import type { Contract } from '../../schemas/contract/contract.ts';
import type { Target } from '../configuration/target.ts';
import type { ResultsOf } from '../run/fresh-results.ts';
import { gatesOf } from '../run/test-titles.ts';
import { type Gate, gateSentence } from '../verdict/gates.ts';
import { concludeRun } from '../verdict/verdict.ts';
import { FailedGate } from './failure.ts';
import { labelled } from './labels.ts';
import { test } from './test.ts';

/** A test for each gate of the run that is configured. They judge the run, and are no requirements. */
export function gateTests(contract: Contract, target: Target, resultsOf: ResultsOf): void {
  test.describe('run', () => {
    for (const gate of gatesOf(contract, target)) gateTest(contract, gate, target, resultsOf);
  });
}

function gateTest(
  contract: Contract,
  { address, statement }: Gate,
  target: Target,
  resultsOf: ResultsOf,
): void {
  const annotation = [
    labelled('epic', 'Run'),
    labelled('feature', 'Gates'),
    labelled('severity', 'critical'),
  ];
  test(statement, { tag: `@${address}`, annotation }, async () => {
    const results = await resultsOf(address);
    const input = { contract, target, results, addresses: [address], problems: [], startedAt: new Date() };
    const [gate] = concludeRun({ ...input, failed: new Set<string>() }).gates;
    if (!gate || gate.verdict === 'pass') return;
    await label('verdict', 'gate');
    throw new FailedGate(gateSentence(gate));
  });
}
