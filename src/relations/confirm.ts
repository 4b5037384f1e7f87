import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../schemas/contract/contract.ts';
import { type Contradiction, compareRecords } from './contradictions.ts';
import type { Relations } from './relations.ts';
import type { RelationRule } from './rules.ts';
import type { ComparableRecord, ComparableResponse } from './shown.ts';

/**
 * `broken`: the contradiction is confirmed. `settled`: both responses agree after repetition, because the record changed in
 * between. `undecided`: the reason why neither is known.
 */
export type Conclusion = 'broken' | 'settled' | { undecided: string };

/** Contradiction with its conclusion. `requests` lists all requests that were compared, in the order of sending. */
export interface ConcludedContradiction<Source> {
  contradiction: Contradiction<Source>;
  conclusion: Conclusion;
  requests: Source[];
}

export const undecidedReasons = {
  notShown: 'the record was not shown again',
  changes: 'each response shows something else',
  notAsked: 'there were more contradictions than the suite requests again',
  notRecorded: 'the recording does not show both sides again',
};

/** For each rule: maximum number of contradictions whose requests are repeated. */
export const maxConfirmed = 5;

/** Pause before requests are repeated, so that replicas and search indexes show a change of the record. */
const settlesInMs = 1000;

interface ConfirmOptions {
  isMock: boolean;
  /** Operation whose rules are confirmed; default: all operations. */
  operation?: Pick<Operation, 'id'>;
  /** Hashed identifiers that stand for two records, as earlier calls returned them. */
  ambiguousKeys?: ReadonlySet<string>;
}

/**
 * Reaches a conclusion about each contradiction, by repeating the requests of at most `maxConfirmed` for each rule. `unique` rules
 * come first: if an identifier seems to stand for two records, other contradictions about this identifier are left out.
 * @returns conclusions, and the hashed identifiers that stand for two records
 */
export async function concludeContradictions<Source>(
  relations: Relations<Source>,
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
  { isMock, operation, ambiguousKeys = new Set() }: ConfirmOptions,
): Promise<{ concluded: ConcludedContradiction<Source>[]; ambiguousKeys: string[] }> {
  const contradictions = relations.contradictions
    .all()
    .filter(({ rule }) => operation === undefined || rule.operation.id === operation.id);
  const needsRepetition = contradictions.some(({ isProven }) => !isProven);
  // The mock shows each change at once.
  if (!isMock && needsRepetition) await pause(settlesInMs);
  const ambiguous = new Set(contradictions.filter(isAboutUniqueness).map(({ first }) => first.key));
  const conclusions = new Map<RelationRule, Conclusion[]>();
  const concluded: ConcludedContradiction<Source>[] = [];
  for (const contradiction of contradictions.toSorted(sortUniquenessFirst)) {
    const { rule, first, isProven } = contradiction;
    const isAmbiguous = ambiguous.has(first.key) || ambiguousKeys.has(first.key);
    if (isAmbiguous && !isAboutUniqueness(contradiction)) continue;
    const earlier = conclusions.get(rule) ?? [];
    const isRepeated = !isProven && earlier.length < maxConfirmed;
    const result = isRepeated
      ? await confirm(relations, contradiction, repeat)
      : concludeWithoutRequests(contradiction, earlier);
    if (isRepeated) conclusions.set(rule, [...earlier, result.conclusion]);
    // A settled contradiction of a uniqueness rule: the key stands for one record after all.
    if (result.conclusion === 'settled') ambiguous.delete(first.key);
    concluded.push(result);
  }
  return { concluded, ambiguousKeys: [...ambiguous] };
}

const sortUniquenessFirst = (first: Contradiction<unknown>, second: Contradiction<unknown>): number =>
  Number(isAboutUniqueness(second)) - Number(isAboutUniqueness(first));

const isAboutUniqueness = ({ rule }: Contradiction<unknown>) => 'unique' in rule.check;

/**
 * Reaches a conclusion without repeating requests: `broken` if the contradiction is proven already, or if every earlier
 * contradiction of the rule was confirmed.
 * @param earlier conclusions about contradictions of the rule whose requests were repeated
 */
function concludeWithoutRequests<Source>(
  contradiction: Contradiction<Source>,
  earlier: Conclusion[],
): ConcludedContradiction<Source> {
  const { isProven, second } = contradiction;
  if (isProven) return { contradiction, conclusion: 'broken', requests: [second.source] };
  return earlier.every((conclusion) => conclusion === 'broken')
    ? { contradiction, conclusion: 'broken', requests: [] }
    : leaveUndecided(contradiction, undecidedReasons.notAsked);
}

const leaveUndecided = <Source>(
  contradiction: Contradiction<Source>,
  reason: string,
  requests: Source[] = [],
): ConcludedContradiction<Source> => ({ contradiction, conclusion: { undecided: reason }, requests });

/**
 * Repeats both requests, in the order of `listRounds`, until a round does not confirm the contradiction or no longer shows the
 * record. Returns the records of the last round.
 */
async function confirm<Source>(
  relations: Relations<Source>,
  contradiction: Contradiction<Source>,
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
): Promise<ConcludedContradiction<Source>> {
  const { first, second } = contradiction;
  const requests = [first.source, second.source];
  let concluded: ConcludedContradiction<Source> = { contradiction, conclusion: 'broken', requests };
  for (const round of listRounds(contradiction)) {
    const repetitions: Repetition<Source>[] = [];
    for (const original of round) {
      const response = await repeat(original.source);
      requests.push(response.source);
      const latest = findRepeated(relations, contradiction, response, original);
      if (!latest) return leaveUndecided(contradiction, undecidedReasons.notShown, requests);
      repetitions.push({ original, latest });
    }
    const records = { first: findLatest(first, repetitions), second: findLatest(second, repetitions) };
    concluded = {
      contradiction: { ...contradiction, ...records },
      conclusion: concludeFromRepetition(contradiction, repetitions),
      requests,
    };
    if (concluded.conclusion !== 'broken') break;
  }
  return concluded;
}

/** Record of a contradiction (`original`), as the response to its repeated request shows it (`latest`). */
interface Repetition<Source> {
  original: ComparableRecord<Source>;
  latest: ComparableRecord<Source>;
}

const findLatest = <Source>(
  record: ComparableRecord<Source>,
  repetitions: Repetition<Source>[],
): ComparableRecord<Source> => repetitions.findLast(({ original }) => original === record)?.latest ?? record;

/**
 * Lists the records whose requests are repeated, for each round: A A B B, then A B A B. Round 1 detects a changed record, which
 * both responses show afterwards, and replicas that take turns. Round 2 detects replicas that are chosen at random: of two, 4
 * responses look like a lasting contradiction in 1 of 16 cases, 8 responses in 1 of 256. A constant field needs no second round,
 * because it may change only once.
 */
function listRounds<Source>({ rule, first, second }: Contradiction<Source>): ComparableRecord<Source>[][] {
  const round = [first, first, second, second];
  return 'constant' in rule.check ? [round] : [round, [first, second, first, second]];
}

/**
 * Finds a record again in the response to its repeated request. Undefined if the record is missing, or if none of the rule's fields can
 * be compared. `source` stays the original request.
 */
function findRepeated<Source>(
  relations: Relations<Source>,
  { rule }: Contradiction<Source>,
  response: ComparableResponse<Source>,
  original: ComparableRecord<Source>,
): ComparableRecord<Source> | undefined {
  const candidates = relations.findRecords(response, original.view, original.key);
  // Several records of a page may have this key: prefer the one that still has the values of the contradiction.
  const unchanged = candidates.find((candidate) => compareRecords(rule, candidate, original) === 'same');
  const record = unchanged ?? candidates[0];
  const isComparable = record !== undefined && compareRecords(rule, record, original) !== undefined;
  return isComparable ? { ...record, source: original.source } : undefined;
}

function concludeFromRepetition<Source>(
  { rule, first, second }: Contradiction<Source>,
  repetitions: Repetition<Source>[],
): Conclusion {
  const agree = (record: ComparableRecord<Source>, otherRecord: ComparableRecord<Source>) =>
    compareRecords(rule, record, otherRecord) === 'same';
  // A constant field may be edited once during a run; a second change breaks the rule.
  if ('constant' in rule.check)
    return repetitions.every(({ latest }) => agree(latest, second)) ? 'settled' : 'broken';
  const repeatsContradiction = ({ original, latest }: Repetition<Source>) => {
    const hasFirstValues = agree(latest, first);
    return original === first ? hasFirstValues : !hasFirstValues;
  };
  if (repetitions.every(repeatsContradiction)) return 'broken';
  return agree(findLatest(first, repetitions), findLatest(second, repetitions))
    ? 'settled'
    : { undecided: undecidedReasons.changes };
}
