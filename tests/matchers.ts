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
   * Asserts that responses meet a requirement. The test passes for the verdicts `pass` and `deviation`, fails for `violation`, and
   * is skipped for `not exercised`. For `blocked`, the first blocked test of the run fails, and later blocked tests are skipped.
   * @param address address of the requirement, such as `getCard/http/status`
   */
  async toMeet(responses: OperationResponses, address: string) {
    const result = await judgeRequirement(responses, address);
    const { verdict, reason = '' } = result;
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

  /** Asserts that a response of the fixture `send` conforms to the contract. If the response cannot be judged, the test fails. */
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
  const results = await session.evaluate(operation);
  const result = results.requirementResults.find((candidate) => candidate.address === address);
  if (!result) throw new UnmetRequirement(`the contract has no requirement ${address}`);
  return result;
}

/** Ends the running test as blocked if a problem prevented the requests of the operation. */
export function blockUnlessSent({ session, operation }: OperationResponses): void {
  const problem = session.problem ?? session.store.read(operation)?.problem;
  if (problem !== undefined) endTestAsBlocked(session, problem);
}

/** Ends the running test as blocked if a problem prevented a part of the requests of the run, such as those of one operation. */
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
  // A run that judges recordings stores no result of a single operation.
  if (judgesRecordings) return summedObservations;
  const storedResult = session.store.read(operation);
  const { observations: singleObservations = [], contradictions = [] } = storedResult ?? {};
  const sweepObservations = summedObservations.filter(({ swept }) => swept);
  return [...singleObservations, ...contradictions, ...sweepObservations];
}

/**
 * Stores whether a requirement was judged. Only a run without the conformance reporter reads the stored values, at its end.
 * Such a run fails if every requirement of its tests was `not exercised`. The error shows the first stored `reason`.
 */
function noteWhetherJudged({ session }: OperationResponses, { verdict, reason = '' }: RequirementResult) {
  if (verdict === 'not exercised') session.store.mark(marks.notExercised, reason);
  else session.store.mark(marks.judged, '');
}
