import type { ProbeAnswer } from '../src/questions/answers.ts';
import { isJudged, type Verdict } from '../src/verdict/verdicts.ts';
import type { Conformance } from './conformance.ts';

/** Last result of each requirement and last answer to each question, of whichever run had one. `last-seen.json` of a site. */
export interface LastSeen {
  /** `contract` of the runs: results of another contract do not count. */
  contract: string;
  /** Results, keyed by the address of the requirement. */
  results: Record<string, SeenResult>;
  /** Answers, keyed by the id of the question. */
  answers: Record<string, SeenAnswer>;
}

/** Result of a requirement in the run that judged it last. */
export interface SeenResult {
  startedAt: string;
  verdict: Verdict;
  exercised: number;
  /** Counts of `coverage.seen` at this address. */
  states: Record<string, number>;
}

/** Answer to an open question in the run that got one last. */
export interface SeenAnswer {
  startedAt: string;
  answer: ProbeAnswer;
}

/** Adds the results and answers of a run. Keeps earlier ones where the run has none, or is the older one. */
export function mergeLastSeen(earlier: LastSeen | undefined, run: Conformance): LastSeen {
  const { contract } = run;
  const kept = earlier?.contract === contract ? earlier : { results: {}, answers: {} };
  return {
    contract,
    results: keepLatest(kept.results, resultsOf(run)),
    answers: keepLatest(kept.answers, answersOf(run)),
  };
}

/** Checks that a question has an answer: "unknown" is none. */
export const isAnswered = ({ confidence }: ProbeAnswer): boolean => confidence !== 'unknown';

function resultsOf({ requirements, startedAt, coverage }: Conformance): Record<string, SeenResult> {
  const judged = requirements.filter(({ verdict }) => isJudged(verdict));
  return Object.fromEntries(
    judged.map(({ address, verdict, exercised }) => {
      const states = Object.entries(coverage.seen).filter(([state]) => state.startsWith(`${address} `));
      return [address, { startedAt, verdict, exercised, states: Object.fromEntries(states) }];
    }),
  );
}

const answersOf = ({ observed, startedAt }: Conformance): Record<string, SeenAnswer> =>
  Object.fromEntries(observed.filter(isAnswered).map((answer) => [answer.id, { startedAt, answer }]));

function keepLatest<Seen extends { startedAt: string }>(
  earlier: Record<string, Seen>,
  own: Record<string, Seen>,
): Record<string, Seen> {
  const later = Object.entries(earlier).filter(
    ([key, { startedAt }]) => startedAt > (own[key]?.startedAt ?? ''),
  );
  return { ...own, ...Object.fromEntries(later) };
}
