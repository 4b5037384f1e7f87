import { test } from '@playwright/test';
import { formatCount } from '../schemas/counted.ts';
import type { Finding, Observation } from '../src/redact/observation.ts';
import { printable } from '../src/redact/printable.ts';
import type { RequirementResult } from '../src/verdict/results.ts';

/** Maximum number of requests that a test shows as steps. */
const maxListedRequests = 5;

/** Request and response as far as an observation keeps them. */
type Exchange = Pick<
  Observation,
  'exchange' | 'status' | 'bytes' | 'blocked' | 'contentType' | 'findings' | 'mockExchange'
>;

/** Attaches a request and its response, redacted, to the running test as JSON, which Playwright's HTML report and Allure can show. */
export const attachExchange = (observation: Exchange): Promise<void> =>
  test.info().attach(observation.exchange, {
    body: printable(JSON.stringify(describeExchange(observation), undefined, 2)),
    contentType: 'application/json',
  });

/** Attaches the request and response in which a finding was made. Describes no other finding of that response. */
export async function attachFinding(finding: Finding, observations: Observation[]): Promise<void> {
  const observation = observations.find(({ findings }) =>
    findings.some(({ exchange }) => exchange === finding.exchange),
  );
  await attachExchange({ ...observation, exchange: finding.exchange, findings: [finding] });
}

/** Shows how often a requirement was judged, as `judged: 20 places of 3 responses`: an annotation, and a step with the first requests. */
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
 * Shows a fact of a test, such as `deviation: …`, twice: as an annotation for Playwright's HTML report, which folds steps, and as a
 * step for Allure, which shows no annotation of a running test.
 * @param body what runs inside the step, such as further steps
 */
export async function showFact(type: string, description: string, body = async () => {}): Promise<void> {
  test.info().annotations.push({ type, description });
  await addStep(`${type}: ${description}`, body);
}

/** Shows a line as a step without a body. */
export const showStep = (title: string): Promise<void> => addStep(title, () => {});

/** Adds a step at the line of the running test. Without a location, Playwright walks the call stack for each step, which takes longer than the step. */
export function addStep<T>(title: string, body: () => T | Promise<T>): Promise<T> {
  const { file, line, column } = test.info();
  return test.step(title, body, { location: { file, line, column } });
}

/** Formats the number of places at which a requirement was judged in a response: `3 places`. */
const formatJudgement = ({ exercised }: Observation, address: string): string =>
  formatCount(exercised[address]?.places ?? 0, 'place');

/**
 * Describes a request and its response as far as reports may show them. For the embedded mock, whose data is invented: everything. For
 * any other target: the request line, status and size of the response, and its findings with redacted values.
 */
function describeExchange({ mockExchange, findings, ...observation }: Exchange): object {
  const { exchange, status, contentType, bytes, blocked = 'no response' } = observation;
  const foundPlaces = findings.map(({ requirement, pointer: place, expected, actual, repeat }) => ({
    requirement,
    place,
    expected,
    actual,
    repeat,
  }));
  if (mockExchange) return { ...mockExchange, found: foundPlaces };
  const response = status === undefined ? { error: blocked } : { status, contentType, bytes };
  const note = 'Nothing else of the response is kept, since it may be personal or secret.';
  const request = { method: 'GET', url: exchange.replace(/^GET /, '') };
  return { request, response, found: foundPlaces, note };
}
