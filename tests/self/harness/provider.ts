import { defaultChoices } from '../../../mock/choices.ts';
import type { CustomerStore, SeededCustomer } from '../../../mock/customers.ts';
import { operations as routes } from '../../../mock/operations.ts';
import type { MockResponse } from '../../../mock/responses.ts';
import { createInProcessMock, type MockOptions, type MockRequest, startMock } from '../../../mock/server.ts';
import { type Contract, loadContract } from '../../../schemas/contract/contract.ts';
import { type LedgerEntry, selectEntries } from '../../../schemas/contract/ledger.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import {
  createClient,
  type HttpClient,
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

/** `violated`, `deviating` and `blocked` list the addresses of the requirements with that verdict. */
export interface ProfileResult {
  requirementResults: RequirementResult[];
  violated: string[];
  deviating: string[];
  blocked: string[];
}

const contract = loadContract();

/** Options of the mock. `network: false` calls it in this process; otherwise `path` precedes the path of each HTTP request. */
export type ProviderOptions = MockOptions & { path?: string; network?: boolean };

/** Replaces default settings of a run. `ledger`: accepted deviations. `operations`: ids of the operations to judge; default: all. */
export type Settings = Partial<Target> & { ledger?: LedgerEntry[]; operations?: string[] };

/** Replaces settings of a run. Keeps the identifiers of variables that `overrides.identifiers` lacks. */
export const overrideSettings = (target: Target, overrides: Partial<Target>): Target => ({
  ...target,
  ...overrides,
  identifiers: { ...target.identifiers, ...overrides.identifiers },
});

export const observeTarget = (
  client: HttpClient,
  target: Target,
  ledger: LedgerEntry[] = contract.ledger,
  judgedContract: Contract = contract,
): Promise<Observation[]> =>
  requestAll({
    contract: judgedContract,
    target,
    client,
    entries: selectEntries(ledger, target.name, '2026-01-01'),
    secrets: new Secrets(collectSecrets(target)),
  });

export async function judgeProvider(options: ProviderOptions, settings: Settings = {}) {
  const { observations } = await observeProvider(options, settings);
  return { observations, ...evaluateByProfile(observations, settings) };
}

/** Sends all requests of a run to a mock. `recording()` returns requests and responses as recorded traffic (newline-delimited JSON). */
export async function observeProvider(options: ProviderOptions, overrides: Settings = {}) {
  const { ledger, operations, ...settings } = overrides;
  const { target: defaultTarget } = readConfiguration({}, '/nonexistent');
  // Few cards keep the 500 runs of the tests short.
  const fewCards = { CARD_IDS: defaultTarget.identifiers.CARD_IDS?.slice(0, 3) ?? [] };
  const briefTarget = overrideSettings(defaultTarget, { identifiers: fewCards });
  const target = overrideSettings(briefTarget, settings);
  const judgedOperations = contract.operations.filter(({ id }) => operations?.includes(id) ?? true);
  const judgedContract = { ...contract, operations: judgedOperations };
  const openedClient = await openClient(options, target);
  const { client, recording } = recordExchanges(openedClient);
  try {
    return { observations: await observeTarget(client, target, ledger, judgedContract), recording };
  } finally {
    await openedClient.close();
  }
}

export async function openClient({ path = '', network = true, ...options }: ProviderOptions, target: Target) {
  if (!network) return createInProcessClient(options, target);
  const mock = await startMock(options);
  const client = await createClient(target, mock.url + path);
  const close = async () => {
    await client.close();
    await mock.close();
  };
  return { ...client, requests: mock.requests, close };
}

function createInProcessClient(options: MockOptions, target: Target) {
  const { respond, requests } = createInProcessMock(options);
  let requestCount = 0;
  const client = createSubstituteClient(async (url, { accept = 'application/json', anonymous } = {}) => {
    requestCount += 1;
    const requestId = `${'0'.repeat(32)}-${String(requestCount).padStart(16, '0')}`;
    const headers = { ...(anonymous ? {} : target.headers), accept, traceparent: `00-${requestId}-01` };
    return { ...receiveAnswer(await respond({ method: 'GET', url, headers })), id: requestId };
  });
  return { ...client, requests };
}

/** Creates a client that gets each response from a function. Stops at an open `CircuitBreaker`, and never retries. */
export function createSubstituteClient(
  respond: (path: string, overrides?: RequestOverrides) => Promise<RequestOutcome>,
): HttpClient {
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
  // Without any header, a recording would count as one that does not hold headers.
  const headers: Record<string, string> = { connection: 'keep-alive' };
  for (const [name, value] of Object.entries(sentHeaders)) headers[name.toLowerCase()] = String(value);
  return { status, headers, body: Buffer.from(raw ?? JSON.stringify(body) ?? '') };
}

/** Evaluates observations by each profile. @param scope `requested` leaves out the requirements of operations without a request */
export function evaluateByProfile(
  observations: Observation[],
  { failOn = [], ledger = [] }: Settings = {},
  scope: 'all' | 'requested' = 'all',
): Omit<Outcome, 'observations'> {
  const requestedOperations = new Set(observations.map(({ operation }) => operation));
  const operations = contract.operations.filter(({ id }) => scope === 'all' || requestedOperations.has(id));
  const results = { run: undefined, observations };
  const evaluateProfile = (profile: Target['profile']): ProfileResult => {
    const target = { name: 'mock', profile, failOn };
    const { requirementResults } = evaluate({ operations, ledger }, target, results);
    return {
      requirementResults,
      violated: listAddressesWith(requirementResults, 'violation'),
      deviating: listAddressesWith(requirementResults, 'deviation'),
      blocked: listAddressesWith(requirementResults, 'blocked'),
    };
  };
  return { observed: evaluateProfile('observed'), documented: evaluateProfile('documented') };
}

export const listAddressesWith = (
  requirementResults: RequirementResult[],
  verdict: RequirementResult['verdict'],
) => requirementResults.filter((result) => result.verdict === verdict).map(({ address }) => address);

export const createCustomerStore = (customers: readonly SeededCustomer[]): CustomerStore => ({
  list: (filter, start, end) =>
    customers
      .filter((customer) => filter === 'all' || filter(customer))
      .map(({ customer }) => customer)
      .slice(start, end),
  find: (id) => customers.find(({ customer }) => customer.uuid === id)?.customer,
});

/** Answers a request as a mock with these customers, in this order. Returns a copy that may be changed. */
export function answerWithCustomers(
  customers: readonly SeededCustomer[],
  { operation, parameters }: MockRequest,
): MockResponse | undefined {
  const route = routes.find((candidate) => candidate.operation === operation);
  return structuredClone(route?.handle(parameters, defaultChoices, createCustomerStore(customers)));
}
