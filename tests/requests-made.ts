import { test } from '@playwright/test';
import type { Observation } from '../src/redact/observation.ts';
import {
  explainUnanswered,
  formatResponse,
  listRequests,
  type RequestMade,
} from '../src/verdict/requests-made.ts';
import { addStep, attachExchange } from './evidence.ts';
import { blockUnlessSent } from './matchers.ts';
import type { OperationResponses, PendingRequest } from './worker-session.ts';

/**
 * Shows each request of an operation as a step that lasts as long as the request. The step of a request that an earlier test
 * or worker has sent begins with `sent before:`. Skips the test if no request has a response.
 */
export async function showRequests(responses: OperationResponses): Promise<void> {
  const { session, operation, requestsBeingSent, whenJudged } = responses;
  const requestSteps: Promise<Observation>[] = [];
  for await (const request of requestsBeingSent) requestSteps.push(showRequest(request));
  const shownObservations = await Promise.all(requestSteps);
  await whenJudged;
  blockUnlessSent(responses);
  const storedObservations = session.store.read(operation)?.observations ?? [];
  for (const observation of listNotYetShown(storedObservations, shownObservations))
    await addStep(`sent before: ${observation.exchange}`, () => showResponse(observation));
  const reasonToSkip = explainUnanswered(listRequests(storedObservations));
  test.skip(Boolean(reasonToSkip), reasonToSkip);
}

function showRequest({ text, observation: pendingObservation }: PendingRequest): Promise<Observation> {
  return addStep(text, async () => {
    const observation = await pendingObservation;
    await showResponse(observation);
    return observation;
  });
}

const showResponse = (observation: Observation): Promise<void> =>
  addStep(formatResponse(observation as RequestMade), () => attachExchange(observation));

function listNotYetShown(storedObservations: Observation[], shownObservations: Observation[]): Observation[] {
  // `again` is true for the second of two equal requests.
  const formatKey = ({ exchange, again }: Observation) => `${exchange} ${again}`;
  const shownKeys = shownObservations.map(formatKey);
  const notYetShown: Observation[] = [];
  for (const observation of storedObservations) {
    const index = shownKeys.indexOf(formatKey(observation));
    if (index === -1) notYetShown.push(observation);
    // Each shown request stands for only one of several equal stored requests.
    else shownKeys.splice(index, 1);
  }
  return notYetShown;
}
