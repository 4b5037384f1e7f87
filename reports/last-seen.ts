import type { ProbeAnswer } from '../src/questions/answers.ts';
import { isJudged, type Verdict } from '../src/verdict/verdicts.ts';
import type { Conformance } from './conformance.ts';

/** Content of `last-seen.json`, which a site keeps for a target: the last result of each requirement, and the last known answers. */
export interface LastSeen {
  /** Hash of the contract by which the runs were judged, 12 hex digits. Results by another contract are dropped. */
  contract: string;
  /** Last result of each requirement that was ever judged, keyed by address such as `getCard/http/status`. */
  results: Record<string, SeenResult>;
  /** Last known answer to each open question, keyed by the id of the question such as `offset-unit`. */
  answers: Record<string, SeenAnswer>;
}

/** Result of a requirement in the last run that judged it. */
export interface SeenResult {
  startedAt: string;
  verdict: Verdict;
  /** Number of places in all responses at which the requirement was checked, such as 60 for a field of 60 listed customers. */
  exercised: number;
  /** Counts of the documented values and of present or absent fields, such as `{ 'getCard/data/card/physical_status = Active': 3 }`. */
  states: Record<string, number>;
}

/** Answer to an open question, from the last run that could answer the question. */
export interface SeenAnswer {
  startedAt: string;
  answer: ProbeAnswer;
}

/**
 * Merges the results and answers of a run into those of earlier runs: of each address or question, the result of the run that began
 * last. Drops all earlier results if they are by another contract.
 */
export function mergeLastSeen(earlier: LastSeen | undefined, run: Conformance): LastSeen {
  const { contract } = run;
  const previous = earlier?.contract === contract ? earlier : { results: {}, answers: {} };
  return {
    contract,
    results: keepLatest(previous.results, indexResults(run)),
    answers: keepLatest(previous.answers, indexAnswers(run)),
  };
}

/** Returns whether a run could answer an open question: the confidence of the answer is `certain` or `likely`, not `unknown`. */
export const isAnswered = ({ confidence }: ProbeAnswer): boolean => confidence !== 'unknown';

/** Indexes the results of a run by address. Leaves out requirements that it could not judge, such as blocked ones. */
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

/** Merges results (or answers) by key. If both have a key, keeps the result of the run that began later. */
function keepLatest<Seen extends { startedAt: string }>(
  earlier: Record<string, Seen>,
  current: Record<string, Seen>,
): Record<string, Seen> {
  const later = Object.entries(earlier).filter(
    ([key, { startedAt }]) => startedAt > (current[key]?.startedAt ?? ''),
  );
  return { ...current, ...Object.fromEntries(later) };
}
