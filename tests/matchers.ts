import { test as base, expect as playwrightExpect } from '@playwright/test';
import type { Contract } from '../schemas/contract/contract.ts';
import { locateRequirement } from '../schemas/contract/locations.ts';
import { marks } from '../src/run/conclude.ts';
import { failureText } from '../src/verdict/entry.ts';
import type { RequirementResult } from '../src/verdict/evaluate.ts';
import { violationsOf } from './custom-requests.ts';
import { evidenceOfFinding } from './evidence.ts';
import { UnmetRequirement } from './failure.ts';
import type { OperationResponses, WorkerSession } from './worker-session.ts';

/**
 * `expect` of this suite. `expect(getCard).toMeet('getCard/http/status')` passes if each response of the operation meets the
 * requirement, fails with the text of its violation, and skips the test with the reason if nothing could be judged.
 */
export const expect = playwrightExpect.extend({
  async toMeet(responses: OperationResponses, address: string) {
    const result = await judgeRequirement(responses, address);
    await attachEvidence(responses, result);
    if (result.verdict === 'violation') throw unmetRequirement(responses, result);
    markVerdict(responses, result);
    const { verdict, reason } = result;
    // Nothing was judged, which is neither a pass nor a failure. The verdict of the run says so by itself.
    base.skip(verdict === 'blocked' || verdict === 'not exercised', `${verdict}: ${reason}`);
    return { pass: true, message: () => `the responses meet ${address}` };
  },

  /** Judges a response of `send` by every requirement of its operation. */
  async toConform(response: object) {
    const violations = await violationsOf(response);
    if (violations.length > 0) throw new UnmetRequirement(violations.join('\n\n'));
    return { pass: true, message: () => 'the response conforms to the contract' };
  },
});

/** Returns the result of a requirement. @throws if nothing could be sent, in the first test that finds it */
async function judgeRequirement(responses: OperationResponses, address: string): Promise<RequirementResult> {
  const { session, operation } = responses;
  await responses.judged;
  assertSent(responses);
  const results = await session.evaluate(session.operation(operation));
  const result = results.requirementResults.find((candidate) => candidate.address === address);
  if (!result) throw new UnmetRequirement(`the contract has no requirement ${address}`);
  return result;
}

/**
 * Fails the first test that finds that nothing could be sent, and skips the others: each failed test costs a new worker.
 * @throws an error for people
 */
export function assertSent({ session, operation }: OperationResponses): void {
  failOnProblem(session, session.problem ?? session.store.read(operation)?.problem);
}

/** Asserts that every part of a run was sent. Returns the contract. @throws an error for people */
export function assertPartsSent(session: WorkerSession): Contract {
  const problems = Object.values(session.store.readAll()).flatMap(({ problem }) => problem ?? []);
  failOnProblem(session, session.problem ?? problems[0]);
  return session.contract as Contract;
}

function failOnProblem({ store }: WorkerSession, problem: string | undefined): void {
  if (problem === undefined) return;
  if (store.mark(marks.blocked, problem)) throw new UnmetRequirement(problem);
  base.skip(true, `blocked: ${problem}`);
}

/** Returns the error of a violation, whose location is the line of the contract that it breaks. */
function unmetRequirement({ session }: OperationResponses, result: RequirementResult): UnmetRequirement {
  const findings = result.findings.filter(({ kind }) => kind === 'violation');
  return new UnmetRequirement(
    failureText(result, findings),
    locateRequirement(session.contract as Contract, result),
  );
}

/** Attaches the first finding, and names the entries of the ledger that accept deviations. */
async function attachEvidence(
  { session, operation }: OperationResponses,
  result: RequirementResult,
): Promise<void> {
  const { verdict } = result;
  const findings = result.findings.filter(({ kind }) => kind === verdict);
  const deviations = verdict === 'deviation' ? findings.slice(0, 3) : [];
  for (const { pointer, because } of deviations)
    await base.step(`deviation: ${pointer}: ${because}`, () => {});
  const { observations } = await session.evaluate(session.operation(operation));
  if (findings[0] && verdict !== 'blocked')
    await base.info().attach(...evidenceOfFinding(findings[0], observations));
}

/** Leaves word of the verdict for runs without the conformance reporter. */
function markVerdict({ session }: OperationResponses, { verdict, reason = '' }: RequirementResult): void {
  if (verdict === 'blocked') session.store.mark(marks.blocked, reason);
  else if (verdict === 'not exercised') session.store.mark(marks.notExercised, reason);
  else session.store.mark(marks.judged, '');
}
