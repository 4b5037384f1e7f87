import { test } from '@playwright/test';
import { formatCount } from '../schemas/counted.ts';
import type { Finding, Observation } from '../src/redact/observation.ts';
import { printable } from '../src/redact/printable.ts';
import type { RequirementResult } from '../src/verdict/results.ts';

/** Maximum number of requests that a requirement lists as steps. */
const maxListedRequests = 5;

type Exchange = Pick<
  Observation,
  'exchange' | 'status' | 'bytes' | 'blocked' | 'contentType' | 'findings' | 'mockExchange'
>;

/** Attaches an exchange as JSON, which Playwright's HTML report and Allure show as text. */
export const attachExchange = (observation: Exchange): Promise<void> =>
  test.info().attach(observation.exchange, {
    body: printable(JSON.stringify(describeExchange(observation), undefined, 2)),
    contentType: 'application/json',
  });

/** Attaches the exchange of a finding. */
export async function attachFinding(finding: Finding, observations: Observation[]): Promise<void> {
  const observation = observations.find(({ findings }) =>
    findings.some(({ exchange }) => exchange === finding.exchange),
  );
  await attachExchange({ ...observation, exchange: finding.exchange, findings: [finding] });
}

/** Shows how often a requirement was judged, as an annotation and as a step that lists the first of its requests. */
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
 * Shows a fact of a test as an annotation and as a step. Playwright's HTML report folds steps, and Allure shows no annotation that a
 * running test has added.
 */
export async function showFact(type: string, description: string, body = async () => {}): Promise<void> {
  test.info().annotations.push({ type, description });
  await test.step(`${type}: ${description}`, body);
}

/** Shows a line as a step without a body. */
export const showStep = (title: string): Promise<void> => test.step(title, () => {});

const formatJudgement = ({ exercised }: Observation, address: string): string =>
  formatCount(exercised[address]?.places ?? 0, 'place');

/**
 * Describes an exchange as far as it may be shown: the whole of it for the embedded mock, whose data is invented. For any other
 * target, only status and size of the response and the places of findings, with the redacted value of each.
 */
function describeExchange({ mockExchange, findings, ...observation }: Exchange): object {
  const { exchange, status, contentType, bytes, blocked = 'no response' } = observation;
  const foundPlaces = findings.map(({ requirement, pointer: place, expected, actual, repeat }) => ({
    ...{ requirement, place, expected, actual, repeat },
  }));
  if (mockExchange) return { ...mockExchange, found: foundPlaces };
  const response = status === undefined ? { error: blocked } : { status, contentType, bytes };
  const note = 'Nothing else of the response is kept, since it may be personal or secret.';
  const request = { method: 'GET', url: exchange.replace(/^GET /, '') };
  return { request, response, found: foundPlaces, note };
}
