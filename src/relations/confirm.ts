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

const maxRepeatedPerRule = 5;

/** Time for replicas and search indexes of the target to show a change. */
const pauseBeforeRepetitionMs = 1000;

interface ConcludeOptions {
  isMock: boolean;
  /** Only contradictions of the rules of this operation are concluded; default: of all operations. */
  operation?: Pick<Operation, 'id'>;
  /** Hashes of identifiers that two records share, as an earlier call returned them. */
  knownAmbiguousKeys?: ReadonlySet<string>;
}

/**
 * Repeats the requests of each contradiction, to find out whether it is `broken` or `settled`. Concludes contradictions of `unique`
 * rules first. If these show that two records share an identifier, skips the other contradictions about this identifier.
 * @returns the conclusions, and hashes of identifiers that were found to belong to two records
 */
export async function concludeContradictions<Source>(
  relations: Relations<Source>,
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
  { isMock, operation, knownAmbiguousKeys = new Set() }: ConcludeOptions,
): Promise<{ concluded: ConcludedContradiction<Source>[]; newAmbiguousKeys: string[] }> {
  const contradictions = relations.contradictions
    .all()
    .filter(({ rule }) => operation === undefined || rule.operation.id === operation.id);
  const needsRepetition = contradictions.some(({ isProven }) => !isProven);
  // The mock shows each change at once.
  if (!isMock && needsRepetition) await pause(pauseBeforeRepetitionMs);
  const uniqueContradictions = contradictions.filter(isOfUniqueRule);
  const concludedUnique = await concludeEach(relations, uniqueContradictions, repeat);
  const newAmbiguousKeys = listAmbiguousKeys(concludedUnique);
  const ambiguousKeys = new Set([...knownAmbiguousKeys, ...newAmbiguousKeys]);
  const otherContradictions = contradictions.filter(
    (contradiction) => !isOfUniqueRule(contradiction) && !ambiguousKeys.has(contradiction.earlier.key),
  );
  const concludedOthers = await concludeEach(relations, otherContradictions, repeat);
  return { concluded: [...concludedUnique, ...concludedOthers], newAmbiguousKeys: [...newAmbiguousKeys] };
}

const isOfUniqueRule = ({ rule }: Contradiction<unknown>) => 'unique' in rule.check;

/** Returns the hashes of identifiers in contradictions of `unique` rules, except those with a `settled` contradiction. */
function listAmbiguousKeys(concludedUnique: ConcludedContradiction<unknown>[]): Set<string> {
  const ambiguousKeys = new Set(concludedUnique.map(({ contradiction }) => contradiction.earlier.key));
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
  const repeatedConclusions = new Map<RelationRule, Conclusion[]>();
  for (const contradiction of contradictions) {
    const { rule, isProven, later } = contradiction;
    const conclusionsOfRule = repeatedConclusions.get(rule) ?? [];
    if (isProven) {
      // Both records are in one response. Only in a recording, which cannot be repeated, several responses prove a contradiction.
      concluded.push({ contradiction, conclusion: 'broken', requests: [later.source] });
    } else if (conclusionsOfRule.length >= maxRepeatedPerRule) {
      concluded.push({ contradiction, conclusion: concludeFromSameRule(conclusionsOfRule), requests: [] });
    } else {
      const result = await concludeByRepetition(relations, contradiction, repeat);
      repeatedConclusions.set(rule, [...conclusionsOfRule, result.conclusion]);
      concluded.push(result);
    }
  }
  return concluded;
}

/** Concludes without repeated requests: `broken` if all repeated contradictions of the same rule are broken, else undecided. */
function concludeFromSameRule(conclusionsOfRule: Conclusion[]): Conclusion {
  const areAllBroken = conclusionsOfRule.every((conclusion) => conclusion === 'broken');
  return areAllBroken ? 'broken' : { undecided: undecidedReasons.notRepeated };
}

/**
 * Repeats both requests of a contradiction in one or two rounds, until a round no longer shows the contradiction. The result has
 * the records of the latest round; or the original ones, as undecided, if a response lacks its record.
 */
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
    const latestRecords = {
      earlier: getRepeated(earlier, repetitions),
      later: getRepeated(later, repetitions),
    };
    latestContradiction = { ...contradiction, ...latestRecords };
    const conclusion = concludeFromRound(contradiction, repetitions);
    if (conclusion !== 'broken') return { contradiction: latestContradiction, conclusion, requests };
  }
  return { contradiction: latestContradiction, conclusion: 'broken', requests };
}

/** Record of a contradiction (`original`), and the same record in the response to its repeated request. */
interface RepeatedRecord<Source> {
  original: ComparableRecord<Source>;
  repeated: ComparableRecord<Source>;
}

/** Repeats the requests of records one after the other. Stops and returns undefined if a response lacks its record. */
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

const getRepeated = <Source>(
  record: ComparableRecord<Source>,
  repetitions: RepeatedRecord<Source>[],
): ComparableRecord<Source> =>
  repetitions.findLast(({ original }) => original === record)?.repeated ?? record;

/**
 * Lists, for each round, the records whose requests to repeat, in order. Two equal requests in a row reveal a changed record, and
 * replicas of the target that alternate. The second round is for two replicas that respond at random: by chance, 4 responses repeat
 * the contradiction in 1 of 16 cases, 8 responses in 1 of 256.
 */
function listRounds<Source>({ rule, earlier, later }: Contradiction<Source>): ComparableRecord<Source>[][] {
  const firstRound = [earlier, earlier, later, later];
  const secondRound = [earlier, later, earlier, later];
  // The contradiction is the one change that a `constant` rule allows: a further change in the first round breaks the rule.
  return 'constant' in rule.check ? [firstRound] : [firstRound, secondRound];
}

/** Finds a record in the response to its repeated request, and keeps its `source`. Undefined if it is missing or incomparable. */
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
  { rule, earlier, later }: Contradiction<Source>,
  repetitions: RepeatedRecord<Source>[],
): Conclusion {
  const agree = (record: ComparableRecord<Source>, otherRecord: ComparableRecord<Source>) =>
    compareRecords(rule, record, otherRecord) === 'same';
  // A constant field may be edited once during a run; a second change breaks the rule.
  if ('constant' in rule.check) {
    const haveLaterValues = repetitions.every(({ repeated }) => agree(repeated, later));
    return haveLaterValues ? 'settled' : 'broken';
  }
  // The request of `earlier` must show the values of `earlier` again, and the request of `later` other values.
  const isShownAgain = repetitions.every(({ original, repeated }) => {
    const hasEarlierValues = agree(repeated, earlier);
    return original === earlier ? hasEarlierValues : !hasEarlierValues;
  });
  if (isShownAgain) return 'broken';
  const agreeNow = agree(getRepeated(earlier, repetitions), getRepeated(later, repetitions));
  return agreeNow ? 'settled' : { undecided: undecidedReasons.changes };
}
