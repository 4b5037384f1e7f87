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
import type { OperationResponses, SentNow } from './worker-session.ts';

/**
 * Shows each request of an operation, without identifiers, as a step that lasts as long as the request. A request that was sent before
 * this test becomes a step `sent before: …` without a duration. Skips the test if no request was answered. Judges nothing.
 */
export async function showRequests(responses: OperationResponses): Promise<void> {
  const shownRequests: Promise<Observation>[] = [];
  for await (const request of responses.sending) shownRequests.push(showRequest(request));
  const observations = await Promise.all(shownRequests);
  await responses.judged;
  assertSent(responses);
  const { session, operation } = responses;
  const stored = session.store.read(operation)?.observations ?? [];
  for (const observation of withoutShown(stored, observations))
    await addStep(`sent before: ${observation.exchange}`, () => showResponse(observation));
  const reason = explainUnanswered(listRequests(stored, []));
  test.skip(Boolean(reason), reason);
}

/** Shows a request as a step that ends with its response. Resolves to the judged response. */
function showRequest({ text, observation }: SentNow): Promise<Observation> {
  return addStep(text, async () => {
    await showResponse(await observation);
    return observation;
  });
}

/** Shows status, size and time of a response, with the redacted exchange as an attachment. */
const showResponse = (observation: Observation): Promise<void> =>
  addStep(formatResponse(observation as RequestMade), () => attachExchange(observation));

/** Returns the stored observations that are not among the shown ones. Of a request that was sent twice, each sending counts. */
function withoutShown(stored: Observation[], shownObservations: Observation[]): Observation[] {
  const createKey = ({ exchange, again }: Observation) => `${exchange} ${again}`;
  const unmatchedKeys = shownObservations.map(createKey);
  return stored.filter((observation) => {
    const index = unmatchedKeys.indexOf(createKey(observation));
    const isShown = index !== -1;
    // Each shown observation stands for one stored observation only.
    if (isShown) unmatchedKeys.splice(index, 1);
    return !isShown;
  });
}
