import { defaultChoices } from '../../../mock/choices.ts';
import { customers } from '../../../mock/customers.ts';
import { knownIdentifiers, operations, type Route } from '../../../mock/operations.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import type { Blocked } from '../../../src/client/reasons.ts';
import type { Target } from '../../../src/client/target.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { evaluate, selectRequirements } from '../../../src/verdict/evaluate.ts';
import type { Results } from '../../../src/verdict/results.ts';
import { createPopulation } from '../mock/population.ts';
import { noDotenv } from './project-files.ts';
import { createSubstituteClient, observeTarget, overrideSettings } from './provider.ts';

/** Returns the response of a fake provider; `mockResponse` is that of the mock. */
export type Reply = (request: ProviderRequest, mockResponse: HttpResponse) => HttpResponse | Blocked;

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
/** Creates a `Reply` with `response` for requests selected by `when`; default: all. */
export const replying =
  (response: HttpResponse, when: RequestFilter = () => true): Reply =>
  (request, mockResponse) =>
    when(request) ? response : mockResponse;
/** Creates a `Reply` that rejects requests: `rejecting(404)` sends HTTP 404. */
export const rejecting = (status: number, when?: RequestFilter) =>
  replying(json(status, { code: status }), when);

/** Creates settings of a target, without reading the environment or `.env`. */
export function exampleTarget(overrides: Partial<Target> = {}): Target {
  const { target: defaultTarget } = readConfiguration({}, noDotenv);
  const identifiers: Record<string, string[]> = {};
  // Few identifiers keep runs short.
  for (const [variable, ids] of Object.entries(knownIdentifiers)) identifiers[variable] = ids.slice(0, 2);
  // The third customer, because the suite looks up the first two anyway: they are on the list.
  identifiers.CUSTOMER_IDS = [customers[2]?.customer.uuid ?? ''];
  const target = { ...defaultTarget, isMock: false, minCoverage: 0, identifiers };
  return overrideSettings(target, overrides);
}

/** Judges the responses that `reply` gives to the requests of a run. */
export async function observeReplies(reply: Reply, target = exampleTarget()): Promise<Observation[]> {
  const respond = async (path: string) => {
    const request = parseRequest(path);
    return reply(request, respondAsMock(request));
  };
  return observeTarget(createSubstituteClient(respond), target);
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

const createPathPattern = (path: string) => new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

function parseRequest(path: string): ProviderRequest {
  const { pathname, searchParams } = new URL(path, 'http://example.com');
  for (const { id, path: pathTemplate } of contract.operations) {
    const match = createPathPattern(pathTemplate).exec(pathname);
    if (!match) continue;
    const parameters = { ...match.groups, ...Object.fromEntries(searchParams) };
    return { operation: id, parameters, path };
  }
  throw new Error(`no operation has the path ${pathname}`);
}

/** Data of the mock, of which the list shows only two customers. */
const customerStore = { ...createPopulation(), list: createPopulation({ customers: 2 }).list };

function respondAsMock({ operation, parameters }: ProviderRequest): HttpResponse {
  const routes: readonly Route[] = operations;
  const route = routes.find((candidate) => candidate.operation === operation);
  const response = route?.handle(parameters, defaultChoices, customerStore);
  if (!response) return json(404, { code: 404, message: 'not found', data: null });
  return json(response.status, response.body);
}

export const requirementCount = selectRequirements(contract, { failOn: [] }).length;
