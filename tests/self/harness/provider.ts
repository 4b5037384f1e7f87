import { type MockOptions, startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { type Entry, entriesFor } from '../../../schemas/contract/ledger.ts';
import { askEverything } from '../../../src/ask/ask-everything.ts';
import { createClient } from '../../../src/client/http-client.ts';
import type { Target } from '../../../src/client/target.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { Secrets, secretsOf } from '../../../src/redact/secrets.ts';
import { requirementsFor } from '../../../src/run/results.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { type Coverage, coverageOf } from '../../../src/verdict/coverage.ts';
import { evaluateRequirements, type RequirementResult } from '../../../src/verdict/evaluate.ts';
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

/** Judges a provider as a run does, in this process: real mock, real HTTP, same asking and judging. */
export async function judgeProvider(
  options: MockOptions & { path?: string },
  overrides: Partial<Target> & { ledger?: Entry[] } = {},
): Promise<Outcome> {
  const mock = await startMock(options);
  const { ledger = contract.ledger, ...settings } = overrides;
  const { target: usual } = readConfiguration({}, '/nonexistent');
  // Three cards are enough to tell one from the others, and 500 runs are to be quick.
  const few = { CARD_IDS: usual.identifiers.CARD_IDS?.slice(0, 3) ?? [] };
  const target = overridden(overridden(usual, { identifiers: few }), settings);
  const http = await createClient(target, mock.url + (options.path ?? ''));
  const { client, lines } = recordLines(http);
  try {
    const entries = entriesFor(ledger, target.name, '2026-01-01');
    return new JudgedOutcome(
      target,
      await askEverything(contract, target, client, { entries, secrets: new Secrets(secretsOf(target)) }),
      lines,
    );
  } finally {
    await client.close();
    await mock.close();
  }
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
    profileResultOf(evaluateRequirements(judged, observations, profile));
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
