import { test } from '@playwright/test';
import type { Contract } from '../schemas/contract/contract.ts';
import { adaptToCallerFolder } from '../src/run/caller-folder.ts';
import { describeGate } from '../src/verdict/gates.ts';
import { concludeRun } from '../src/verdict/verdict.ts';
import { showStep } from './evidence.ts';
import { FailedGate } from './failure.ts';
import { blockUnlessAllSent } from './matchers.ts';
import type { WorkerSession } from './worker-session.ts';

/**
 * Checks a gate such as `run/coverage`, which is a condition on the whole run. Does nothing if the gate is not configured.
 * If a problem prevented requests, the test is blocked.
 * @throws {FailedGate} if the condition is not met, or if the run has too few results to check the condition
 */
export async function assertGate(session: WorkerSession, address: string): Promise<void> {
  blockUnlessAllSent(session);
  const contract = session.contract as Contract;
  const results = await session.evaluate();
  const { gates } = concludeRun({
    contract,
    target: session.target,
    results,
    addresses: [address],
    // A worker does not know the problems and failed tests of the run; the reporter does.
    problems: [],
    failed: new Set(),
    startedAt: new Date(),
  });
  const [gate] = gates;
  const isConfigured = gate !== undefined;
  if (isConfigured && gate.verdict !== 'pass') throw new FailedGate(adaptToCallerFolder(describeGate(gate)));
}

/** Shows answers to questions that the contract leaves open, as test steps. */
export async function showAnswers(session: WorkerSession): Promise<void> {
  blockUnlessAllSent(session);
  const results = await session.evaluate();
  const answers = results.behaviour?.observed ?? [];
  for (const { question, answer } of answers) await showStep(`${question} ${answer}`);
  test.skip(answers.length === 0, 'nothing was observed');
}
