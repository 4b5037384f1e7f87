import { test } from '@playwright/test';
import { formatCount } from '../schemas/counted.ts';
import type { Finding, Observation } from '../src/redact/observation.ts';
import { printable } from '../src/redact/printable.ts';
import type { RequirementResult } from '../src/verdict/results.ts';

const maxListedRequests = 5;

type ShownObservation = Pick<
  Observation,
  'exchange' | 'status' | 'bytes' | 'blocked' | 'contentType' | 'findings' | 'mockExchange'
>;

export const attachExchange = (observation: ShownObservation): Promise<void> =>
  test.info().attach(observation.exchange, {
    body: printable(JSON.stringify(describeExchange(observation), undefined, 2)),
    contentType: 'application/json',
  });

export async function attachFinding(finding: Finding, observations: Observation[]): Promise<void> {
  // A sum of several observations names the exchange of only one of them, but its findings name theirs.
  const hasSameRequest = (candidate: Finding) => candidate.exchange === finding.exchange;
  const observation = observations.find(({ findings }) => findings.some(hasSameRequest));
  await attachExchange({ ...observation, exchange: finding.exchange, findings: [finding] });
}

/** Adds a step such as `judged: 20 places of 3 responses` (a place is one value), with substeps for the first 5 requests. */
export async function showJudgedRequests(
  { address, exercised: placeCount, requests: responseCount }: RequirementResult,
  observations: Observation[],
): Promise<void> {
  const judgedObservations = observations.filter((observation) =>
    Object.hasOwn(observation.exercised, address),
  );
  const extent = `${formatCount(placeCount, 'place')} of ${formatCount(responseCount, 'response')}`;
  await showFact('judged', extent, async () => {
    for (const { exchange, exercised: countsByAddress } of judgedObservations.slice(0, maxListedRequests))
      await showStep(`${exchange}: ${formatCount(countsByAddress[address]?.places ?? 0, 'place')}`);
    const unlistedCount = judgedObservations.length - maxListedRequests;
    if (unlistedCount > 0) await showStep(`and ${formatCount(unlistedCount, 'more request')}`);
  });
}

/**
 * Shows a fact such as `deviation: …` twice: as an annotation, because Playwright's HTML report folds steps, and as a step, because
 * Allure does not show annotations that are added while a test runs.
 */
export async function showFact(
  type: string,
  description: string,
  addSubsteps = async () => {},
): Promise<void> {
  test.info().annotations.push({ type, description });
  await addStep(`${type}: ${description}`, addSubsteps);
}

export const showStep = (title: string): Promise<void> => addStep(title, () => {});

/** Adds a step at the location of the test. Without a location, Playwright would search the call stack, which is slow. */
export function addStep<T>(title: string, body: () => T | Promise<T>): Promise<T> {
  const { file, line, column } = test.info();
  return test.step(title, body, { location: { file, line, column } });
}

/** Describes a request and its response, with headers and bodies only of the embedded mock, whose data is invented. */
function describeExchange({ mockExchange, findings, ...observation }: ShownObservation): object {
  const { exchange, status, contentType, bytes, blocked = 'no response' } = observation;
  const shownFindings = findings.map(({ requirement, pointer: place, expected, actual, repeat }) => ({
    requirement,
    place,
    expected,
    actual,
    repeat,
  }));
  if (mockExchange) return { ...mockExchange, found: shownFindings };
  const request = { method: 'GET', url: exchange.replace(/^GET /, '') };
  const response = status === undefined ? { error: blocked } : { status, contentType, bytes };
  const note = 'Nothing else of the response is kept, since it may be personal or secret.';
  return { request, response, found: shownFindings, note };
}
