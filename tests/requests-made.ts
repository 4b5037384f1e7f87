import { test } from '@playwright/test';
import type { Observation } from '../src/redact/observation.ts';
import {
  explainUnanswered,
  formatResponse,
  listRequests,
  type RequestMade,
} from '../src/verdict/requests-made.ts';
import { attachExchange } from './evidence.ts';
import { assertSent } from './matchers.ts';
import type { OperationResponses, SentNow } from './worker-session.ts';

/**
 * Shows each request of an operation, without identifiers, as a step that lasts as long as the request. A request that an earlier
 * test has sent is a step without a duration, whose title has the time of the request. Judges nothing.
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
    await test.step(`sent before: ${observation.exchange}`, () => showResponse(observation));
  const reason = explainUnanswered(listRequests(stored, []));
  test.skip(Boolean(reason), reason);
}

function showRequest({ text, observation }: SentNow): Promise<Observation> {
  return test.step(text, async () => {
    await showResponse(await observation);
    return observation;
  });
}

/** Shows status, size and time of a response, with the redacted exchange as an attachment. */
const showResponse = (observation: Observation): Promise<void> =>
  test.step(formatResponse(observation as RequestMade), () => attachExchange(observation));

/** Returns the stored observations without the shown ones. An equal request that was sent twice counts twice. */
function withoutShown(stored: Observation[], shownObservations: Observation[]): Observation[] {
  const texts = shownObservations.map(({ exchange, again }) => `${exchange} ${again}`);
  return stored.filter(({ exchange, again }) => {
    const index = texts.indexOf(`${exchange} ${again}`);
    if (index !== -1) texts.splice(index, 1);
    return index === -1;
  });
}
