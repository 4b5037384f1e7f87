import { test as base, expect as playwrightExpect } from '@playwright/test';
import { tag } from 'allure-js-commons';
import type { Contract } from '../schemas/contract/contract.ts';
import { locateRequirement } from '../schemas/contract/locations.ts';
import type { Observation } from '../src/redact/observation.ts';
import { marks } from '../src/run/conclude.ts';
import { formatFailure } from '../src/verdict/entry.ts';
import type { RequirementResult } from '../src/verdict/results.ts';
import { describeViolations } from './custom-requests.ts';
import { attachFinding, showFact, showJudgedRequests } from './evidence.ts';
import { blockTest, UnmetRequirement } from './failure.ts';
import type { OperationResponses, WorkerSession } from './worker-session.ts';

/**
 * `expect` of this suite. `expect(getCard).toMeet('getCard/http/status')` judges all responses of an operation by a requirement. Passes if
 * each response meets it, or deviates as a ledger entry tolerates. Fails with the text of the violation. Skips the test if no response
 * shows whether the requirement is met. If requests cannot be sent or judged, fails one test of the run and skips the others.
 */
export const expect = playwrightExpect.extend({
  async toMeet(responses: OperationResponses, address: string) {
    const result = await judgeRequirement(responses, address);
    const { verdict, reason = '' } = result;
    if (verdict === 'blocked') blockTest(responses.session, reason);
    await showEvidence(responses, result);
    if (verdict === 'violation') throw createUnmetRequirement(responses, result);
    markVerdict(responses, result);
    // Neither a pass nor a failure. The verdict of the run counts it on its own (gate `run/judged`).
    base.skip(verdict === 'not exercised', `not exercised: ${reason}`);
    return { pass: true, message: () => `the responses meet ${address}` };
  },

  /** Judges a response that `send` has returned by every requirement of its operation. */
  async toConform(response: object) {
    const violations = await describeViolations(response);
    if (violations.length > 0) throw new UnmetRequirement(violations.join('\n\n'));
    return { pass: true, message: () => 'the response conforms to the contract' };
  },
});

/**
 * Waits until the responses of an operation are judged, and returns the result of a requirement.
 * @throws {UnmetRequirement} if the contract has no such requirement; if nothing could be sent, blocks the test as `assertSent` does
 */
async function judgeRequirement(responses: OperationResponses, address: string): Promise<RequirementResult> {
  const { session, operation } = responses;
  await responses.judged;
  assertSent(responses);
  const results = await session.evaluate(session.operation(operation));
  const result = results.requirementResults.find((candidate) => candidate.address === address);
  if (!result) throw new UnmetRequirement(`the contract has no requirement ${address}`);
  return result;
}

/** Asserts that the requests of an operation were sent. If not, ends the running test: fails or skips it as `blockTest` does. */
export function assertSent({ session, operation }: OperationResponses): void {
  const problem = session.problem ?? session.store.read(operation)?.problem;
  if (problem !== undefined) blockTest(session, problem);
}

/**
 * Asserts that all requests of the run were sent, those of each operation and the probes, and returns the contract. If not, ends the
 * running test: fails or skips it as `blockTest` does.
 */
export function assertPartsSent(session: WorkerSession): Contract {
  const problems = Object.values(session.store.readAll()).flatMap(({ problem }) => problem ?? []);
  const problem = session.problem ?? problems[0];
  if (problem !== undefined) blockTest(session, problem);
  return session.contract as Contract;
}

/** Creates the error of a violated requirement. Its location is the line of the contract that states the requirement. */
function createUnmetRequirement(
  { session }: OperationResponses,
  result: RequirementResult,
): UnmetRequirement {
  const findings = result.findings.filter(({ kind }) => kind === 'violation');
  return new UnmetRequirement(
    formatFailure(result, findings),
    locateRequirement(session.contract as Contract, result),
  );
}

/**
 * Adds to the running test on what its verdict is based: the requests, the request and response of the first violation or deviation, and
 * for up to three deviations the reason why the ledger tolerates them. Tags a test with a deviation `deviation` in Allure. Adds nothing
 * if no response shows whether the requirement is met.
 */
async function showEvidence(responses: OperationResponses, result: RequirementResult): Promise<void> {
  const { verdict } = result;
  if (verdict === 'not exercised') return;
  const observations = await collectObservations(responses);
  await showJudgedRequests(result, observations);
  const findings = result.findings.filter(({ kind }) => kind === verdict);
  const deviations = verdict === 'deviation' ? findings.slice(0, 3) : [];
  for (const { pointer, because, ledger } of deviations)
    await showFact('deviation', [`${pointer}: ${because}`, ledger?.link].filter(Boolean).join(' '));
  if (deviations.length > 0) await tag('deviation');
  if (findings[0]) await attachFinding(findings[0], observations);
}

/**
 * Collects the observations of an operation: one for each request of the tests, those about contradictions between responses, and sums
 * for a sweep. Of recorded traffic (`TRAFFIC`), no single requests are stored, so returns only sums.
 */
async function collectObservations({ session, operation }: OperationResponses): Promise<Observation[]> {
  const { observations: storedObservations = [], contradictions = [] } = session.store.read(operation) ?? {};
  const { observations } = await session.evaluate(session.operation(operation));
  const otherObservations =
    storedObservations.length === 0
      ? observations
      : observations.filter(({ swept: isFromSweep }) => isFromSweep);
  return [...storedObservations, ...contradictions, ...otherObservations];
}

/** Notes in the store that a requirement was judged or not exercised, for runs without conformance reporter (`concludeWithoutReporter`). */
function markVerdict({ session }: OperationResponses, { verdict, reason = '' }: RequirementResult): void {
  if (verdict === 'not exercised') session.store.mark(marks.notExercised, reason);
  else session.store.mark(marks.judged, '');
}
