import { test } from '@playwright/test';
import type { Contract } from '../schemas/contract/contract.ts';
import { adaptToCallerFolder } from '../src/run/caller-folder.ts';
import { describeGate } from '../src/verdict/gates.ts';
import { concludeRun } from '../src/verdict/verdict.ts';
import { showStep } from './evidence.ts';
import { FailedGate } from './failure.ts';
import { blockUnlessAllSent } from './matchers.ts';
import type { WorkerSession } from './worker-session.ts';

/** @throws {FailedGate} if a gate such as `run/coverage` is configured, and fails or cannot be judged */
export async function assertGate(session: WorkerSession, address: string): Promise<void> {
  blockUnlessAllSent(session);
  const contract = session.contract as Contract;
  const results = await session.evaluate();
  // Only the reporter knows of problems and failed tests.
  const unknownInWorker = { problems: [], startedAt: new Date(), failed: new Set<string>() };
  const run = { contract, target: session.target, results, addresses: [address], ...unknownInWorker };
  // `addresses` limits the gates to this one.
  const [gate] = concludeRun(run).gates;
  if (gate && gate.verdict !== 'pass') throw new FailedGate(adaptToCallerFolder(describeGate(gate)));
}

export async function showAnswers(session: WorkerSession): Promise<void> {
  blockUnlessAllSent(session);
  const results = await session.evaluate();
  const answers = results.behaviour?.observed ?? [];
  for (const { question, answer } of answers) await showStep(`${question} ${answer}`);
  test.skip(answers.length === 0, 'nothing was observed');
}
