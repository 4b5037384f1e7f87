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
import { createSubstituteClient, observeTarget, overrideSettings } from './provider.ts';

export type Reply = (request: ProviderRequest, usual: HttpResponse) => HttpResponse | Blocked;

export interface ProviderRequest {
  operation: string;
  parameters: Record<string, string>;
  path: string;
}

export const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});

export type RequestFilter = (request: ProviderRequest) => boolean;

export const isFor =
  (operation: string, isMatching: RequestFilter = () => true): RequestFilter =>
  (request) =>
    request.operation === operation && isMatching(request);
/** Returns `response` to requests that meet `when` (default: all), and answers others as the mock does. */
export const replying =
  (response: HttpResponse, when: RequestFilter = () => true): Reply =>
  (request, usual) =>
    when(request) ? response : usual;
/** Rejects requests that meet `when` (default: all) with an HTTP status, also as `code` in the body. */
export const rejecting = (status: number, when?: RequestFilter) =>
  replying(json(status, { code: status }), when);

/** Creates settings that do not depend on the environment or on `.env`, with few identifiers. */
export function exampleTarget(overrides: Partial<Target> = {}): Target {
  const { target } = readConfiguration({}, '/nonexistent');
  const fewIdentifiers = Object.entries(knownIdentifiers).map(([name, ids]) => [name, ids.slice(0, 2)]);
  const identifiers = {
    ...Object.fromEntries(fewIdentifiers),
    CUSTOMER_IDS: [customers[2]?.customer.uuid ?? ''],
  };
  return overrideSettings({ ...target, isMock: false, minCoverage: 0, identifiers }, overrides);
}

/** Sends all requests of a run to a provider in this process, whose responses `reply` creates. Returns the judged responses. */
export async function observeReplies(
  reply: Reply,
  target = exampleTarget(),
  ledger: LedgerEntry[] = contract.ledger,
  judgedContract = contract,
): Promise<Observation[]> {
  const client = createSubstituteClient(async (path) =>
    reply(parseRequest(path), answerAsMock(parseRequest(path))),
  );
  return observeTarget(client, target, ledger, judgedContract);
}

export async function evaluateReplies(reply: Reply, overrides: Partial<Target> = {}): Promise<Results> {
  const target = exampleTarget(overrides);
  const observations = await observeReplies(reply, target);
  const run = {
    target: target.name,
    profile: target.profile,
    minCoverage: 0,
    failOn: [],
    startedAt: '2026-01-01T00:00:00.000Z',
    requests: observations.length,
    repeated: {},
    contract: contract.hash,
  };
  return evaluate(contract, target, { run, observations });
}

const contract = loadContract();

/** Creates a pattern such as `^…/cards/(?<id>[^/]+)$` for the path `…/cards/{id}`. */
const createPathPattern = (path: string) => new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

function parseRequest(path: string): ProviderRequest {
  const { pathname, searchParams } = new URL(path, 'http://example.com');
  for (const { id, path: route } of contract.operations) {
    const match = createPathPattern(route).exec(pathname);
    if (match)
      return { operation: id, parameters: { ...match.groups, ...Object.fromEntries(searchParams) }, path };
  }
  throw new Error(`no operation has the path ${pathname}`);
}

/** Customers of the provider. The list shows two, one with all fields and one with the fewest; a lookup finds every customer of the mock. */
const directory = { ...createPopulation(), list: createPopulation({ customers: 2 }).list };

function answerAsMock({ operation, parameters }: ProviderRequest): HttpResponse {
  const route = (operations as readonly Route[]).find((candidate) => candidate.operation === operation);
  const response = route?.handle(parameters, defaultChoices, directory);
  return response
    ? json(response.status, response.body)
    : json(404, { code: 404, message: 'not found', data: null });
}

export const requirementCount = selectRequirements(contract, { failOn: [] }).length;
