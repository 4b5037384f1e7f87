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
 * Shows each request of an operation, without identifiers, as a step of the running test that lasts as long as the request. A request that
 * was sent before this test becomes a short step `sent before: …`. Skips the test if no request was answered. Judges nothing.
 */
export async function showRequests(responses: OperationResponses): Promise<void> {
  const shownRequests: Promise<Observation>[] = [];
  for await (const request of responses.sending) shownRequests.push(showRequest(request));
  const observations = await Promise.all(shownRequests);
  await responses.judged;
  assertSent(responses);
  const { session, operation } = responses;
  const stored = session.store.read(operation)?.observations ?? [];
  for (const observation of listUnshown(stored, observations))
    await addStep(`sent before: ${observation.exchange}`, () => showResponse(observation));
  const reason = explainUnanswered(listRequests(stored, []));
  test.skip(Boolean(reason), reason);
}

/** Shows a request that is being sent as a step, which ends with the response. Resolves to the judged response. */
function showRequest({ text, observation }: SentNow): Promise<Observation> {
  return addStep(text, async () => {
    await showResponse(await observation);
    return observation;
  });
}

/** Shows a response as a step such as "HTTP 200, 512 bytes, 31 ms", with the redacted request and response as an attachment. */
const showResponse = (observation: Observation): Promise<void> =>
  addStep(formatResponse(observation as RequestMade), () => attachExchange(observation));

/**
 * Returns the stored observations that are not among the shown ones, by request line. Each shown observation stands for one stored one, so
 * that of a request which was sent twice both are shown.
 */
function listUnshown(stored: Observation[], shownObservations: Observation[]): Observation[] {
  const createKey = ({ exchange, again }: Observation) => `${exchange} ${again}`;
  const unmatchedKeys = shownObservations.map(createKey);
  return stored.filter((observation) => {
    const index = unmatchedKeys.indexOf(createKey(observation));
    const isShown = index !== -1;
    if (isShown) unmatchedKeys.splice(index, 1);
    return !isShown;
  });
}
