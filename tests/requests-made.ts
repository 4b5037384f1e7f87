import { test } from '@playwright/test';
import type { Observation } from '../src/redact/observation.ts';
import {
  explainUnanswered,
  formatResponse,
  listRequests,
  summarizeRequest,
} from '../src/verdict/requests-made.ts';
import { addStep, attachExchange } from './evidence.ts';
import { blockUnlessSent } from './matchers.ts';
import type { OperationResponses, PendingRequest } from './worker-session.ts';

/** Adds a test step for each request. Skips the test if no request got a response. */
export async function showRequests(responses: OperationResponses): Promise<void> {
  const { session, operation, requestsBeingSent, whenJudged } = responses;
  const requestSteps: Promise<Observation>[] = [];
  // Each event of `requestsBeingSent` is an array with one request.
  for await (const [request] of requestsBeingSent) requestSteps.push(showRequest(request));
  const shownObservations = await Promise.all(requestSteps);
  await whenJudged;
  blockUnlessSent(responses);
  const storedObservations = session.store.read(operation)?.observations ?? [];
  const earlierObservations = listNotYetShown(storedObservations, shownObservations);
  for (const observation of earlierObservations)
    await addStep(`sent before: ${observation.requestText}`, () => showResponse(observation));
  const reasonToSkip = explainUnanswered(listRequests(storedObservations));
  test.skip(reasonToSkip !== undefined, reasonToSkip);
}

function showRequest({ text, observation: pendingObservation }: PendingRequest): Promise<Observation> {
  return addStep(text, async () => {
    const observation = await pendingObservation;
    await showResponse(observation);
    return observation;
  });
}

const showResponse = (observation: Observation): Promise<void> =>
  addStep(formatResponse(summarizeRequest(observation)), () => attachExchange(observation));

function listNotYetShown(storedObservations: Observation[], shownObservations: Observation[]): Observation[] {
  const formatKey = ({ requestText, again }: Observation) => `${requestText} ${again}`;
  const unmatchedKeys = shownObservations.map(formatKey);
  const notYetShown: Observation[] = [];
  for (const observation of storedObservations) {
    const keyIndex = unmatchedKeys.indexOf(formatKey(observation));
    const wasShown = keyIndex !== -1;
    if (wasShown) unmatchedKeys.splice(keyIndex, 1);
    else notYetShown.push(observation);
  }
  return notYetShown;
}
