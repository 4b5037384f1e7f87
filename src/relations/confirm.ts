import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../schemas/contract/contract.ts';
import { type Contradiction, compareRecords } from './contradictions.ts';
import type { Relations } from './relations.ts';
import type { RelationRule } from './rules.ts';
import type { ComparableRecord, Seen } from './shown.ts';

/**
 * Conclusion about a contradiction between two responses. `broken`: the contradiction is confirmed, so that its rule is broken.
 * `settled`: both responses agree after repetition, because the record was changed in between. Otherwise the reason why neither is
 * known.
 */
export type Conclusion = 'broken' | 'settled' | { undecided: string };

/** Contradiction between two responses with its conclusion, and all requests that were compared, in the order of sending. */
export interface Confirmed<Source> {
  contradiction: Contradiction<Source>;
  conclusion: Conclusion;
  sent: Source[];
}

/** Reasons why a contradiction between two responses is neither confirmed nor settled. */
export const undecided = {
  notShown: 'the record was not shown again',
  changes: 'each response shows something else',
  notAsked: 'there were more contradictions than the suite requests again',
  notRecorded: 'the recording does not show both sides again',
};

/** Maximum number of contradictions that are confirmed by repeating requests, for each rule. */
export const maxConfirmed = 5;

/** Milliseconds to wait before requests are repeated, so that replicas and search indexes show a change of the record. */
const settlesInMs = 1000;

interface ConfirmOptions {
  /** True if the target is the embedded mock, which shows each change at once: no pause before requests are repeated. */
  isMock: boolean;
  /** Operation whose rules are confirmed; default: the rules of all operations. */
  operation?: Pick<Operation, 'id'>;
  /** Keyed hashes of identifiers that stand for two different records, as earlier calls of `confirmAll` returned them. */
  ambiguousKeys?: ReadonlySet<string>;
}

/**
 * Reaches a conclusion about each contradiction between responses. Repeats both requests of a contradiction, unless it is proven
 * already, or `maxConfirmed` others of its rule were repeated. Uniqueness rules come first: if an identifier seems to stand for two
 * records, contradictions of other rules about this identifier are left out.
 * @returns conclusions, and the keyed hashes of identifiers that stand for two records
 */
export async function confirmAll<Source>(
  relations: Relations<Source>,
  repeat: (source: Source) => Promise<Seen<Source>>,
  { isMock, operation, ambiguousKeys = new Set() }: ConfirmOptions,
): Promise<{ confirmed: Confirmed<Source>[]; ambiguousKeys: string[] }> {
  const contradictions = relations.contradictions
    .all()
    .filter(({ rule }) => operation === undefined || rule.operation.id === operation.id);
  const needsRepetition = contradictions.some(({ isBroken }) => !isBroken);
  if (!isMock && needsRepetition) await pause(settlesInMs);
  const ambiguous = new Set(contradictions.filter(isAboutUniqueness).map(({ first }) => first.key));
  const conclusions = new Map<RelationRule, Conclusion[]>();
  const confirmed: Confirmed<Source>[] = [];
  for (const contradiction of contradictions.toSorted(compareByUniqueness)) {
    const { rule, first, isBroken } = contradiction;
    const isAmbiguous = ambiguous.has(first.key) || ambiguousKeys.has(first.key);
    if (isAmbiguous && !isAboutUniqueness(contradiction)) continue;
    const earlier = conclusions.get(rule) ?? [];
    const isRepeated = !isBroken && earlier.length < maxConfirmed;
    const result = isRepeated
      ? await confirm(relations, contradiction, repeat)
      : concludeWithoutRequests(contradiction, earlier);
    if (isRepeated) conclusions.set(rule, [...earlier, result.conclusion]);
    // A settled contradiction of a uniqueness rule: the key stands for one record after all.
    if (result.conclusion === 'settled') ambiguous.delete(first.key);
    confirmed.push(result);
  }
  return { confirmed, ambiguousKeys: [...ambiguous] };
}

/** Sorts contradictions of `unique` rules (two records of a list with one key) before all others. */
const compareByUniqueness = (first: Contradiction<unknown>, second: Contradiction<unknown>): number =>
  Number(isAboutUniqueness(second)) - Number(isAboutUniqueness(first));

/** Returns whether a contradiction is of a `unique` rule: two records of a list have the same key. */
const isAboutUniqueness = ({ rule }: Contradiction<unknown>) => 'unique' in rule.check;

/**
 * Reaches a conclusion about a contradiction whose requests are not repeated. If it is proven already (`isBroken`), the rule is
 * broken. Otherwise the rule is broken only if every earlier contradiction of the rule, whose requests were repeated, was
 * confirmed.
 * @param earlier conclusions about other contradictions of the rule
 */
function concludeWithoutRequests<Source>(
  contradiction: Contradiction<Source>,
  earlier: Conclusion[],
): Confirmed<Source> {
  const { isBroken, second } = contradiction;
  if (isBroken) return { contradiction, conclusion: 'broken', sent: [second.source] };
  return earlier.every((conclusion) => conclusion === 'broken')
    ? { contradiction, conclusion: 'broken', sent: [] }
    : leaveUndecided(contradiction, undecided.notAsked);
}

/** Creates the result for a contradiction that is neither confirmed nor settled. @param requests requests that were compared */
const leaveUndecided = <Source>(
  contradiction: Contradiction<Source>,
  reason: string,
  requests: Source[] = [],
): Confirmed<Source> => ({ contradiction, conclusion: { undecided: reason }, sent: requests });

/**
 * Repeats the requests of both records of a contradiction, in the order of `listRounds`, until a round shows that the rule is not
 * broken, or a response no longer shows the record.
 * @returns conclusion, and the contradiction with the records of the last round
 */
async function confirm<Source>(
  relations: Relations<Source>,
  contradiction: Contradiction<Source>,
  repeat: (source: Source) => Promise<Seen<Source>>,
): Promise<Confirmed<Source>> {
  const { first, second } = contradiction;
  const requests = [first.source, second.source];
  let confirmed: Confirmed<Source> = { contradiction, conclusion: 'broken', sent: requests };
  for (const sides of listRounds(contradiction)) {
    const records: ComparableRecord<Source>[] = [];
    for (const side of sides) {
      const response = await repeat(side.source);
      requests.push(response.source);
      const record = findRepeated(relations, contradiction, response, side);
      if (!record) return leaveUndecided(contradiction, undecided.notShown, requests);
      records.push(record);
    }
    const [lastFirst, lastSecond] = findLastRecords(contradiction, sides, records);
    confirmed = {
      contradiction: { ...contradiction, first: lastFirst, second: lastSecond },
      conclusion: concludeFromRepetition(contradiction, sides, records),
      sent: requests,
    };
    if (confirmed.conclusion !== 'broken') break;
  }
  return confirmed;
}

/**
 * Finds, for both records of a contradiction, what the last repetition of its request has shown.
 * @param sides for each of `records`, the record of the contradiction whose request was repeated
 */
const findLastRecords = <Source>(
  { first, second }: Pick<Contradiction<Source>, 'first' | 'second'>,
  sides: ComparableRecord<Source>[],
  records: ComparableRecord<Source>[],
): [first: ComparableRecord<Source>, second: ComparableRecord<Source>] => [
  records[sides.lastIndexOf(first)] ?? first,
  records[sides.lastIndexOf(second)] ?? second,
];

/**
 * Lists the records of a contradiction whose requests are repeated, a list for each round: A A B B for the first round, A B A B for
 * the second. The first round tells a lasting contradiction from a change of the record, which both responses show afterwards, and
 * from replicas that take turns, so that each request shows another state. The second round tells it from replicas that are chosen
 * at random: of two, 4 responses look like a lasting contradiction in 1 of 16 cases, and 8 in 1 of 256. A constant field needs no
 * second round, because it may change only once.
 */
function listRounds<Source>({ rule, first, second }: Contradiction<Source>): ComparableRecord<Source>[][] {
  const round = [first, first, second, second];
  return 'constant' in rule.check ? [round] : [round, [first, second, first, second]];
}

/**
 * Finds a record of a contradiction in the response to its repeated request. Returns the record with its new values and the
 * original request (`source`). Undefined if the response does not show the record, or none of its compared fields.
 * @param side record of the contradiction whose request was repeated: the first or the second one
 */
function findRepeated<Source>(
  relations: Relations<Source>,
  { rule }: Contradiction<Source>,
  response: Seen<Source>,
  side: ComparableRecord<Source>,
): ComparableRecord<Source> | undefined {
  const candidates = relations.findRecords(response, side.view, side.key);
  // Several records of a page may have this key: prefer the one that still has the values of the contradiction.
  const unchanged = candidates.find((candidate) => compareRecords(rule, candidate, side) === 'same');
  const record = unchanged ?? candidates[0];
  const isComparable = record !== undefined && compareRecords(rule, record, side) !== undefined;
  return isComparable ? { ...record, source: side.source } : undefined;
}

/**
 * Reaches a conclusion from the records that one round of repeated requests has shown.
 * @param sides for each of `records`, the record of the contradiction whose request was repeated
 */
function concludeFromRepetition<Source>(
  { rule, first, second }: Contradiction<Source>,
  sides: ComparableRecord<Source>[],
  records: ComparableRecord<Source>[],
): Conclusion {
  const agree = (record: ComparableRecord<Source>, otherRecord: ComparableRecord<Source>) =>
    compareRecords(rule, record, otherRecord) === 'same';
  // A constant field may be edited once during a run; a second change breaks the rule.
  if ('constant' in rule.check)
    return records.every((record) => agree(record, second)) ? 'settled' : 'broken';
  // The contradiction lasts if `first` still has its values each time, and `second` has other values each time.
  const isLasting = records.every((record, index) => {
    const isFirst = sides[index] === first;
    return agree(record, first) === isFirst;
  });
  if (isLasting) return 'broken';
  const [lastFirst, lastSecond] = findLastRecords({ first, second }, sides, records);
  return agree(lastFirst, lastSecond) ? 'settled' : { undecided: undecided.changes };
}
