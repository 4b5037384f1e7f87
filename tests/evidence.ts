import { test } from '@playwright/test';
import { formatCount } from '../schemas/counted.ts';
import type { Finding, Observation } from '../src/redact/observation.ts';
import { printable } from '../src/redact/printable.ts';
import type { RequirementResult } from '../src/verdict/results.ts';

const maxListedRequests = 5;

type ShownObservation = Pick<
  Observation,
  'requestText' | 'status' | 'bytes' | 'blocked' | 'contentType' | 'findings' | 'mockExchange'
>;

export const attachExchange = (observation: ShownObservation): Promise<void> =>
  test.info().attach(observation.requestText, {
    body: printable(JSON.stringify(describeExchange(observation), undefined, 2)),
    contentType: 'application/json',
  });

export async function attachFinding(finding: Finding, observations: Observation[]): Promise<void> {
  // An observation of a sweep sums up many requests, and has the `requestText` of one of them. The finding names its own request.
  const isOfSameRequest = ({ exchange }: Finding) => exchange === finding.exchange;
  const observation = observations.find(({ findings }) => findings.some(isOfSameRequest));
  await attachExchange({ ...observation, requestText: finding.exchange, findings: [finding] });
}

/**
 * Shows in the running test how often a requirement was judged, by a step such as `judged: 20 places of 3 responses`.
 * The first five requests for which the requirement was judged become substeps.
 * @param observations all observations of the operation
 */
export async function showJudgedRequests(
  { address, exercised: placeCount, requests: responseCount }: RequirementResult,
  observations: Observation[],
): Promise<void> {
  const judgedObservations = observations.filter(({ exercised: countsByAddress }) =>
    Object.hasOwn(countsByAddress, address),
  );
  const addSubsteps = async () => {
    const listedObservations = judgedObservations.slice(0, maxListedRequests);
    for (const { requestText, exercised: countsByAddress } of listedObservations) {
      const placesOfRequest = countsByAddress[address]?.places ?? 0;
      await showStep(`${requestText}: ${formatCount(placesOfRequest, 'place')}`);
    }
    const unlistedCount = judgedObservations.length - maxListedRequests;
    if (unlistedCount > 0) await showStep(`and ${formatCount(unlistedCount, 'more request')}`);
  };
  const extent = `${formatCount(placeCount, 'place')} of ${formatCount(responseCount, 'response')}`;
  await showFact('judged', extent, addSubsteps);
}

/**
 * Adds a fact to the running test, both as an annotation and as a step with a title such as `deviation: …`.
 * @param addSubsteps adds steps inside the new step
 */
export async function showFact(
  type: string,
  description: string,
  addSubsteps = async () => {},
): Promise<void> {
  // Playwright's HTML report folds steps, so that the annotation is easier to find.
  test.info().annotations.push({ type, description });
  // Allure does not show annotations that are added while a test runs.
  await addStep(`${type}: ${description}`, addSubsteps);
}

export const showStep = (title: string): Promise<void> => addStep(title, () => {});

/** Runs `body` as a step of the running test. The step has the location (file and line) of the test. */
export function addStep<T>(title: string, body: () => T | Promise<T>): Promise<T> {
  // Without a location, Playwright would search the call stack, which is slow.
  const { file, line, column } = test.info();
  return test.step(title, body, { location: { file, line, column } });
}

function describeExchange({ mockExchange, findings, ...observation }: ShownObservation): object {
  const { requestText, status, contentType, bytes, blocked = 'no response' } = observation;
  const shownFindings = findings.map(describeFinding);
  if (mockExchange) return { ...mockExchange, found: shownFindings };
  // Without `mockExchange`, shows only status, media type and size of a response.
  const request = { method: 'GET', url: requestText.replace(/^GET /, '') };
  const response = status === undefined ? { error: blocked } : { status, contentType, bytes };
  const note = 'Nothing else of the response is kept, since it may be personal or secret.';
  return { request, response, found: shownFindings, note };
}

const describeFinding = ({ requirement, pointer, expected, actual, repeat }: Finding): object => ({
  requirement,
  place: pointer,
  expected,
  actual,
  repeat,
});
