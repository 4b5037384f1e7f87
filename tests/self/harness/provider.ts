import type { MockAnswer } from '../../../mock/answers.ts';
import { createProvider, type MockOptions, startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { type Entry, entriesFor } from '../../../schemas/contract/ledger.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import { askEverything } from '../../../src/ask/ask-everything.ts';
import { type Blocked, createClient, type HttpClient } from '../../../src/client/http-client.ts';
import type { Target } from '../../../src/client/target.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { Secrets, secretsOf } from '../../../src/redact/secrets.ts';
import { requirementsFor } from '../../../src/run/results.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { type Coverage, coverageOf } from '../../../src/verdict/coverage.ts';
import { evaluate, type RequirementResult } from '../../../src/verdict/evaluate.ts';
import { type RecordedLine, recordLines } from '../traffic/recorded-lines.ts';
import { overridden } from './overridden.ts';

/** The result of a run against some provider, in either profile. */
export interface Outcome {
  observations: Observation[];
  coverage: Coverage;
  observed: ProfileResult;
  documented: ProfileResult;
  /** What somebody who listens would have recorded. */
  lines: RecordedLine[];
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

/** Judges a provider as a run does, in this process: same mock, same asking and judging. */
export async function judgeProvider(options: Judged, overrides: Settings = {}): Promise<Outcome> {
  const { ledger = contract.ledger, operations, ...settings } = overrides;
  const { target: usual } = readConfiguration({}, '/nonexistent');
  // Three cards are enough to tell one from the others, and 500 runs are to be quick.
  const few = { CARD_IDS: usual.identifiers.CARD_IDS?.slice(0, 3) ?? [] };
  const target = overridden(overridden(usual, { identifiers: few }), settings);
  const asked = contract.operations.filter(({ id }) => operations?.includes(id) ?? true);
  const { client, lines } = recordLines(await openClient(options, target));
  try {
    const judging = {
      entries: entriesFor(ledger, target.name, '2026-01-01'),
      secrets: new Secrets(secretsOf(target)),
    };
    const observations = await askEverything({ ...contract, operations: asked }, target, client, judging);
    return new JudgedOutcome(target, observations, lines);
  } finally {
    await client.close();
  }
}

async function openClient({ path = '', network = true, ...options }: Judged, target: Target) {
  if (!network) {
    const { answer } = createProvider(options);
    const headers = { accept: 'application/json' };
    return clientOf(async (url) => asReceived(await answer({ method: 'GET', url, headers })));
  }
  const mock = await startMock(options);
  const client = await createClient(target, mock.url + path);
  const close = () => Promise.all([client.close(), mock.close()]).then(() => {});
  return { ...client, close };
}

/** A client that has its answers from a function. */
export function clientOf(answer: (path: string) => Promise<HttpResponse | Blocked>): HttpClient {
  let sent = 0;
  return {
    get: async (path, breaker) => {
      const open = breaker?.open();
      if (open) return open;
      sent += 1;
      const response = await answer(path);
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
  return {
    status,
    headers,
    contentType: headers['content-type'],
    body: Buffer.from(raw ?? JSON.stringify(body) ?? ''),
  };
}

/** Evaluates when it is asked for a result: hundreds of runs need no more than their observations. */
class JudgedOutcome implements Outcome {
  readonly #target: Target;
  readonly observations: Observation[];
  readonly lines: RecordedLine[];
  #results: ReturnType<typeof resultsByProfile> | undefined;

  constructor(target: Target, observations: Observation[], lines: RecordedLine[]) {
    this.#target = target;
    this.observations = observations;
    this.lines = lines;
  }

  get coverage(): Coverage {
    return coverageOf(contract, this.observations);
  }

  get observed(): ProfileResult {
    return this.#byProfile().observed;
  }

  get documented(): ProfileResult {
    return this.#byProfile().documented;
  }

  #byProfile() {
    this.#results ??= resultsByProfile(this.observations, this.#target);
    return this.#results;
  }
}

const requirements = {
  report: requirementsFor(contract, { undeclaredFields: 'report' }),
  fail: requirementsFor(contract, { undeclaredFields: 'fail' }),
};

/** What either profile makes of some observations: of all requirements, or of those of the operations asked. */
export function resultsByProfile(
  observations: Observation[],
  { undeclaredFields = 'report' }: Partial<Pick<Target, 'undeclaredFields'>> = {},
  of: 'all' | 'asked' = 'all',
): Pick<Outcome, 'observed' | 'documented'> {
  const asked = new Set(observations.map(({ operation }) => operation));
  const all = requirements[undeclaredFields];
  const judged = of === 'all' ? all : all.filter(({ operation }) => asked.has(operation));
  const under = (profile: Target['profile']) =>
    profileResultOf(evaluate(judged, { observations }, profile).requirementResults);
  return { observed: under('observed'), documented: under('documented') };
}

function profileResultOf(requirementResults: RequirementResult[]): ProfileResult {
  const withVerdict = (verdict: RequirementResult['verdict']) =>
    requirementResults.filter((one) => one.verdict === verdict).map(({ address }) => address);
  return {
    requirementResults,
    violated: withVerdict('violation'),
    deviating: withVerdict('deviation'),
    blocked: withVerdict('blocked'),
  };
}
