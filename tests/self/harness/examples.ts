import { defaultChoices } from '../../../mock/choices.ts';
import { knownIdentifiers, operations, type Route } from '../../../mock/operations.ts';
import { createPopulation } from '../../../mock/population.ts';
import { customers } from '../../../mock/seed.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Entry } from '../../../schemas/contract/ledger.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import type { Blocked } from '../../../src/client/reasons.ts';
import type { Target } from '../../../src/client/target.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { evaluate, requirementsFor } from '../../../src/verdict/evaluate.ts';
import type { Results } from '../../../src/verdict/results.ts';
import { askTarget, clientOf, overridden } from './provider.ts';

/** What a provider without network answers to a request. `usual` is what the mock would answer. */
export type Reply = (asked: Asked, usual: HttpResponse) => HttpResponse | Blocked;

export interface Asked {
  operation: string;
  parameters: Record<string, string>;
  path: string;
}

export const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});

export type When = (asked: Asked) => boolean;

export const of = (operation: string, more: When = () => true): When => {
  return (asked) => asked.operation === operation && more(asked);
};
/** Answers some requests in one way, the others as usual. */
export const replying = (answer: HttpResponse, when: When = () => true): Reply => {
  return (asked, usual) => (when(asked) ? answer : usual);
};
export const rejecting = (status: number, when?: When) => replying(json(status, { code: status }), when);

/** The target of these tests: no network, no environment; few identifiers, all of which the mock knows. */
export function exampleTarget(overrides: Partial<Target> = {}): Target {
  const { target } = readConfiguration({}, '/nonexistent');
  const few = Object.entries(knownIdentifiers).map(([name, ids]) => [name, ids.slice(0, 2)]);
  const identifiers = { ...Object.fromEntries(few), CUSTOMER_IDS: [customers[2]?.customer.uuid ?? ''] };
  return overridden({ ...target, isMock: false, minCoverage: 0, identifiers }, overrides);
}

/** Asks and judges everything, as a run does, of a provider that answers as the mock does, unless `reply` changes it. */
export async function observationsOf(
  reply: Reply,
  target = exampleTarget(),
  ledger: Entry[] = contract.ledger,
  judged = contract,
): Promise<Observation[]> {
  const client = clientOf(async (path) => reply(askedBy(path), usualAnswer(askedBy(path))));
  return askTarget(client, target, ledger, judged);
}

/** Observations with what they say of each requirement. */
export async function resultsOf(reply: Reply, overrides: Partial<Target> = {}): Promise<Results> {
  const target = exampleTarget(overrides);
  const observations = await observationsOf(reply, target);
  const run = {
    ...{ target: target.name, profile: target.profile, minCoverage: 0, failOn: [] },
    startedAt: '2026-01-01T00:00:00.000Z',
    requests: observations.length,
    repeated: {},
    contract: contract.hash,
  };
  return evaluate(contract, target, { run, observations });
}

const contract = loadContract();

function askedBy(path: string): Asked {
  const { pathname, searchParams } = new URL(path, 'http://example.com');
  for (const { id, path: route } of contract.operations) {
    const match = new RegExp(`^${route.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(pathname);
    if (match)
      return { operation: id, parameters: { ...match.groups, ...Object.fromEntries(searchParams) }, path };
  }
  throw new Error(`no operation has the path ${pathname}`);
}

/** Lists two customers, the whole one and the barest; the third, whose card could not be bound, is only found. */
const directory = { ...createPopulation(), list: createPopulation({ customers: 2 }).list };

function usualAnswer({ operation, parameters }: Asked): HttpResponse {
  const route = (operations as readonly Route[]).find((one) => one.operation === operation);
  const answer = route?.answer(parameters, defaultChoices, directory);
  return answer
    ? json(answer.status, answer.body)
    : json(404, { code: 404, message: 'not found', data: null });
}

const usual = requirementsFor(contract, { failOn: [] });

/** How many requirements a run judges. */
export const requirementCount = usual.length;
