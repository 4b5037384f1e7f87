import { test } from '@playwright/test';
import type { Observation } from '../src/redact/observation.ts';
import {
  formatResponse,
  type RequestMade,
  requestsOf,
  unansweredReason,
} from '../src/verdict/requests-made.ts';
import { attachExchange } from './evidence.ts';
import { assertSent } from './matchers.ts';
import type { OperationResponses, SentNow } from './worker-session.ts';

/**
 * Shows the requests of an operation, without identifiers, as steps that last as long as the requests. Requests that were sent for
 * an earlier test are steps without a duration, whose title has the time that they took. Judges nothing.
 */
export async function showRequests(responses: OperationResponses): Promise<void> {
  const shown: Promise<Observation>[] = [];
  for await (const sent of responses.sending) shown.push(showRequest(sent));
  const observations = await Promise.all(shown);
  await responses.judged;
  assertSent(responses);
  const { session, operation } = responses;
  const stored = session.store.read(operation)?.observations ?? [];
  for (const observation of withoutShown(stored, observations))
    await test.step(`sent before: ${observation.exchange}`, () => showResponse(observation));
  const reason = unansweredReason(requestsOf(stored, []));
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

/** Returns the stored observations that are none of those shown, each of which is counted once. */
function withoutShown(stored: Observation[], shown: Observation[]): Observation[] {
  const texts = shown.map(({ exchange, again }) => `${exchange} ${again}`);
  return stored.filter(({ exchange, again }) => {
    const index = texts.indexOf(`${exchange} ${again}`);
    if (index !== -1) texts.splice(index, 1);
    return index === -1;
  });
}
