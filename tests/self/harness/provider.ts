import { defaultChoices } from '../../../mock/choices.ts';
import { createCustomerStore, type SeededCustomer } from '../../../mock/customers.ts';
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
import { noDotenv } from './project-files.ts';
import { requestAll } from './request-all.ts';

export interface Outcome extends Record<Target['profile'], ProfileResult> {
  observations: Observation[];
}

export interface ProfileResult {
  requirementResults: RequirementResult[];
  /** Addresses of the violated requirements, such as `getCard/code`. */
  violated: string[];
  deviating: string[];
  blocked: string[];
}

const contract = loadContract();

export type ProviderOptions = MockOptions & {
  /** Path to append to the base URL of the mock; without effect if `network` is false. */
  path?: string;
  /** True to call the mock by HTTP, false to call it as a function; default: true, but false in `answerQuestions`. */
  network?: boolean;
};

/** Settings that replace the defaults of a run. */
export type Settings = Partial<Target> & {
  /** Ledger entries that accept deviations; default: those of the contract, but none in `evaluateWithBothProfiles`. */
  ledger?: LedgerEntry[];
  /** Ids of the operations whose requests are sent; default: all. */
  operations?: string[];
};

/** Copies settings with `overrides`; merges identifiers by variable such as `CARD_IDS`. */
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
  return { observations, ...evaluateWithBothProfiles(observations, settings) };
}

/** Sends a run's requests to a mock and judges the responses. `recording` formats them as NDJSON. */
export async function observeProvider(
  options: ProviderOptions,
  overrides: Settings = {},
): Promise<{ observations: Observation[]; recording(): string }> {
  const { ledger, operations: judgedIds, ...settings } = overrides;
  const { target: defaultTarget } = readConfiguration({}, noDotenv);
  // Few cards keep the 500 runs of the tests short.
  const fewCards = { CARD_IDS: defaultTarget.identifiers.CARD_IDS?.slice(0, 3) ?? [] };
  const briefTarget = overrideSettings(defaultTarget, { identifiers: fewCards });
  const target = overrideSettings(briefTarget, settings);
  const judgedOperations = contract.operations.filter(({ id }) => !judgedIds || judgedIds.includes(id));
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
  // Without HTTP, `path` has no effect.
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
    const traceId = '0'.repeat(32);
    const spanId = String(requestCount).padStart(16, '0');
    const requestId = `${traceId}-${spanId}`;
    const headers = { ...(anonymous ? {} : target.headers), accept, traceparent: `00-${requestId}-01` };
    const mockResponse = await respond({ method: 'GET', url, headers });
    return { ...convertToHttpResponse(mockResponse), id: requestId };
  });
  return { ...client, requests };
}

/** Creates an `HttpClient` that calls `respond` instead of sending requests. */
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
    countEarlierStatus: () => {},
    countRequests: () => requestCount,
    countRetries: () => ({}),
    rateShare: () => 1,
    closeSpareConnections: async () => {},
    close: async () => {},
  };
}

function convertToHttpResponse({ status, headers: sentHeaders, body, raw }: MockResponse): HttpResponse {
  // At least one header, because the reader of recordings takes a response without headers for an incomplete recording.
  const headers: Record<string, string> = { connection: 'keep-alive' };
  for (const [name, value] of Object.entries(sentHeaders)) headers[name.toLowerCase()] = String(value);
  const bodyText = raw ?? JSON.stringify(body) ?? '';
  return { status, headers, body: Buffer.from(bodyText) };
}

/**
 * Computes verdicts twice: with `PROFILE=observed` (member `observed`) and with `PROFILE=documented` (member `documented`).
 * @param scope `requested`: only operations with an observation
 */
export function evaluateWithBothProfiles(
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

/** Creates the response of a mock that has only these customers; undefined if the path matches no operation. */
export function answerWithCustomers(
  customers: readonly SeededCustomer[],
  { operation, parameters }: MockRequest,
): MockResponse | undefined {
  const route = routes.find((candidate) => candidate.operation === operation);
  return structuredClone(route?.handle(parameters, defaultChoices, createCustomerStore(customers)));
}
