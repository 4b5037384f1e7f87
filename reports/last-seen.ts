import type { ProbeAnswer } from '../src/questions/answers.ts';
import { isJudged, type Verdict } from '../src/verdict/verdicts.ts';
import type { Conformance } from './conformance.ts';

/** Content of `last-seen.json` of a site: the last result of each requirement and the last answer to each question, of any run. */
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

/** Adds the results and answers of a run. Keeps an earlier result if the run has none, or is older. */
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

function indexResults({ requirements, startedAt, coverage }: Conformance): Record<string, SeenResult> {
  const judgedRequirements = requirements.filter(({ verdict }) => isJudged(verdict));
  return Object.fromEntries(
    judgedRequirements.map(({ address, verdict, exercised }) => {
      const states = Object.entries(coverage.seen).filter(([state]) => state.startsWith(`${address} `));
      return [address, { startedAt, verdict, exercised, states: Object.fromEntries(states) }];
    }),
  );
}

const indexAnswers = ({ observed, startedAt }: Conformance): Record<string, SeenAnswer> =>
  Object.fromEntries(observed.filter(isAnswered).map((answer) => [answer.id, { startedAt, answer }]));

function keepLatest<Seen extends { startedAt: string }>(
  earlier: Record<string, Seen>,
  current: Record<string, Seen>,
): Record<string, Seen> {
  const later = Object.entries(earlier).filter(
    ([key, { startedAt }]) => startedAt > (current[key]?.startedAt ?? ''),
  );
  return { ...current, ...Object.fromEntries(later) };
}
