import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../schemas/contract/contract.ts';
import { type ComparableRecord, type ComparableResponse, listRecords } from './comparable.ts';
import { type Contradiction, compareRecords } from './contradictions.ts';
import type { Relations } from './relations.ts';
import type { RelationRule } from './rules.ts';

/**
 * Conclusion about a contradiction. `broken` means that the target breaks the rule. `settled` means that the latest responses no
 * longer contradict each other. `undecided` holds the reason for doubt, such as `the record was not shown again`.
 */
export type Conclusion = 'broken' | 'settled' | { undecided: string };

export interface ConcludedContradiction<Source> {
  contradiction: Contradiction<Source>;
  conclusion: Conclusion;
  /**
   * Requests that led to the conclusion. Repeated requests come last. The array is empty if the conclusion follows from other
   * contradictions of the same rule. In a merge of shards, the array is always empty.
   */
  requests: Source[];
}

export const undecidedReasons = {
  notShown: 'the record was not shown again',
  changes: 'each response shows something else',
  cached: 'a shared cache repeated a response',
  notRepeated: 'there were more contradictions than the suite requests again',
  notRecordedAgain: 'the recording does not show both sides again',
};

/** Maximum number of contradictions of one rule for which requests are repeated. */
const maxRepeatedPerRule = 5;

/** Pause in which an edit can reach all replicas of the target. */
const pauseBeforeRepetitionMs = 1000;

interface ConcludeOptions {
  /** If true, requests are repeated without a pause. */
  isMock: boolean;
  /** Operation whose rules are checked. By default, the rules of all operations are checked. */
  operation?: Pick<Operation, 'id'>;
  /** Hashes of identifiers that two records share. Earlier calls have returned these hashes as `newAmbiguousKeys`. */
  knownAmbiguousKeys?: ReadonlySet<string>;
}

/**
 * Decides for each contradiction whether its rule is broken. A contradiction with `isProven` breaks its rule. For each rule,
 * repeats the requests of at most 5 unproven contradictions. If all 5 are `broken`, the remaining contradictions of the rule count
 * as `broken`, too. Otherwise, the remaining contradictions are undecided.
 * @returns `concluded` holds the contradictions with their conclusions. `newAmbiguousKeys` holds the hashes of identifiers that
 *   two records share. A contradiction about a shared identifier is concluded only if its rule is `unique`.
 */
export async function concludeContradictions<Source>(
  relations: Relations<Source>,
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
  { isMock, operation, knownAmbiguousKeys = new Set() }: ConcludeOptions,
): Promise<{ concluded: ConcludedContradiction<Source>[]; newAmbiguousKeys: string[] }> {
  const allContradictions = relations.contradictions.all();
  const contradictions = operation
    ? allContradictions.filter(({ rule }) => rule.operation.id === operation.id)
    : allContradictions;
  const needsRepetition = contradictions.some(({ isProven }) => !isProven);
  // The mock needs no pause, because it shows each edit at once.
  if (!isMock && needsRepetition) await pause(pauseBeforeRepetitionMs);
  const uniqueContradictions = contradictions.filter(isOfUniqueRule);
  const concludedUnique = await concludeEach(relations, uniqueContradictions, repeat);
  const newAmbiguousKeys = listAmbiguousKeys(concludedUnique);
  const ambiguousKeys = new Set([...knownAmbiguousKeys, ...newAmbiguousKeys]);
  const otherContradictions = contradictions.filter((contradiction) => !isOfUniqueRule(contradiction));
  // If two records share an identifier, a list may show one of them, and a lookup the other one. The shared identifier is reported
  // already, so this difference is left out.
  const independentContradictions = otherContradictions.filter(
    ({ earlier }) => !ambiguousKeys.has(earlier.key),
  );
  const concludedOthers = await concludeEach(relations, independentContradictions, repeat);
  return { concluded: [...concludedUnique, ...concludedOthers], newAmbiguousKeys: [...newAmbiguousKeys] };
}

const isOfUniqueRule = ({ rule }: Contradiction<unknown>) => 'unique' in rule.check;

function listAmbiguousKeys(concludedUnique: ConcludedContradiction<unknown>[]): Set<string> {
  const ambiguousKeys = new Set(concludedUnique.map(({ contradiction }) => contradiction.earlier.key));
  // One identifier may break several rules. If one contradiction is settled, the identifier is of a single record, which was edited.
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
    const earlierConclusions = conclusionsByRule.get(rule) ?? [];
    if (isProven) {
      // One response shows both records, so one request is enough as evidence.
      concluded.push({ contradiction, conclusion: 'broken', requests: [later.source] });
    } else if (earlierConclusions.length < maxRepeatedPerRule) {
      const result = await concludeByRepetition(relations, contradiction, repeat);
      conclusionsByRule.set(rule, [...earlierConclusions, result.conclusion]);
      concluded.push(result);
    } else {
      const conclusion = concludeFromOthers(earlierConclusions);
      concluded.push({ contradiction, conclusion, requests: [] });
    }
  }
  return concluded;
}

function concludeFromOthers(conclusionsOfRule: Conclusion[]): Conclusion {
  const areAllBroken = conclusionsOfRule.every((conclusion) => conclusion === 'broken');
  return areAllBroken ? 'broken' : { undecided: undecidedReasons.notRepeated };
}

async function concludeByRepetition<Source>(
  relations: Relations<Source>,
  contradiction: Contradiction<Source>,
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
): Promise<ConcludedContradiction<Source>> {
  const { earlier, later } = contradiction;
  const requests = [earlier.source, later.source];
  let hasCachedResponse = false;
  const repeatRecord = async (original: ComparableRecord<Source>) => {
    const response = await repeat(original.source);
    requests.push(response.source);
    if (response.isFromCache) hasCachedResponse = true;
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
      earlier: getLatest(earlier, repetitions),
      later: getLatest(later, repetitions),
    };
    const roundConclusion = concludeFromRound(contradiction, repetitions);
    // If the rule is broken in this round, the next round checks it again.
    if (roundConclusion !== 'broken')
      return { contradiction: latestContradiction, conclusion: roundConclusion, requests };
  }
  // The cache may have stored the record before an edit, and shows that state until the stored response expires.
  const conclusion = hasCachedResponse ? { undecided: undecidedReasons.cached } : 'broken';
  return { contradiction: latestContradiction, conclusion, requests };
}

interface RepeatedRecord<Source> {
  original: ComparableRecord<Source>;
  repeated: ComparableRecord<Source>;
}

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

function getLatest<Source>(
  record: ComparableRecord<Source>,
  repetitions: RepeatedRecord<Source>[],
): ComparableRecord<Source> {
  const latestRepetition = repetitions.findLast(({ original }) => original === record);
  return latestRepetition?.repeated ?? record;
}

function listRounds<Source>({ rule, earlier, later }: Contradiction<Source>): ComparableRecord<Source>[][] {
  // If two replicas with different values respond by turns, they answer two equal requests in a row differently. This round detects that,
  // and then does not conclude `broken` (`concludeFromRound`).
  const pairedRound = [earlier, earlier, later, later];
  // If the replicas respond at random, one round shows the contradiction by chance in 1 of 16 cases, and both rounds in 1 of 256.
  const alternatingRound = [earlier, later, earlier, later];
  // A `constant` field has changed once, perhaps by an edit. One round is enough to see whether it changes once more.
  return 'constant' in rule.check ? [pairedRound] : [pairedRound, alternatingRound];
}

function findRepeated<Source>(
  relations: Relations<Source>,
  { rule }: Contradiction<Source>,
  response: ComparableResponse<Source>,
  original: ComparableRecord<Source>,
): ComparableRecord<Source> | undefined {
  const records = listRecords(original.view, response, relations.hashText);
  const candidates = records.filter(({ key }) => key === original.key);
  // A page may list several records with this key. Prefers the one that has the original values.
  const unchangedRecord = candidates.find(
    (candidate) => compareRecords(rule, candidate, original) === 'same',
  );
  const record = unchangedRecord ?? candidates[0];
  if (!record) return undefined;
  const isComparable = compareRecords(rule, record, original) !== undefined;
  // Reports name the first request, not its repetition.
  return isComparable ? { ...record, source: original.source } : undefined;
}

function concludeFromRound<Source>(
  { rule, earlier, later }: Contradiction<Source>,
  repetitions: RepeatedRecord<Source>[],
): Conclusion {
  const haveEqualValues = (record: ComparableRecord<Source>, otherRecord: ComparableRecord<Source>) =>
    compareRecords(rule, record, otherRecord) === 'same';
  if ('constant' in rule.check) {
    // The field has changed once, perhaps by an edit. A second change breaks the rule.
    const keepsLaterValues = repetitions.every(({ repeated }) => haveEqualValues(repeated, later));
    return keepsLaterValues ? 'settled' : 'broken';
  }
  const isContradictionRepeated = repetitions.every(({ original, repeated }) => {
    const hasEarlierValues = haveEqualValues(repeated, earlier);
    return original === earlier ? hasEarlierValues : !hasEarlierValues;
  });
  if (isContradictionRepeated) return 'broken';
  const agreeNow = haveEqualValues(getLatest(earlier, repetitions), getLatest(later, repetitions));
  return agreeNow ? 'settled' : { undecided: undecidedReasons.changes };
}
