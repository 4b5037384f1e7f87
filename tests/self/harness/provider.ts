import type { MockAnswer } from '../../../mock/answers.ts';
import type { CustomerDirectory, SeededCustomer } from '../../../mock/customers.ts';
import { createProvider, type MockOptions, startMock } from '../../../mock/server.ts';
import { type Contract, loadContract } from '../../../schemas/contract/contract.ts';
import { type Entry, entriesFor } from '../../../schemas/contract/ledger.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import {
  type Answer,
  createClient,
  type HttpClient,
  type OpenClient,
  type RequestOverrides,
} from '../../../src/client/http-client.ts';
import type { Target } from '../../../src/client/target.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { Secrets, secretsOf } from '../../../src/redact/secrets.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { evaluate, type RequirementResult } from '../../../src/verdict/evaluate.ts';
import { recordExchanges } from '../traffic/recorded-exchanges.ts';
import { requestAll } from './request-all.ts';

/** What a run against some provider has found, in either profile. */
export interface Outcome extends Record<Target['profile'], ProfileResult> {
  observations: Observation[];
}

/** What one profile makes of a run: addresses of requirements by verdict. */
export interface ProfileResult {
  requirementResults: RequirementResult[];
  violated: string[];
  deviating: string[];
  blocked: string[];
}

const contract = loadContract();

/** A provider, and how it is asked: over HTTP, or without a network where nothing of it is about that. */
export type Judged = MockOptions & { path?: string; network?: boolean };

/** How a run is configured; of the contract only these operations are asked and judged, or all. */
export type Settings = Partial<Target> & { ledger?: Entry[]; operations?: string[] };

/** A target with other settings; of identifiers only those that are named differ. */
export const overridden = (target: Target, overrides: Partial<Target>): Target => ({
  ...target,
  ...overrides,
  identifiers: { ...target.identifiers, ...overrides.identifiers },
});

/** Asks and judges everything of a target, as a run does. */
export const askTarget = (
  client: HttpClient,
  target: Target,
  ledger: Entry[] = contract.ledger,
  of: Contract = contract,
): Promise<Observation[]> =>
  requestAll({
    ...{ contract: of, target, client },
    entries: entriesFor(ledger, target.name, '2026-01-01'),
    secrets: new Secrets(secretsOf(target)),
  });

/** Judges a provider as a run does, in this process: same mock, same asking and judging. */
export async function judgeProvider(options: Judged, settings: Settings = {}) {
  const { observations } = await observeProvider(options, settings);
  return { observations, ...resultsByProfile(observations, settings) };
}

/** The same without results: hundreds of runs need no more than their observations, and some what a listener would have recorded. */
export async function observeProvider(options: Judged, overrides: Settings = {}) {
  const { ledger, operations, ...settings } = overrides;
  const { target: usual } = readConfiguration({}, '/nonexistent');
  // Three cards are enough to tell one from the others, and 500 runs are to be quick.
  const few = { CARD_IDS: usual.identifiers.CARD_IDS?.slice(0, 3) ?? [] };
  const target = overridden(overridden(usual, { identifiers: few }), settings);
  const asked = contract.operations.filter(({ id }) => operations?.includes(id) ?? true);
  const opened = await openClient(options, target);
  const { client, recording } = recordExchanges(opened);
  try {
    const observations = await askTarget(client, target, ledger, { ...contract, operations: asked });
    return { observations, recording };
  } finally {
    await opened.close();
  }
}

/** A client of a provider, and what that was asked. */
export async function openClient({ path = '', network = true, ...options }: Judged, target: Target) {
  if (!network) {
    const { answer, requests } = createProvider(options);
    const ids = idsOf('0'.repeat(32));
    const client = clientOf(async (url, { accept = 'application/json', anonymous } = {}) => {
      const id = ids();
      const headers = { ...(anonymous ? {} : target.headers), accept, traceparent: `00-${id}-01` };
      return { ...asReceived(await answer({ method: 'GET', url, headers })), id };
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

/** The ids of requests of one trace. */
function idsOf(trace: string): () => string {
  let sent = 0;
  return () => {
    sent += 1;
    return `${trace}-${String(sent).padStart(16, '0')}`;
  };
}

/** A client that has its answers from a function. */
export function clientOf(
  answer: (path: string, overrides?: RequestOverrides) => Promise<Answer>,
): OpenClient {
  let sent = 0;
  return {
    get: async (path, breaker, overrides) => {
      const open = breaker?.open();
      if (open) return open;
      sent += 1;
      const response = await answer(path, overrides);
      breaker?.note(response);
      return response;
    },
    sent: () => sent,
    repeated: () => ({}),
    close: async () => {},
  };
}

/** What a client has of an answer. */
function asReceived({ status, headers: sent, body, raw }: MockAnswer): HttpResponse {
  const named = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), String(value)]);
  // What each server sends: a recording of an answer without any header is one that holds none.
  const headers: Record<string, string> = { connection: 'keep-alive', ...Object.fromEntries(named) };
  return { status, headers, body: Buffer.from(raw ?? JSON.stringify(body) ?? '') };
}

/** What either profile makes of some observations: of all requirements, or of those of the operations asked. */
export function resultsByProfile(
  observations: Observation[],
  { failOn = [], ledger = [] }: Settings = {},
  of: 'all' | 'asked' = 'all',
): Omit<Outcome, 'observations'> {
  const asked = new Set(observations.map(({ operation }) => operation));
  const operations = contract.operations.filter(({ id }) => of === 'all' || asked.has(id));
  const results = { run: undefined, observations };
  const under = (profile: Target['profile']) =>
    profileResultOf(
      evaluate({ operations, ledger }, { name: 'mock', profile, failOn }, results).requirementResults,
    );
  return { observed: under('observed'), documented: under('documented') };
}

function profileResultOf(requirementResults: RequirementResult[]): ProfileResult {
  return {
    requirementResults,
    violated: addressesWith(requirementResults, 'violation'),
    deviating: addressesWith(requirementResults, 'deviation'),
    blocked: addressesWith(requirementResults, 'blocked'),
  };
}

export const addressesWith = (
  requirementResults: RequirementResult[],
  verdict: RequirementResult['verdict'],
) => requirementResults.filter((one) => one.verdict === verdict).map(({ address }) => address);

/** A directory of customers that are held in memory. */
export const directoryOf = (customers: readonly SeededCustomer[]): CustomerDirectory => ({
  list: (source, start, end) =>
    customers
      .flatMap((one) => (source === 'all' || one.linkedTo.includes(source) ? one.customer : []))
      .slice(start, end),
  find: (id) => customers.find(({ customer }) => customer.uuid === id)?.customer,
});
