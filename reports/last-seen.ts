import type { ProbeAnswer } from '../src/questions/answers.ts';
import { isJudged, type Verdict } from '../src/verdict/verdicts.ts';
import type { Conformance } from './conformance.ts';

/** Content of `last-seen.json`, in which `npm run site` stores the newest results and answers of a target. */
export interface LastSeen {
  /** Hash of the contract (12 hex digits). */
  contract: string;
  /** Last judged results, keyed by address such as `getCard/http/status`. */
  results: Record<string, SeenResult>;
  /** Last answers to open questions, keyed by id such as `offset-unit`. */
  answers: Record<string, SeenAnswer>;
}

export interface SeenResult {
  startedAt: string;
  verdict: Verdict;
  exercised: number;
  /**
   * Number of times that each documented value occurred, such as `{ 'getCard/data/card/physical_status = Active': 2 }`.
   * Keys such as `getCustomer/data/customer/email absent` count the presence and absence of an optional field.
   */
  states: Record<string, number>;
}

export interface SeenAnswer {
  startedAt: string;
  answer: ProbeAnswer;
}

/**
 * Merges the results and answers of `run` into the results and answers of earlier runs.
 * Keeps the newest result of each requirement, and the newest answer to each question.
 * @param earlier results and answers of earlier runs. If `run` has a different contract hash than `earlier`, `earlier` is ignored.
 */
export function mergeLastSeen(earlier: LastSeen | undefined, run: Conformance): LastSeen {
  const { contract } = run;
  // Another contract may mean something else by the same address.
  const isSameContract = earlier?.contract === contract;
  const previous = isSameContract ? earlier : { results: {}, answers: {} };
  return {
    contract,
    results: keepLatest(previous.results, indexJudgedResults(run)),
    answers: keepLatest(previous.answers, indexKnownAnswers(run)),
  };
}

export const isAnswered = ({ confidence }: ProbeAnswer): boolean => confidence !== 'unknown';

function indexJudgedResults(run: Conformance): Record<string, SeenResult> {
  const results: Record<string, SeenResult> = {};
  for (const { address, verdict, exercised } of run.requirements)
    if (isJudged(verdict)) {
      const states = selectStates(run.coverage.seen, address);
      results[address] = { startedAt: run.startedAt, verdict, exercised, states };
    }
  return results;
}

function selectStates(seen: Record<string, number>, address: string): Record<string, number> {
  // A key is an address, a space, and a value or state: `getCustomer/data/customer/email absent`.
  const countsOfField = Object.entries(seen).filter(([key]) => key.startsWith(`${address} `));
  return Object.fromEntries(countsOfField);
}

const indexKnownAnswers = ({ observed, startedAt }: Conformance): Record<string, SeenAnswer> =>
  Object.fromEntries(observed.filter(isAnswered).map((answer) => [answer.id, { startedAt, answer }]));

function keepLatest<Seen extends { startedAt: string }>(
  stored: Record<string, Seen>,
  added: Record<string, Seen>,
): Record<string, Seen> {
  const merged = { ...added };
  for (const [key, storedResult] of Object.entries(stored)) {
    const addedResult = added[key];
    // Runs may be added to the site in any order, so a stored result may be newer than the result of the added run.
    const isStoredLatest = !addedResult || storedResult.startedAt > addedResult.startedAt;
    if (isStoredLatest) merged[key] = storedResult;
  }
  return merged;
}
