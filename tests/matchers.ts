import { test as base, expect as playwrightExpect } from '@playwright/test';
import { tag } from 'allure-js-commons';
import type { Contract } from '../schemas/contract/contract.ts';
import type { Observation } from '../src/redact/observation.ts';
import { marks } from '../src/run/conclude.ts';
import type { RequirementResult } from '../src/verdict/results.ts';
import { describeViolations } from './custom-requests.ts';
import { attachFinding, showFact, showJudgedRequests } from './evidence.ts';
import { blockTest, formatViolations, UnmetRequirement } from './failure.ts';
import type { OperationResponses, WorkerSession } from './worker-session.ts';

const maxShownDeviations = 3;

/**
 * `expect` of this suite. `expect(getCard).toMeet('getCard/http/status')` passes if each response of an operation meets a
 * requirement, or deviates as a ledger entry accepts. Skips the test if no response shows whether the requirement is met.
 */
export const expect = playwrightExpect.extend({
  async toMeet(responses: OperationResponses, address: string) {
    const result = await judgeRequirement(responses, address);
    const { verdict, reason = '' } = result;
    if (verdict === 'blocked') blockTest(responses.session, reason);
    await showEvidence(responses, result);
    if (verdict === 'violation') {
      const { locations } = responses.session.contract as Contract;
      throw new UnmetRequirement(formatViolations(result), locations[result.address]);
    }
    markVerdict(responses, result);
    // Neither a pass nor a failure. The verdict of the run counts it on its own (gate `run/judged`).
    base.skip(verdict === 'not exercised', `not exercised: ${reason}`);
    return { pass: true, message: () => `the responses meet ${address}` };
  },

  async toConform(response: object) {
    const violations = await describeViolations(response);
    if (violations.length > 0) throw new UnmetRequirement(violations.join('\n\n'));
    return { pass: true, message: () => 'the response conforms to the contract' };
  },
});

/**
 * Waits until the responses of an operation are judged, and returns the result of a requirement.
 * @throws {UnmetRequirement} if the contract has no such requirement
 */
async function judgeRequirement(responses: OperationResponses, address: string): Promise<RequirementResult> {
  const { session, operation } = responses;
  await responses.judged;
  assertSent(responses);
  const results = await session.evaluate(session.findOperation(operation));
  const result = results.requirementResults.find((candidate) => candidate.address === address);
  if (!result) throw new UnmetRequirement(`the contract has no requirement ${address}`);
  return result;
}

/** Blocks the running test (`blockTest`) if the requests of an operation could not be sent. */
export function assertSent({ session, operation }: OperationResponses): void {
  const problem = session.problem ?? session.store.read(operation)?.problem;
  if (problem !== undefined) blockTest(session, problem);
}

/** Blocks the running test (`blockTest`) if some requests of the run could not be sent. Returns the contract. */
export function assertAllSent(session: WorkerSession): Contract {
  const problems = Object.values(session.store.readAll()).flatMap(({ problem }) => problem ?? []);
  const problem = session.problem ?? problems[0];
  if (problem !== undefined) blockTest(session, problem);
  return session.contract as Contract;
}

/**
 * Shows in the running test what its verdict is based on: the requests, the first violation or deviation, and why the ledger
 * accepts up to three deviations. Tags a test with a deviation in Allure.
 */
async function showEvidence(responses: OperationResponses, result: RequirementResult): Promise<void> {
  const { verdict } = result;
  if (verdict === 'not exercised') return;
  const observations = await collectObservations(responses);
  await showJudgedRequests(result, observations);
  const findings = result.findings.filter(({ kind }) => kind === verdict);
  const deviations = verdict === 'deviation' ? findings.slice(0, maxShownDeviations) : [];
  for (const { pointer, because, ledger } of deviations)
    await showFact('deviation', [`${pointer}: ${because}`, ledger?.link].filter(Boolean).join(' '));
  if (deviations.length > 0) await tag('deviation');
  if (findings[0]) await attachFinding(findings[0], observations);
}

/** Collects the observations of an operation: of each request, of contradictions, and sums for a sweep or a recording (`TRAFFIC`). */
async function collectObservations({ session, operation }: OperationResponses): Promise<Observation[]> {
  const { observations: storedObservations = [], contradictions = [] } = session.store.read(operation) ?? {};
  const { observations: sums } = await session.evaluate(session.findOperation(operation));
  const isRecorded = storedObservations.length === 0;
  const otherSums = isRecorded ? sums : sums.filter(({ swept }) => swept);
  return [...storedObservations, ...contradictions, ...otherSums];
}

/** Notes that a requirement was judged or not exercised, for runs without conformance reporter (`concludeWithoutReporter`). */
function markVerdict({ session }: OperationResponses, { verdict, reason = '' }: RequirementResult): void {
  if (verdict === 'not exercised') session.store.mark(marks.notExercised, reason);
  else session.store.mark(marks.judged, '');
}
