import { defaultChoices } from '../../../mock/choices.ts';
import type { CustomerDirectory, SeededCustomer } from '../../../mock/customers.ts';
import { operations as routes } from '../../../mock/operations.ts';
import type { MockResponse } from '../../../mock/responses.ts';
import { createProvider, type MockOptions, type MockRequest, startMock } from '../../../mock/server.ts';
import { type Contract, loadContract } from '../../../schemas/contract/contract.ts';
import { type LedgerEntry, selectEntries } from '../../../schemas/contract/ledger.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import {
  createClient,
  type HttpClient,
  type OpenClient,
  type RequestOutcome,
  type RequestOverrides,
} from '../../../src/client/http-client.ts';
import type { Target } from '../../../src/client/target.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { collectSecrets, Secrets } from '../../../src/redact/secrets.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import type { RequirementResult } from '../../../src/verdict/results.ts';
import { recordExchanges } from '../traffic/recorded-exchanges.ts';
import { requestAll } from './request-all.ts';

export interface Outcome extends Record<Target['profile'], ProfileResult> {
  observations: Observation[];
}

/** Results under one profile. `violated`, `deviating` and `blocked` list the addresses of the requirements with that verdict. */
export interface ProfileResult {
  requirementResults: RequirementResult[];
  violated: string[];
  deviating: string[];
  blocked: string[];
}

const contract = loadContract();

/** Options of a judged mock. `network: false` calls it in this process. `path` precedes the path of each HTTP request. */
export type Judged = MockOptions & { path?: string; network?: boolean };

/** Settings of a run that differ from the defaults. `operations` lists the ids of the operations to judge; default: all. */
export type Settings = Partial<Target> & { ledger?: LedgerEntry[]; operations?: string[] };

/** Replaces settings of a run. Merges the identifiers by variable. */
export const overrideSettings = (target: Target, overrides: Partial<Target>): Target => ({
  ...target,
  ...overrides,
  identifiers: { ...target.identifiers, ...overrides.identifiers },
});

/** Sends all requests of a run by an HTTP client or a substitute. Returns an observation of each judged response. */
export const observeTarget = (
  client: HttpClient,
  target: Target,
  ledger: LedgerEntry[] = contract.ledger,
  judgedContract: Contract = contract,
): Promise<Observation[]> =>
  requestAll({
    ...{ contract: judgedContract, target, client },
    entries: selectEntries(ledger, target.name, '2026-01-01'),
    secrets: new Secrets(collectSecrets(target)),
  });

export async function judgeProvider(options: Judged, settings: Settings = {}) {
  const { observations } = await observeProvider(options, settings);
  return { observations, ...evaluateByProfile(observations, settings) };
}

/** Sends all requests of a run to a mock. Returns the observations, and a function that formats the responses as a recording. */
export async function observeProvider(options: Judged, overrides: Settings = {}) {
  const { ledger, operations, ...settings } = overrides;
  const { target: defaultTarget } = readConfiguration({}, '/nonexistent');
  // Three cards are enough to distinguish one card from the others, and keep the 500 runs of the tests short.
  const fewCards = { CARD_IDS: defaultTarget.identifiers.CARD_IDS?.slice(0, 3) ?? [] };
  const target = overrideSettings(overrideSettings(defaultTarget, { identifiers: fewCards }), settings);
  const operationsToJudge = contract.operations.filter(({ id }) => operations?.includes(id) ?? true);
  const openedClient = await openClient(options, target);
  const { client, recording } = recordExchanges(openedClient);
  try {
    const observations = await observeTarget(client, target, ledger, {
      ...contract,
      operations: operationsToJudge,
    });
    return { observations, recording };
  } finally {
    await openedClient.close();
  }
}

/** Starts a mock and opens a client of it, whose `close` also stops the mock. `network: false` calls the mock in this process instead. */
export async function openClient({ path = '', network = true, ...options }: Judged, target: Target) {
  if (!network) {
    const { respond, requests } = createProvider(options);
    const createId = createIdSequence('0'.repeat(32));
    const client = createSubstituteClient(async (url, { accept = 'application/json', anonymous } = {}) => {
      const id = createId();
      const headers = { ...(anonymous ? {} : target.headers), accept, traceparent: `00-${id}-01` };
      return { ...receiveAnswer(await respond({ method: 'GET', url, headers })), id };
    });
    return { ...client, requests };
  }
  const mock = await startMock(options);
  const client = await createClient(target, mock.url + path);
  const close = async () => {
    await client.close();
    await mock.close();
  };
  return { ...client, requests: mock.requests, close };
}

/** Creates a function that returns a new id `<trace id>-<span id>` at each call, with a span id that counts from 1. */
function createIdSequence(trace: string): () => string {
  let idCount = 0;
  return () => {
    idCount += 1;
    return `${trace}-${String(idCount).padStart(16, '0')}`;
  };
}

/**
 * Creates a substitute for an HTTP client that gets each response from a function. Stops at an open `CircuitBreaker`, and never retries.
 */
export function createSubstituteClient(
  respond: (path: string, overrides?: RequestOverrides) => Promise<RequestOutcome>,
): OpenClient {
  let requestCount = 0;
  return {
    get: async (path, breaker, overrides) => {
      const openBreakerReason = breaker?.explainStop();
      if (openBreakerReason) return openBreakerReason;
      requestCount += 1;
      const response = await respond(path, overrides);
      breaker?.countOutcome(response);
      return response;
    },
    countRequests: () => requestCount,
    countRetries: () => ({}),
    rateShare: () => 1,
    close: async () => {},
  };
}

function receiveAnswer({ status, headers: sentHeaders, body, raw }: MockResponse): HttpResponse {
  const lowerCaseHeaders = Object.entries(sentHeaders).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  // Every server sends this header. Without any header, a recording would count as one that does not hold headers.
  const headers: Record<string, string> = {
    connection: 'keep-alive',
    ...Object.fromEntries(lowerCaseHeaders),
  };
  return { status, headers, body: Buffer.from(raw ?? JSON.stringify(body) ?? '') };
}

/**
 * Computes the results of observations under both profiles.
 * @param scope `all`: judges all requirements; `requested`: only those of operations to which a request was sent
 */
export function evaluateByProfile(
  observations: Observation[],
  { failOn = [], ledger = [] }: Settings = {},
  scope: 'all' | 'requested' = 'all',
): Omit<Outcome, 'observations'> {
  const requestedOperations = new Set(observations.map(({ operation }) => operation));
  const operations = contract.operations.filter(({ id }) => scope === 'all' || requestedOperations.has(id));
  const results = { run: undefined, observations };
  const evaluateProfile = (profile: Target['profile']) =>
    summarizeProfile(
      evaluate({ operations, ledger }, { name: 'mock', profile, failOn }, results).requirementResults,
    );
  return { observed: evaluateProfile('observed'), documented: evaluateProfile('documented') };
}

function summarizeProfile(requirementResults: RequirementResult[]): ProfileResult {
  return {
    requirementResults,
    violated: listAddressesWith(requirementResults, 'violation'),
    deviating: listAddressesWith(requirementResults, 'deviation'),
    blocked: listAddressesWith(requirementResults, 'blocked'),
  };
}

export const listAddressesWith = (
  requirementResults: RequirementResult[],
  verdict: RequirementResult['verdict'],
) => requirementResults.filter((result) => result.verdict === verdict).map(({ address }) => address);

export const createDirectory = (customers: readonly SeededCustomer[]): CustomerDirectory => ({
  list: (filter, start, end) =>
    customers
      .filter((seeded) => filter === 'all' || filter(seeded))
      .map(({ customer }) => customer)
      .slice(start, end),
  find: (id) => customers.find(({ customer }) => customer.uuid === id)?.customer,
});

/** Answers a request as the mock does if these are its customers, in this order. Returns a copy that may be changed. */
export function answerWithCustomers(
  customers: readonly SeededCustomer[],
  { operation, parameters }: MockRequest,
): MockResponse | undefined {
  const route = routes.find((candidate) => candidate.operation === operation);
  return structuredClone(route?.handle(parameters, defaultChoices, createDirectory(customers)));
}
