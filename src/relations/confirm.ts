import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../schemas/contract/contract.ts';
import type { ComparableRecord, ComparableResponse } from './comparable.ts';
import { type Contradiction, compareRecords } from './contradictions.ts';
import type { Relations } from './relations.ts';
import type { RelationRule } from './rules.ts';

/** `broken`: two responses still contradict each other when repeated. `settled`: they agree. `undecided`: reason for neither. */
export type Conclusion = 'broken' | 'settled' | { undecided: string };

/** `requests`: all requests whose responses were compared, in the order of sending. */
export interface ConcludedContradiction<Source> {
  contradiction: Contradiction<Source>;
  conclusion: Conclusion;
  requests: Source[];
}

export const undecidedReasons = {
  notShown: 'the record was not shown again',
  changes: 'each response shows something else',
  notRepeated: 'there were more contradictions than the suite requests again',
  notRecordedAgain: 'the recording does not show both sides again',
};

/** Maximum number of contradictions of a rule whose requests are repeated. */
const maxRepeated = 5;

/** Time for replicas and search indexes of the target to show a change. */
const pauseBeforeRepetitionMs = 1000;

interface ConcludeOptions {
  isMock: boolean;
  /** Operation of the contradictions to conclude; default: all operations. */
  operation?: Pick<Operation, 'id'>;
  ambiguousKeys?: ReadonlySet<string>;
}

/**
 * Reaches a conclusion about each contradiction by repeating requests. Begins with `unique` rules: contradictions about an
 * identifier that two records share are then left out.
 * @param repeat sends the request of a `source` again
 * @returns conclusions, and the hashes of identifiers that two records share
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
  const aboutUniqueness = contradictions.filter(isAboutUniqueness);
  const concludedUniqueness = await concludeInOrder(relations, aboutUniqueness, repeat);
  const newAmbiguousKeys = listAmbiguousKeys(concludedUniqueness);
  const isAmbiguous = (key: string) => ambiguousKeys.has(key) || newAmbiguousKeys.has(key);
  const otherContradictions = contradictions.filter(
    (contradiction) => !isAboutUniqueness(contradiction) && !isAmbiguous(contradiction.first.key),
  );
  const concludedOthers = await concludeInOrder(relations, otherContradictions, repeat);
  return { concluded: [...concludedUniqueness, ...concludedOthers], ambiguousKeys: [...newAmbiguousKeys] };
}

const isAboutUniqueness = ({ rule }: Contradiction<unknown>) => 'unique' in rule.check;

/**
 * Returns the hashes of identifiers that two records share. A settled contradiction frees its identifier again.
 * @param concluded contradictions of `unique` rules
 */
function listAmbiguousKeys(concluded: ConcludedContradiction<unknown>[]): Set<string> {
  const ambiguousKeys = new Set(concluded.map(({ contradiction }) => contradiction.first.key));
  for (const { contradiction, conclusion } of concluded)
    if (conclusion === 'settled') ambiguousKeys.delete(contradiction.first.key);
  return ambiguousKeys;
}

async function concludeInOrder<Source>(
  relations: Relations<Source>,
  contradictions: Contradiction<Source>[],
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
): Promise<ConcludedContradiction<Source>[]> {
  const concluded: ConcludedContradiction<Source>[] = [];
  const repeatedConclusions = new Map<RelationRule, Conclusion[]>();
  for (const contradiction of contradictions) {
    const { rule, isProven } = contradiction;
    const earlier = repeatedConclusions.get(rule) ?? [];
    if (isProven || earlier.length >= maxRepeated) {
      concluded.push(concludeWithoutRequests(contradiction, earlier));
      continue;
    }
    const result = await concludeByRepetition(relations, contradiction, repeat);
    repeatedConclusions.set(rule, [...earlier, result.conclusion]);
    concluded.push(result);
  }
  return concluded;
}

/** Concludes without requests: `broken` if the contradiction is proven, or if all `earlier` ones of the same rule are broken. */
function concludeWithoutRequests<Source>(
  contradiction: Contradiction<Source>,
  earlier: Conclusion[],
): ConcludedContradiction<Source> {
  const { isProven, second } = contradiction;
  const isBroken = isProven || earlier.every((conclusion) => conclusion === 'broken');
  return {
    contradiction,
    conclusion: isBroken ? 'broken' : { undecided: undecidedReasons.notRepeated },
    requests: isProven ? [second.source] : [],
  };
}

/**
 * Repeats both requests of a contradiction, until they agree or a response no longer shows the record. The result has the latest
 * records.
 */
async function concludeByRepetition<Source>(
  relations: Relations<Source>,
  contradiction: Contradiction<Source>,
  repeat: (source: Source) => Promise<ComparableResponse<Source>>,
): Promise<ConcludedContradiction<Source>> {
  const { first, second } = contradiction;
  const requests = [first.source, second.source];
  let concluded: ConcludedContradiction<Source> = { contradiction, conclusion: 'broken', requests };
  for (const round of listRounds(contradiction)) {
    const repetitions: RepeatedRecord<Source>[] = [];
    for (const original of round) {
      const response = await repeat(original.source);
      requests.push(response.source);
      const latest = findRepeated(relations, contradiction, response, original);
      if (!latest) return { contradiction, conclusion: { undecided: undecidedReasons.notShown }, requests };
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
 * Lists the records whose requests are repeated in each round: A A B B, then A B A B, with A for `first` and B for `second`. Round
 * 1 detects that the record has changed, and replicas that take turns. Round 2 detects replicas that are chosen at random: with two
 * of them, 4 responses look like a lasting contradiction in 1 of 16 cases, 8 responses in 1 of 256. A `constant` rule needs no
 * second round, because it allows only one change.
 */
function listRounds<Source>({ rule, first, second }: Contradiction<Source>): ComparableRecord<Source>[][] {
  const round = [first, first, second, second];
  return 'constant' in rule.check ? [round] : [round, [first, second, first, second]];
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

function concludeFromRepetition<Source>(
  { rule, first, second }: Contradiction<Source>,
  repetitions: RepeatedRecord<Source>[],
): Conclusion {
  const agree = (record: ComparableRecord<Source>, otherRecord: ComparableRecord<Source>) =>
    compareRecords(rule, record, otherRecord) === 'same';
  // A constant field may be edited once during a run; a second change breaks the rule.
  if ('constant' in rule.check) {
    const hasChangedOnce = repetitions.every(({ latest }) => agree(latest, second));
    return hasChangedOnce ? 'settled' : 'broken';
  }
  const repeatsContradiction = ({ original, latest }: RepeatedRecord<Source>) => {
    const hasFirstValues = agree(latest, first);
    return original === first ? hasFirstValues : !hasFirstValues;
  };
  if (repetitions.every(repeatsContradiction)) return 'broken';
  const agreeNow = agree(findLatest(first, repetitions), findLatest(second, repetitions));
  return agreeNow ? 'settled' : { undecided: undecidedReasons.changes };
}
