import { test as base, expect as playwrightExpect } from '@playwright/test';
import { tag } from 'allure-js-commons';
import type { Contract } from '../schemas/contract/contract.ts';
import type { Finding, Observation } from '../src/redact/observation.ts';
import { marks } from '../src/run/conclude.ts';
import type { RequirementResult } from '../src/verdict/results.ts';
import { describeViolations } from './custom-requests.ts';
import { attachFinding, showFact, showJudgedRequests } from './evidence.ts';
import { blockTest, formatViolations, UnmetRequirement } from './failure.ts';
import type { OperationResponses, WorkerSession } from './worker-session.ts';

const maxShownDeviations = 3;

/**
 * `expect(getCard).toMeet('getCard/http/status')` passes if every response of the operation meets the requirement, or deviates in
 * a way that `spec/ledger.yaml` accepts. Skips the test if no response shows whether the requirement is met.
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
    noteWhetherJudged(responses, result);
    // The gate `run/judged` decides whether the run passes all the same.
    base.skip(verdict === 'not exercised', `not exercised: ${reason}`);
    return { pass: true, message: () => `the responses meet ${address}` };
  },

  async toConform(response: object) {
    const violations = await describeViolations(response);
    if (violations.length > 0) throw new UnmetRequirement(violations.join('\n\n'));
    return { pass: true, message: () => 'the response conforms to the contract' };
  },
});

async function judgeRequirement(responses: OperationResponses, address: string): Promise<RequirementResult> {
  const { session, operation } = responses;
  await responses.whenJudged;
  blockUnlessSent(responses);
  const results = await session.evaluate(session.findOperation(operation));
  const result = results.requirementResults.find((candidate) => candidate.address === address);
  if (!result) throw new UnmetRequirement(`the contract has no requirement ${address}`);
  return result;
}

/** Ends the running test as blocked if requests of the operation could not be sent. */
export function blockUnlessSent({ session, operation }: OperationResponses): void {
  const problem = session.problem ?? session.store.read(operation)?.problem;
  if (problem !== undefined) blockTest(session, problem);
}

/** Ends the running test as blocked if requests of any operation could not be sent. */
export function blockUnlessAllSent(session: WorkerSession): void {
  const problems = Object.values(session.store.readAll()).flatMap(({ problem }) => problem ?? []);
  const problem = session.problem ?? problems[0];
  if (problem !== undefined) blockTest(session, problem);
}

async function showEvidence(responses: OperationResponses, result: RequirementResult): Promise<void> {
  const { verdict } = result;
  if (verdict === 'not exercised') return;
  const observations = await collectObservations(responses);
  await showJudgedRequests(result, observations);
  const findings = result.findings.filter(({ kind }) => kind === verdict);
  const [firstFinding] = findings;
  if (!firstFinding) return;
  if (verdict === 'deviation') await tagAndShowDeviations(findings.slice(0, maxShownDeviations));
  await attachFinding(firstFinding, observations);
}

async function tagAndShowDeviations(deviations: Finding[]): Promise<void> {
  for (const { pointer, because, ledger } of deviations)
    await showFact('deviation', `${pointer}: ${because} ${ledger?.link ?? ''}`.trimEnd());
  await tag('deviation');
}

/** Returns the observation of each response, and sums for a sweep. For recordings, only sums are stored, and returned. */
async function collectObservations({ session, operation }: OperationResponses): Promise<Observation[]> {
  const { observations: storedObservations = [], contradictions = [] } = session.store.read(operation) ?? {};
  const { observations: sums } = await session.evaluate(session.findOperation(operation));
  const judgesRecordings = session.target.traffic !== undefined;
  if (judgesRecordings) return sums;
  const sweepSums = sums.filter(({ swept }) => swept);
  return [...storedObservations, ...contradictions, ...sweepSums];
}

/**
 * Notes, for `concludeWithoutReporter`, whether the requirement was judged or not exercised. Not called for a blocked or
 * violated requirement, which has failed the test already.
 */
function noteWhetherJudged({ session }: OperationResponses, { verdict, reason = '' }: RequirementResult) {
  if (verdict === 'not exercised') session.store.mark(marks.notExercised, reason);
  else session.store.mark(marks.judged, '');
}
