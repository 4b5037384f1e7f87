import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../schemas/contract/contract.ts';
import type { ComparableRecord, ComparableResponse } from './comparable.ts';
import { type Contradiction, compareRecords } from './contradictions.ts';
import type { Relations } from './relations.ts';
import type { RelationRule } from './rules.ts';

/**
 * Conclusion about a contradiction after its requests were repeated. `broken`: the responses contradict each other again. `settled`:
 * they agree now. `undecided`: reason why neither is certain.
 */
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

/** Number of contradictions of one rule whose requests are repeated. */
const maxRepeatedPerRule = 5;

/** Time in which a record that was just edited reaches all replicas and search indexes of the target. */
const pauseBeforeRepetitionMs = 1000;

interface ConcludeOptions {
  isMock: boolean;
  /** Operation whose contradictions are examined. Default: all operations. */
  operation?: Pick<Operation, 'id'>;
  /** Hashes of identifiers that two records share: `newAmbiguousKeys` of earlier calls. */
  knownAmbiguousKeys?: ReadonlySet<string>;
}

/**
 * Repeats the requests of each contradiction, to find out whether the target still contradicts itself (`broken`) or a record was only
 * edited between the requests (`settled`).
 * @returns `newAmbiguousKeys`: hashes of identifiers that two records share
 */
export async function concludeContradictions<Source>(
  relations: Relations<Source>,
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
  { isMock, operation, knownAmbiguousKeys = new Set() }: ConcludeOptions,
): Promise<{ concluded: ConcludedContradiction<Source>[]; newAmbiguousKeys: string[] }> {
  const allContradictions = relations.contradictions.all();
  const contradictions = allContradictions.filter(
    ({ rule }) => operation === undefined || rule.operation.id === operation.id,
  );
  const needsRepetition = contradictions.some(({ isProven }) => !isProven);
  // The mock shows each change at once.
  if (!isMock && needsRepetition) await pause(pauseBeforeRepetitionMs);
  const uniqueContradictions = contradictions.filter(isOfUniqueRule);
  const concludedUnique = await concludeEach(relations, uniqueContradictions, repeat);
  const newAmbiguousKeys = listAmbiguousKeys(concludedUnique);
  // If two records share an identifier, a list and a lookup may show different ones: a second finding would say nothing new.
  const ambiguousKeys = new Set([...knownAmbiguousKeys, ...newAmbiguousKeys]);
  const otherContradictions = contradictions.filter(
    (contradiction) => !isOfUniqueRule(contradiction) && !ambiguousKeys.has(contradiction.earlier.key),
  );
  const concludedOthers = await concludeEach(relations, otherContradictions, repeat);
  return { concluded: [...concludedUnique, ...concludedOthers], newAmbiguousKeys: [...newAmbiguousKeys] };
}

const isOfUniqueRule = ({ rule }: Contradiction<unknown>) => 'unique' in rule.check;

/** Returns the hashes of identifiers that two records share, according to the contradictions of `unique` rules. */
function listAmbiguousKeys(concludedUnique: ConcludedContradiction<unknown>[]): Set<string> {
  const ambiguousKeys = new Set(concludedUnique.map(({ contradiction }) => contradiction.earlier.key));
  // One identifier may have contradictions of several rules. If one of them is settled, the record was only edited.
  for (const { contradiction, conclusion } of concludedUnique)
    if (conclusion === 'settled') ambiguousKeys.delete(contradiction.earlier.key);
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
    const { rule, isProven, later } = contradiction;
    if (isProven) {
      // One response shows both records, so one request is enough as evidence.
      concluded.push({ contradiction, conclusion: 'broken', requests: [later.source] });
      continue;
    }
    const earlierConclusions = conclusionsByRule.get(rule) ?? [];
    if (earlierConclusions.length >= maxRepeatedPerRule) {
      const conclusion = concludeWithoutRequests(earlierConclusions);
      concluded.push({ contradiction, conclusion, requests: [] });
      continue;
    }
    const result = await concludeByRepetition(relations, contradiction, repeat);
    conclusionsByRule.set(rule, [...earlierConclusions, result.conclusion]);
    concluded.push(result);
  }
  return concluded;
}

/** Concludes from other contradictions of the same rule, whose requests were repeated: `broken` if all of them are. */
function concludeWithoutRequests(repeatedConclusions: Conclusion[]): Conclusion {
  const areAllBroken = repeatedConclusions.every((conclusion) => conclusion === 'broken');
  return areAllBroken ? 'broken' : { undecided: undecidedReasons.notRepeated };
}

/** Repeats both requests of a contradiction several times, in one or two rounds (`listRounds`). Stops if a round does not show it again. */
async function concludeByRepetition<Source>(
  relations: Relations<Source>,
  contradiction: Contradiction<Source>,
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
): Promise<ConcludedContradiction<Source>> {
  const { earlier, later } = contradiction;
  const requests = [earlier.source, later.source];
  const repeatRecord = async (original: ComparableRecord<Source>) => {
    const response = await repeat(original.source);
    requests.push(response.source);
    return findRepeated(relations, contradiction, response, original);
  };
  let latestContradiction = contradiction;
  for (const originals of listRounds(contradiction)) {
    const repetitions = await repeatRound(originals, repeatRecord);
    if (!repetitions)
      return { contradiction, conclusion: { undecided: undecidedReasons.notShown }, requests };
    // Reports show the records as the latest responses show them.
    latestContradiction = {
      ...contradiction,
      earlier: getRepeated(earlier, repetitions),
      later: getRepeated(later, repetitions),
    };
    const conclusion = concludeFromRound(contradiction, repetitions);
    if (conclusion !== 'broken') return { contradiction: latestContradiction, conclusion, requests };
  }
  return { contradiction: latestContradiction, conclusion: 'broken', requests };
}

/** Record as the first response showed it (`original`), and as the response to the repeated request shows it (`repeated`). */
interface RepeatedRecord<Source> {
  original: ComparableRecord<Source>;
  repeated: ComparableRecord<Source>;
}

/** Requests records again, one after the other. Undefined if a response does not show its record. */
async function repeatRound<Source>(
  originals: ComparableRecord<Source>[],
  repeatRecord: (original: ComparableRecord<Source>) => Promise<ComparableRecord<Source> | undefined>,
): Promise<RepeatedRecord<Source>[] | undefined> {
  const repetitions: RepeatedRecord<Source>[] = [];
  for (const original of originals) {
    const repeated = await repeatRecord(original);
    if (!repeated) return undefined;
    repetitions.push({ original, repeated });
  }
  return repetitions;
}

/** Returns a record as the latest repeated response shows it. */
const getRepeated = <Source>(
  record: ComparableRecord<Source>,
  repetitions: RepeatedRecord<Source>[],
): ComparableRecord<Source> =>
  repetitions.findLast(({ original }) => original === record)?.repeated ?? record;

/** Lists the records to request again, in order, for each of one or two rounds. */
function listRounds<Source>({ rule, earlier, later }: Contradiction<Source>): ComparableRecord<Source>[][] {
  // If two replicas respond by turns, two equal requests in a row get different responses.
  const firstRound = [earlier, earlier, later, later];
  // If two replicas respond at random, 4 responses show the contradiction again in 1 of 16 cases, 8 responses in 1 of 256.
  const secondRound = [earlier, later, earlier, later];
  // A `constant` field was edited once, which is allowed. If it changes once more in the first round, the rule is broken.
  return 'constant' in rule.check ? [firstRound] : [firstRound, secondRound];
}

/** Finds a record in the response to its repeated request. Undefined if the response lacks the record, or its compared fields. */
function findRepeated<Source>(
  relations: Relations<Source>,
  { rule }: Contradiction<Source>,
  response: ComparableResponse<Source>,
  original: ComparableRecord<Source>,
): ComparableRecord<Source> | undefined {
  const candidates = relations.findRecords(response, original.view, original.key);
  // If a page lists several records with this key, one of them may still have the original values.
  const unchanged = candidates.find((candidate) => compareRecords(rule, candidate, original) === 'same');
  const record = unchanged ?? candidates[0];
  if (!record) return undefined;
  const isComparable = compareRecords(rule, record, original) !== undefined;
  return isComparable ? { ...record, source: original.source } : undefined;
}

/** Concludes from the responses of one round whether they show a contradiction again (`broken`). */
function concludeFromRound<Source>(
  { rule, earlier, later }: Contradiction<Source>,
  repetitions: RepeatedRecord<Source>[],
): Conclusion {
  const haveEqualValues = (record: ComparableRecord<Source>, otherRecord: ComparableRecord<Source>) =>
    compareRecords(rule, record, otherRecord) === 'same';
  if ('constant' in rule.check) {
    // The field may have been edited once during the run. A second change breaks the rule.
    const keepsLaterValues = repetitions.every(({ repeated }) => haveEqualValues(repeated, later));
    return keepsLaterValues ? 'settled' : 'broken';
  }
  const showsContradictionAgain = repetitions.every(({ original, repeated }) => {
    const hasEarlierValues = haveEqualValues(repeated, earlier);
    const mustHaveEarlierValues = original === earlier;
    return hasEarlierValues === mustHaveEarlierValues;
  });
  if (showsContradictionAgain) return 'broken';
  const agreeNow = haveEqualValues(getRepeated(earlier, repetitions), getRepeated(later, repetitions));
  return agreeNow ? 'settled' : { undecided: undecidedReasons.changes };
}
