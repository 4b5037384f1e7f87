import { defaultChoices } from '../../../mock/choices.ts';
import { knownIdentifiers, operations, type Route } from '../../../mock/operations.ts';
import { createPopulation } from '../../../mock/population.ts';
import { customers } from '../../../mock/seed.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../../schemas/contract/ledger.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import type { Blocked } from '../../../src/client/reasons.ts';
import type { Target } from '../../../src/client/target.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { evaluate, selectRequirements } from '../../../src/verdict/evaluate.ts';
import type { Results } from '../../../src/verdict/results.ts';
import { askTarget, clientOf, overridden } from './provider.ts';

/** Function that answers a request in this process, without a network. `usual` is the response of the mock to that request. */
export type Reply = (asked: Asked, usual: HttpResponse) => HttpResponse | Blocked;

/** Request to a provider in this process, as a `Reply` gets it. */
export interface Asked {
  /** Id of the operation, such as `getCard`. */
  operation: string;
  /** Parameters of path and query, keyed by name. */
  parameters: Record<string, string>;
  /** Path with query as the client sent it, such as `/api/v1/openapi/digital_wallets/fee_rule?type=business`. */
  path: string;
}

/** Creates a response with a JSON body. */
export const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});

/** Predicate of requests: those to which a `Reply` gives another response than the mock. */
export type When = (asked: Asked) => boolean;

/** Creates a predicate of the requests of an operation, by default all of them, that meet `isMatching`. */
export const of = (operation: string, isMatching: When = () => true): When => {
  return (request) => request.operation === operation && isMatching(request);
};
/** Creates a `Reply` that gives one response to requests that meet `when`, by default all, and answers others as the mock does. */
export const replying = (answer: HttpResponse, when: When = () => true): Reply => {
  return (request, usual) => (when(request) ? answer : usual);
};
/** Creates a `Reply` that rejects requests that meet `when`, by default all: with an HTTP status, and the same `code` in the body. */
export const rejecting = (status: number, when?: When) => replying(json(status, { code: status }), when);

/**
 * Creates settings of a run that depend neither on the environment nor on `.env`: no `BASE_URL`, one customer to look up, and two
 * identifiers of each other kind. `overrides` replaces settings; its identifiers are merged by variable.
 */
export function exampleTarget(overrides: Partial<Target> = {}): Target {
  const { target } = readConfiguration({}, '/nonexistent');
  const fewIdentifiers = Object.entries(knownIdentifiers).map(([name, ids]) => [name, ids.slice(0, 2)]);
  const identifiers = {
    ...Object.fromEntries(fewIdentifiers),
    CUSTOMER_IDS: [customers[2]?.customer.uuid ?? ''],
  };
  return overridden({ ...target, isMock: false, minCoverage: 0, identifiers }, overrides);
}

/** Sends all requests of a run to a provider in this process, whose responses `reply` returns, and judges the responses. */
export async function observationsOf(
  reply: Reply,
  target = exampleTarget(),
  ledger: LedgerEntry[] = contract.ledger,
  judgedContract = contract,
): Promise<Observation[]> {
  const client = clientOf(async (path) => reply(parseRequest(path), answerAsMock(parseRequest(path))));
  return askTarget(client, target, ledger, judgedContract);
}

/** Sends all requests of a run to a provider in this process (`reply`), and computes the verdict of each requirement. */
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

/** Parses a path with query into operation and parameters. @throws an `Error` if no operation has the path */
function parseRequest(path: string): Asked {
  const { pathname, searchParams } = new URL(path, 'http://example.com');
  for (const { id, path: route } of contract.operations) {
    // Turns a path that ends in `/cards/{id}` into a pattern that ends in `/cards/(?<id>[^/]+)$`.
    const match = new RegExp(`^${route.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(pathname);
    if (match)
      return { operation: id, parameters: { ...match.groups, ...Object.fromEntries(searchParams) }, path };
  }
  throw new Error(`no operation has the path ${pathname}`);
}

/**
 * Customers of the provider in this process. The list shows two: one with all fields, and one with the fewest. Lookups also find the
 * others, such as the third one, whose card could not be bound (contract 2.5).
 */
const directory = { ...createPopulation(), list: createPopulation({ customers: 2 }).list };

/** Answers a request as the mock does, from `directory`. */
function answerAsMock({ operation, parameters }: Asked): HttpResponse {
  const route = (operations as readonly Route[]).find((candidate) => candidate.operation === operation);
  const answer = route?.answer(parameters, defaultChoices, directory);
  return answer
    ? json(answer.status, answer.body)
    : json(404, { code: 404, message: 'not found', data: null });
}

const requirements = selectRequirements(contract, { failOn: [] });

/** Number of requirements that a run judges. */
export const requirementCount = requirements.length;
