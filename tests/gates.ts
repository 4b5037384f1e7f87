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
 * Checks a gate (condition on the whole run) such as `run/coverage`. Does nothing if the gate is not configured.
 * If a problem prevented requests, ends the test as `blockUnlessAllSent` does.
 * @throws {FailedGate} if the condition is not met, or if the results of the run are not enough to check it
 */
export async function assertGate(session: WorkerSession, address: string): Promise<void> {
  blockUnlessAllSent(session);
  const contract = session.contract as Contract;
  const results = await session.evaluate();
  const { gates } = concludeRun({
    contract,
    target: session.target,
    results,
    // Only this gate is evaluated.
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
