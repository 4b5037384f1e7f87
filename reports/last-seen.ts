import type { ProbeAnswer } from '../src/questions/answers.ts';
import { isJudged, type Verdict } from '../src/verdict/verdicts.ts';
import type { Conformance } from './conformance.ts';

/** Content of the file `last-seen.json`, in which `npm run site` keeps the results of a target. */
export interface LastSeen {
  /** Hash (12 hex digits) of the contract by which the runs were judged. */
  contract: string;
  /** Last result of each requirement, keyed by address such as `getCard/http/status`. */
  results: Record<string, SeenResult>;
  /** Last known answer to each open question, keyed by id such as `offset-unit`. */
  answers: Record<string, SeenAnswer>;
}

export interface SeenResult {
  startedAt: string;
  verdict: Verdict;
  /** Number of places in responses at which the run judged the requirement: 60 for a field of 60 customers. */
  exercised: number;
  /** How often the field had each value, or was absent: `{ 'getCard/…/physical_status = Active': 3, 'getCard/… absent': 1 }`. */
  states: Record<string, number>;
}

export interface SeenAnswer {
  startedAt: string;
  answer: ProbeAnswer;
}

/** Adds a run: keeps the latest result of each requirement and answer to each question. Ignores `earlier` of another contract. */
export function mergeLastSeen(earlier: LastSeen | undefined, run: Conformance): LastSeen {
  const { contract } = run;
  const previous = earlier?.contract === contract ? earlier : { results: {}, answers: {} };
  return {
    contract,
    results: keepLatest(previous.results, indexJudgedResults(run)),
    answers: keepLatest(previous.answers, indexKnownAnswers(run)),
  };
}

export const isAnswered = ({ confidence }: ProbeAnswer): boolean => confidence !== 'unknown';

function indexJudgedResults({ requirements, startedAt, coverage }: Conformance): Record<string, SeenResult> {
  const judgedRequirements = requirements.filter(({ verdict }) => isJudged(verdict));
  return Object.fromEntries(
    judgedRequirements.map(({ address, verdict, exercised }) => {
      // A key of `seen` is an address with a value or presence: `getCard/data/card/physical_status = Active`.
      const ownCounts = Object.entries(coverage.seen).filter(([state]) => state.startsWith(`${address} `));
      return [address, { startedAt, verdict, exercised, states: Object.fromEntries(ownCounts) }];
    }),
  );
}

const indexKnownAnswers = ({ observed, startedAt }: Conformance): Record<string, SeenAnswer> =>
  Object.fromEntries(observed.filter(isAnswered).map((answer) => [answer.id, { startedAt, answer }]));

function keepLatest<Seen extends { startedAt: string }>(
  previous: Record<string, Seen>,
  current: Record<string, Seen>,
): Record<string, Seen> {
  const merged = { ...current };
  for (const [key, previousResult] of Object.entries(previous)) {
    const currentResult = current[key];
    if (!currentResult || previousResult.startedAt > currentResult.startedAt) merged[key] = previousResult;
  }
  return merged;
}
