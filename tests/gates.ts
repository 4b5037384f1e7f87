import { test } from '@playwright/test';
import { gateSentence } from '../src/verdict/gates.ts';
import { concludeRun } from '../src/verdict/verdict.ts';
import { FailedGate } from './failure.ts';
import { assertPartsSent } from './matchers.ts';
import type { WorkerSession } from './worker-session.ts';

/** Asserts that a run passes a gate. @throws {FailedGate} otherwise */
export async function assertGate(session: WorkerSession, address: string): Promise<void> {
  const contract = assertPartsSent(session);
  const results = await session.evaluate();
  const about = { addresses: [address], problems: [], startedAt: new Date(), failed: new Set<string>() };
  const [gate] = concludeRun({ contract, target: session.target, results, ...about }).gates;
  if (gate && gate.verdict !== 'pass') throw new FailedGate(gateSentence(gate));
}

/** Shows the answers to what the contract leaves open, as steps. Judges nothing. */
export async function showAnswers(session: WorkerSession): Promise<void> {
  assertPartsSent(session);
  const { behaviour } = await session.evaluate();
  const observed = behaviour?.observed ?? [];
  for (const { question, answer } of observed) await test.step(`${question} ${answer}`, () => {});
  test.skip(observed.length === 0, 'nothing was observed');
}
