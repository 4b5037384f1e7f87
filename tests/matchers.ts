import { test as base, expect as playwrightExpect } from '@playwright/test';
import { tag } from 'allure-js-commons';
import type { Contract } from '../schemas/contract/contract.ts';
import type { Finding, Observation } from '../src/redact/observation.ts';
import { marks } from '../src/run/conclude.ts';
import type { RequirementResult } from '../src/verdict/results.ts';
import { describeViolations } from './custom-requests.ts';
import { attachFinding, showFact, showJudgedRequests } from './evidence.ts';
import { endTestAsBlocked, formatViolations, UnmetRequirement } from './failure.ts';
import type { OperationResponses, WorkerSession } from './worker-session.ts';

const maxShownDeviations = 3;

/** Playwright's `expect` with the matchers of this suite. */
export const expect = playwrightExpect.extend({
  /**
   * Fails the test for the verdict `violation`, skips it for `not exercised`, and passes it for `pass` and `deviation`.
   * For `blocked`, the first such test of the run fails, and later ones are skipped.
   * @param address address of the requirement, such as `getCard/http/status`
   */
  async toMeet(responses: OperationResponses, address: string) {
    const result = await judgeRequirement(responses, address);
    const { verdict, reason = '' } = result;
    // Fails or skips the test.
    if (verdict === 'blocked') endTestAsBlocked(responses.session, reason);
    await showEvidence(responses, result);
    noteWhetherJudged(responses, result);
    if (verdict === 'violation') {
      const { locations } = responses.session.contract as Contract;
      throw new UnmetRequirement(formatViolations(result), locations[result.address]);
    }
    // A skipped test does not fail the run. The test `run/judged` fails if an earlier run judged the requirement.
    base.skip(verdict === 'not exercised', `not exercised: ${reason}`);
    // The verdict is `pass`, or `deviation`: a violation that the ledger tolerates.
    return { pass: true, message: () => `the responses meet ${address}` };
  },

  /** Fails the test if a response of the fixture `send` violates the contract or cannot be judged. */
  async toConform(response: object) {
    const violations = await describeViolations(response);
    if (violations.length > 0) throw new UnmetRequirement(violations.join('\n\n'));
    return { pass: true, message: () => 'the response conforms to the contract' };
  },
});

async function judgeRequirement(responses: OperationResponses, address: string): Promise<RequirementResult> {
  const { session, operation } = responses;
  await responses.whenJudged;
  // Fails or skips the test if requests could not be sent.
  blockUnlessSent(responses);
  const results = await session.evaluate(operation);
  const result = results.requirementResults.find((candidate) => candidate.address === address);
  if (!result) throw new UnmetRequirement(`the contract has no requirement ${address}`);
  return result;
}

/**
 * Ends the running test if a problem prevented the requests of the operation. In a run, the first test that ends this way fails,
 * and later ones are skipped.
 */
export function blockUnlessSent({ session, operation }: OperationResponses): void {
  const problem = session.problem ?? session.store.read(operation)?.problem;
  if (problem !== undefined) endTestAsBlocked(session, problem);
}

/** Ends the running test, as `blockUnlessSent` does, if a problem prevented the requests of at least one operation. */
export function blockUnlessAllSent(session: WorkerSession): void {
  const problems = Object.values(session.store.readAll()).flatMap(({ problem }) => problem ?? []);
  const problem = session.problem ?? problems[0];
  if (problem !== undefined) endTestAsBlocked(session, problem);
}

async function showEvidence(responses: OperationResponses, result: RequirementResult): Promise<void> {
  const { verdict } = result;
  if (verdict === 'not exercised') return;
  const observations = await collectObservations(responses);
  await showJudgedRequests(result, observations);
  const findingsOfVerdict = result.findings.filter(({ kind }) => kind === verdict);
  const [firstFinding] = findingsOfVerdict;
  if (!firstFinding) return;
  if (verdict === 'deviation') await tagAndShowDeviations(findingsOfVerdict.slice(0, maxShownDeviations));
  await attachFinding(firstFinding, observations);
}

async function tagAndShowDeviations(deviations: Finding[]): Promise<void> {
  for (const { pointer, because, ledger } of deviations)
    await showFact('deviation', `${pointer}: ${because} ${ledger?.link ?? ''}`.trimEnd());
  await tag('deviation');
}

async function collectObservations({ session, operation }: OperationResponses): Promise<Observation[]> {
  const { observations: summedObservations } = await session.evaluate(operation);
  const judgesRecordings = session.target.traffic !== undefined;
  if (judgesRecordings) return summedObservations;
  const storedResult = session.store.read(operation);
  const { observations: singleObservations = [], contradictions = [] } = storedResult ?? {};
  const sweepObservations = summedObservations.filter(({ swept }) => swept);
  return [...singleObservations, ...contradictions, ...sweepObservations];
}

/** Stores that a requirement was judged, or the `reason` why not: if a run judges none, it fails with the first stored reason. */
function noteWhetherJudged({ session }: OperationResponses, { verdict, reason = '' }: RequirementResult) {
  if (verdict === 'not exercised') session.store.mark(marks.notExercised, reason);
  else session.store.mark(marks.judged, '');
}
