import { test } from '@playwright/test';
import type { Observation } from '../src/redact/observation.ts';
import {
  explainUnanswered,
  formatResponse,
  listRequests,
  type RequestMade,
} from '../src/verdict/requests-made.ts';
import { addStep, attachExchange } from './evidence.ts';
import { assertSent } from './matchers.ts';
import type { OperationResponses, PendingRequest } from './worker-session.ts';

/**
 * Shows each request of an operation as a step that lasts as long as the request. The step of a request that an earlier test
 * or worker has sent begins with `sent before:`. Skips the test if no request has a response.
 */
export async function showRequests(responses: OperationResponses): Promise<void> {
  const requestSteps: Promise<Observation>[] = [];
  for await (const request of responses.sending) requestSteps.push(showRequest(request));
  const shownObservations = await Promise.all(requestSteps);
  await responses.judged;
  assertSent(responses);
  const { session, operation } = responses;
  const storedObservations = session.store.read(operation)?.observations ?? [];
  for (const observation of listUnshown(storedObservations, shownObservations))
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

function listUnshown(storedObservations: Observation[], shownObservations: Observation[]): Observation[] {
  // `again` is true for the second of two equal requests.
  const formatKey = ({ exchange, again }: Observation) => `${exchange} ${again}`;
  const unmatchedKeys = shownObservations.map(formatKey);
  return storedObservations.filter((observation) => {
    const index = unmatchedKeys.indexOf(formatKey(observation));
    const isShown = index !== -1;
    if (isShown) unmatchedKeys.splice(index, 1);
    return !isShown;
  });
}
