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
  const hasSameRequest = (candidate: Finding) => candidate.exchange === finding.exchange;
  const observation = observations.find(({ findings }) => findings.some(hasSameRequest));
  await attachExchange({ ...observation, exchange: finding.exchange, findings: [finding] });
}

/** Shows `judged: 20 places of 3 responses` in the running test, with a step for each of the first requests. */
export async function showJudgedRequests(
  { address, exercised, requests }: RequirementResult,
  observations: Observation[],
): Promise<void> {
  const judgedObservations = observations.filter((observation) =>
    Object.hasOwn(observation.exercised, address),
  );
  const extent = `${formatCount(exercised, 'place')} of ${formatCount(requests, 'response')}`;
  await showFact('judged', extent, async () => {
    for (const { exchange, exercised: counts } of judgedObservations.slice(0, maxListedRequests))
      await showStep(`${exchange}: ${formatCount(counts[address]?.places ?? 0, 'place')}`);
    const unlisted = judgedObservations.length - maxListedRequests;
    if (unlisted > 0) await showStep(`and ${formatCount(unlisted, 'more request')}`);
  });
}

/**
 * Shows a text such as `deviation: …` in the running test twice: as an annotation, because Playwright's HTML report folds
 * steps, and as a step, because Allure does not show annotations that are added while a test runs.
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

/** Adds a step with the location of the test, for which Playwright would otherwise search the call stack, which is slow. */
export function addStep<T>(title: string, body: () => T | Promise<T>): Promise<T> {
  const { file, line, column } = test.info();
  return test.step(title, body, { location: { file, line, column } });
}

/** Includes headers and bodies of the embedded mock, whose data is invented, but not those of other targets. */
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
  const response = status === undefined ? { error: blocked } : { status, contentType, bytes };
  const note = 'Nothing else of the response is kept, since it may be personal or secret.';
  const request = { method: 'GET', url: exchange.replace(/^GET /, '') };
  return { request, response, found: shownFindings, note };
}
