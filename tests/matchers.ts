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
import { BlockedRequirement, UnmetRequirement } from './failure.ts';
import type { OperationResponses, WorkerSession } from './worker-session.ts';

/**
 * `expect` of this suite. `expect(getCard).toMeet('getCard/http/status')` passes if each response of the operation meets the
 * requirement, fails with the text of its violation, and skips the test with the reason if nothing could be judged.
 */
export const expect = playwrightExpect.extend({
  async toMeet(responses: OperationResponses, address: string) {
    const result = await judgeRequirement(responses, address);
    const { verdict, reason = '' } = result;
    if (verdict === 'blocked') blockTest(responses.session, reason);
    await showEvidence(responses, result);
    if (verdict === 'violation') throw unmetRequirement(responses, result);
    markVerdict(responses, result);
    // Nothing was judged, which is neither a pass nor a failure. The verdict of the run says so by itself.
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

/** Returns the result of a requirement, once the responses of its operation are judged. @throws {BlockedRequirement} if nothing could be sent */
async function judgeRequirement(responses: OperationResponses, address: string): Promise<RequirementResult> {
  const { session, operation } = responses;
  await responses.judged;
  assertSent(responses);
  const results = await session.evaluate(session.operation(operation));
  const result = results.requirementResults.find((candidate) => candidate.address === address);
  if (!result) throw new UnmetRequirement(`the contract has no requirement ${address}`);
  return result;
}

/** Blocks a test if the requests of its operation could not be sent. @throws {BlockedRequirement} in the first blocked test */
export function assertSent({ session, operation }: OperationResponses): void {
  const problem = session.problem ?? session.store.read(operation)?.problem;
  if (problem !== undefined) blockTest(session, problem);
}

/** Blocks a test unless every part of a run was sent. Returns the contract. @throws {BlockedRequirement} in the first blocked test */
export function assertPartsSent(session: WorkerSession): Contract {
  const problems = Object.values(session.store.readAll()).flatMap(({ problem }) => problem ?? []);
  const problem = session.problem ?? problems[0];
  if (problem !== undefined) blockTest(session, problem);
  return session.contract as Contract;
}

/**
 * Fails the first blocked test of a run, so that no report of a blocked run is green. Skips the other blocked tests, because
 * Playwright starts a new worker after each failed test.
 */
function blockTest({ store }: WorkerSession, reason: string): void {
  if (store.mark(marks.blocked, reason)) throw new BlockedRequirement(reason);
  base.skip(true, `blocked: ${reason}`);
}

/** Returns the error of a violation, whose location is the line of the contract that it breaks. */
function unmetRequirement({ session }: OperationResponses, result: RequirementResult): UnmetRequirement {
  const findings = result.findings.filter(({ kind }) => kind === 'violation');
  return new UnmetRequirement(
    formatFailure(result, findings),
    locateRequirement(session.contract as Contract, result),
  );
}

/**
 * Shows by which requests a requirement was judged, attaches the exchange of its first finding, and names the ledger entries that
 * accept its deviations.
 */
async function showEvidence(responses: OperationResponses, result: RequirementResult): Promise<void> {
  const { verdict } = result;
  if (verdict === 'not exercised') return;
  const observations = await collectObservations(responses);
  await showJudgedRequests(result, observations);
  const findings = result.findings.filter(({ kind }) => kind === verdict);
  const deviations = verdict === 'deviation' ? findings.slice(0, 3) : [];
  for (const { pointer, because } of deviations) await showFact('deviation', `${pointer}: ${because}`);
  if (deviations.length > 0) await tag('deviation');
  if (findings[0]) await attachFinding(findings[0], observations);
}

/** Collects the observations of an operation: one by one as stored, or else summed, as recordings and sweeps have them. */
async function collectObservations({ session, operation }: OperationResponses): Promise<Observation[]> {
  const { observations: storedObservations = [], contradictions = [] } = session.store.read(operation) ?? {};
  const { observations } = await session.evaluate(session.operation(operation));
  const otherObservations =
    storedObservations.length === 0
      ? observations
      : observations.filter(({ swept: isFromSweep }) => isFromSweep);
  return [...storedObservations, ...contradictions, ...otherObservations];
}

/** Marks the verdict for runs without the conformance reporter. */
function markVerdict({ session }: OperationResponses, { verdict, reason = '' }: RequirementResult): void {
  if (verdict === 'not exercised') session.store.mark(marks.notExercised, reason);
  else session.store.mark(marks.judged, '');
}
