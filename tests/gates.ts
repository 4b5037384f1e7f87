import { test } from '@playwright/test';
import { adaptToCallerFolder } from '../src/run/caller-folder.ts';
import { describeGate } from '../src/verdict/gates.ts';
import { concludeRun } from '../src/verdict/verdict.ts';
import { showStep } from './evidence.ts';
import { FailedGate } from './failure.ts';
import { assertAllSent } from './matchers.ts';
import type { WorkerSession } from './worker-session.ts';

/** Does nothing if the configuration does not set the gate. @throws {FailedGate} if the gate fails or cannot be judged */
export async function assertGate(session: WorkerSession, address: string): Promise<void> {
  const contract = assertAllSent(session);
  const results = await session.evaluate();
  // Only the reporter knows of problems and failed tests.
  const selection = { addresses: [address], problems: [], startedAt: new Date(), failed: new Set<string>() };
  const [gate] = concludeRun({ contract, target: session.target, results, ...selection }).gates;
  if (gate && gate.verdict !== 'pass') throw new FailedGate(adaptToCallerFolder(describeGate(gate)));
}

export async function showAnswers(session: WorkerSession): Promise<void> {
  assertAllSent(session);
  const { behaviour } = await session.evaluate();
  const answers = behaviour?.observed ?? [];
  for (const { question, answer } of answers) await showStep(`${question} ${answer}`);
  test.skip(answers.length === 0, 'nothing was observed');
}
