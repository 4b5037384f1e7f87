import type { ProbeAnswer } from '../src/questions/answers.ts';
import { isJudged, type Verdict } from '../src/verdict/verdicts.ts';
import type { Conformance } from './conformance.ts';

/** Content of `last-seen.json` of a site: the last result of each requirement that was ever judged, and the last known answers. */
export interface LastSeen {
  /** Hash of the contract by which the runs were judged; results by another contract are dropped. */
  contract: string;
  /** Results, keyed by the address of the requirement. */
  results: Record<string, SeenResult>;
  /** Answers, keyed by the id of the question. */
  answers: Record<string, SeenAnswer>;
}

/** Result of a requirement in the last run that judged it. */
export interface SeenResult {
  startedAt: string;
  verdict: Verdict;
  /** Number of judged places. */
  exercised: number;
  /** Entries of `coverage.seen` about this address: how often each value, presence and absence occurred. */
  states: Record<string, number>;
}

/** Answer to an open question in the last run that found one. */
export interface SeenAnswer {
  startedAt: string;
  answer: ProbeAnswer;
}

/** Adds the results and answers of a run. Keeps an earlier one if the run has none at its address or id, or began before it. */
export function mergeLastSeen(earlier: LastSeen | undefined, run: Conformance): LastSeen {
  const { contract } = run;
  const previous = earlier?.contract === contract ? earlier : { results: {}, answers: {} };
  return {
    contract,
    results: keepLatest(previous.results, indexResults(run)),
    answers: keepLatest(previous.answers, indexAnswers(run)),
  };
}

/** Returns whether a question has an answer other than "unknown". */
export const isAnswered = ({ confidence }: ProbeAnswer): boolean => confidence !== 'unknown';

/** Indexes the results of judged requirements by address. */
function indexResults({ requirements, startedAt, coverage }: Conformance): Record<string, SeenResult> {
  const judgedRequirements = requirements.filter(({ verdict }) => isJudged(verdict));
  return Object.fromEntries(
    judgedRequirements.map(({ address, verdict, exercised }) => {
      const states = Object.entries(coverage.seen).filter(([state]) => state.startsWith(`${address} `));
      return [address, { startedAt, verdict, exercised, states: Object.fromEntries(states) }];
    }),
  );
}

/** Indexes the known answers to open questions by id. */
const indexAnswers = ({ observed, startedAt }: Conformance): Record<string, SeenAnswer> =>
  Object.fromEntries(observed.filter(isAnswered).map((answer) => [answer.id, { startedAt, answer }]));

/** Merges results by key. If both have a key, keeps the result of the run that began later. */
function keepLatest<Seen extends { startedAt: string }>(
  earlier: Record<string, Seen>,
  current: Record<string, Seen>,
): Record<string, Seen> {
  const later = Object.entries(earlier).filter(
    ([key, { startedAt }]) => startedAt > (current[key]?.startedAt ?? ''),
  );
  return { ...current, ...Object.fromEntries(later) };
}
