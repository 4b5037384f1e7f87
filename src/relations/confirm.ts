import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../schemas/contract/contract.ts';
import type { ComparableRecord, ComparableResponse } from './comparable.ts';
import { type Contradiction, compareRecords } from './contradictions.ts';
import type { Relations } from './relations.ts';
import type { RelationRule } from './rules.ts';

/** `broken`: the repeated responses show the contradiction again. `settled`: they agree. `undecided`: reason why neither is certain. */
export type Conclusion = 'broken' | 'settled' | { undecided: string };

export interface ConcludedContradiction<Source> {
  contradiction: Contradiction<Source>;
  conclusion: Conclusion;
  /** All requests whose responses were compared, in the order of sending. */
  requests: Source[];
}

export const undecidedReasons = {
  notShown: 'the record was not shown again',
  changes: 'each response shows something else',
  notRepeated: 'there were more contradictions than the suite requests again',
  notRecordedAgain: 'the recording does not show both sides again',
};

/** For each rule, the suite repeats the requests of at most 5 contradictions. */
const maxRepeatedPerRule = 5;

/** Time for replicas and search indexes of the target to show a change. */
const pauseBeforeRepetitionMs = 1000;

interface ConcludeOptions {
  isMock: boolean;
  /** Only contradictions of the rules of this operation are concluded; default: of all operations. */
  operation?: Pick<Operation, 'id'>;
  ambiguousKeys?: ReadonlySet<string>;
}

/**
 * Repeats the requests of each contradiction, to find out whether it is `broken` or `settled`. Concludes contradictions of `unique`
 * rules first. If these show that two records share an identifier, skips the other contradictions about this identifier.
 * @param repeat sends a request again
 * @returns the conclusions, and the hashes of identifiers that two records share
 */
export async function concludeContradictions<Source>(
  relations: Relations<Source>,
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
  { isMock, operation, ambiguousKeys = new Set() }: ConcludeOptions,
): Promise<{ concluded: ConcludedContradiction<Source>[]; ambiguousKeys: string[] }> {
  const contradictions = relations.contradictions
    .all()
    .filter(({ rule }) => operation === undefined || rule.operation.id === operation.id);
  const needsRepetition = contradictions.some(({ isProven }) => !isProven);
  // The mock shows each change at once.
  if (!isMock && needsRepetition) await pause(pauseBeforeRepetitionMs);
  const uniquenessContradictions = contradictions.filter(isAboutUniqueness);
  const concludedUniqueness = await concludeEach(relations, uniquenessContradictions, repeat);
  const newAmbiguousKeys = listAmbiguousKeys(concludedUniqueness);
  const isAmbiguous = (key: string) => ambiguousKeys.has(key) || newAmbiguousKeys.has(key);
  const otherContradictions = contradictions.filter(
    (contradiction) => !isAboutUniqueness(contradiction) && !isAmbiguous(contradiction.first.key),
  );
  const concludedOthers = await concludeEach(relations, otherContradictions, repeat);
  return { concluded: [...concludedUniqueness, ...concludedOthers], ambiguousKeys: [...newAmbiguousKeys] };
}

const isAboutUniqueness = ({ rule }: Contradiction<unknown>) => 'unique' in rule.check;

/** Returns the hashes of identifiers in contradictions of `unique` rules, except those with a `settled` contradiction. */
function listAmbiguousKeys(concludedUniqueness: ConcludedContradiction<unknown>[]): Set<string> {
  const ambiguousKeys = new Set(concludedUniqueness.map(({ contradiction }) => contradiction.first.key));
  for (const { contradiction, conclusion } of concludedUniqueness)
    if (conclusion === 'settled') ambiguousKeys.delete(contradiction.first.key);
  return ambiguousKeys;
}

async function concludeEach<Source>(
  relations: Relations<Source>,
  contradictions: Contradiction<Source>[],
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
): Promise<ConcludedContradiction<Source>[]> {
  const concluded: ConcludedContradiction<Source>[] = [];
  const conclusionsByRule = new Map<RelationRule, Conclusion[]>();
  for (const contradiction of contradictions) {
    const { rule, isProven, second } = contradiction;
    if (isProven) {
      // Both records are in one response.
      concluded.push({ contradiction, conclusion: 'broken', requests: [second.source] });
      continue;
    }
    const ruleConclusions = conclusionsByRule.get(rule) ?? [];
    if (ruleConclusions.length >= maxRepeatedPerRule) {
      concluded.push({ contradiction, conclusion: concludeLikeRepeated(ruleConclusions), requests: [] });
      continue;
    }
    const result = await concludeByRepetition(relations, contradiction, repeat);
    conclusionsByRule.set(rule, [...ruleConclusions, result.conclusion]);
    concluded.push(result);
  }
  return concluded;
}

/** Concludes a contradiction that is not repeated from the repeated ones of its rule: `broken` only if all of them are. */
function concludeLikeRepeated(ruleConclusions: Conclusion[]): Conclusion {
  const areAllBroken = ruleConclusions.every((conclusion) => conclusion === 'broken');
  return areAllBroken ? 'broken' : { undecided: undecidedReasons.notRepeated };
}

/**
 * Repeats both requests of a contradiction in one or two rounds, until a round does not show it again or a response lacks the record.
 * The result contains the latest records, or the original ones if a response lacks the record.
 */
async function concludeByRepetition<Source>(
  relations: Relations<Source>,
  contradiction: Contradiction<Source>,
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
): Promise<ConcludedContradiction<Source>> {
  const { first, second } = contradiction;
  const requests = [first.source, second.source];
  let latestContradiction = contradiction;
  for (const round of listRounds(contradiction)) {
    const repetitions: RepeatedRecord<Source>[] = [];
    for (const original of round) {
      const response = await repeat(original.source);
      requests.push(response.source);
      const latest = findRepeated(relations, contradiction, response, original);
      if (!latest) return { contradiction, conclusion: { undecided: undecidedReasons.notShown }, requests };
      repetitions.push({ original, latest });
    }
    const latestRecords = { first: findLatest(first, repetitions), second: findLatest(second, repetitions) };
    latestContradiction = { ...contradiction, ...latestRecords };
    const conclusion = concludeFromRound(contradiction, repetitions);
    if (conclusion !== 'broken') return { contradiction: latestContradiction, conclusion, requests };
  }
  return { contradiction: latestContradiction, conclusion: 'broken', requests };
}

/** Record of a contradiction (`original`), and the same record in the response to its repeated request. */
interface RepeatedRecord<Source> {
  original: ComparableRecord<Source>;
  latest: ComparableRecord<Source>;
}

const findLatest = <Source>(
  record: ComparableRecord<Source>,
  repetitions: RepeatedRecord<Source>[],
): ComparableRecord<Source> => repetitions.findLast(({ original }) => original === record)?.latest ?? record;

/**
 * Lists the records whose requests each round repeats. The first round detects a record that has changed, and replicas of the
 * target that take turns. The second round detects two replicas that are chosen at random: they look like a lasting contradiction
 * after 4 responses in 1 of 16 cases, after 8 responses in 1 of 256.
 */
function listRounds<Source>({ rule, first, second }: Contradiction<Source>): ComparableRecord<Source>[][] {
  const firstRound = [first, first, second, second];
  const secondRound = [first, second, first, second];
  // A `constant` rule allows only one change, so that the first round is enough.
  return 'constant' in rule.check ? [firstRound] : [firstRound, secondRound];
}

/**
 * Finds a record in the response to its repeated request; undefined if it is missing or cannot be compared. The result keeps the
 * original request as `source`.
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

function concludeFromRound<Source>(
  { rule, first, second }: Contradiction<Source>,
  repetitions: RepeatedRecord<Source>[],
): Conclusion {
  const agree = (record: ComparableRecord<Source>, otherRecord: ComparableRecord<Source>) =>
    compareRecords(rule, record, otherRecord) === 'same';
  // A constant field may be edited once during a run; a second change breaks the rule.
  if ('constant' in rule.check) {
    const haveSecondValues = repetitions.every(({ latest }) => agree(latest, second));
    return haveSecondValues ? 'settled' : 'broken';
  }
  const showsContradictionAgain = ({ original, latest }: RepeatedRecord<Source>) => {
    const hasFirstValues = agree(latest, first);
    return original === first ? hasFirstValues : !hasFirstValues;
  };
  if (repetitions.every(showsContradictionAgain)) return 'broken';
  const agreeNow = agree(findLatest(first, repetitions), findLatest(second, repetitions));
  return agreeNow ? 'settled' : { undecided: undecidedReasons.changes };
}
