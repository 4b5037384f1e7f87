import { test } from '@playwright/test';
import { formatCount } from '../schemas/counted.ts';
import type { Finding, Observation } from '../src/redact/observation.ts';
import { printable } from '../src/redact/printable.ts';
import type { RequirementResult } from '../src/verdict/results.ts';

/** Maximum number of requests that a test shows as steps. */
const maxListedRequests = 5;

/** What the suite keeps of a request and its response: an observation, or the parts of it that an attachment shows. */
type Exchange = Pick<
  Observation,
  'exchange' | 'status' | 'bytes' | 'blocked' | 'contentType' | 'findings' | 'mockExchange'
>;

/** Attaches a redacted request and response to the running test, as JSON, which Playwright's HTML report and Allure can show. */
export const attachExchange = (observation: Exchange): Promise<void> =>
  test.info().attach(observation.exchange, {
    body: printable(JSON.stringify(describeExchange(observation), undefined, 2)),
    contentType: 'application/json',
  });

/** Attaches the request and response of a finding to the running test, without other findings about the same response. */
export async function attachFinding(finding: Finding, observations: Observation[]): Promise<void> {
  const observation = observations.find(({ findings }) =>
    findings.some(({ exchange }) => exchange === finding.exchange),
  );
  await attachExchange({ ...observation, exchange: finding.exchange, findings: [finding] });
}

/**
 * Shows in the running test how often its requirement was checked: `judged: 20 places of 3 responses`, as an annotation and as a step. The
 * step contains a step for each of the first five requests.
 */
export async function showJudgedRequests(
  { address, exercised, requests }: RequirementResult,
  observations: Observation[],
): Promise<void> {
  const judgedObservations = observations.filter((observation) =>
    Object.hasOwn(observation.exercised, address),
  );
  const extent = `${formatCount(exercised, 'place')} of ${formatCount(requests, 'response')}`;
  await showFact('judged', extent, async () => {
    for (const observation of judgedObservations.slice(0, maxListedRequests))
      await showStep(`${observation.exchange}: ${formatJudgement(observation, address)}`);
    const unlisted = judgedObservations.length - maxListedRequests;
    if (unlisted > 0) await showStep(`and ${formatCount(unlisted, 'more request')}`);
  });
}

/**
 * Shows a fact such as `deviation: …` in the running test, twice: as an annotation for Playwright's HTML report, which folds steps, and as
 * a step for Allure, which does not show annotations of a running test.
 * @param type word before the colon, such as `deviation`
 * @param body function that runs inside the step, for example to add further steps
 */
export async function showFact(type: string, description: string, body = async () => {}): Promise<void> {
  test.info().annotations.push({ type, description });
  await addStep(`${type}: ${description}`, body);
}

/** Shows a line of text as a step of the running test. */
export const showStep = (title: string): Promise<void> => addStep(title, () => {});

/**
 * Adds a step to the running test, with the line of the test as its location. Without a location, Playwright would look for one in the
 * call stack, which takes longer than the step itself.
 */
export function addStep<T>(title: string, body: () => T | Promise<T>): Promise<T> {
  const { file, line, column } = test.info();
  return test.step(title, body, { location: { file, line, column } });
}

/** Formats at how many places of a response a requirement was checked: `3 places`, such as three list elements. */
const formatJudgement = ({ exercised }: Observation, address: string): string =>
  formatCount(exercised[address]?.places ?? 0, 'place');

/**
 * Returns the JSON value that describes a request and its response, without anything that reports must not show. For the embedded mock,
 * whose data is invented, that is everything. For any other target: request line, status, media type, size, and redacted findings.
 */
function describeExchange({ mockExchange, findings, ...observation }: Exchange): object {
  const { exchange, status, contentType, bytes, blocked = 'no response' } = observation;
  const shownFindings = findings.map(({ requirement, pointer: place, expected, actual, repeat }) => ({
    requirement,
    place,
    expected,
    actual,
    repeat,
  }));
  if (mockExchange) return { ...mockExchange, found: shownFindings };
  const response = status === undefined ? { error: blocked } : { status, contentType, bytes };
  const note = 'Nothing else of the response is kept, since it may be personal or secret.';
  const request = { method: 'GET', url: exchange.replace(/^GET /, '') };
  return { request, response, found: shownFindings, note };
}
