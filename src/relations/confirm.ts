import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../schemas/contract/contract.ts';
import { type Contradiction, compareRecords } from './contradictions.ts';
import type { Relations } from './relations.ts';
import type { RelationRule } from './rules.ts';
import type { ComparableRecord, Seen } from './shown.ts';

/**
 * Conclusion about a contradiction: `broken` if it is confirmed, `settled` if both responses agree after repetition, because the
 * record was changed in between, `undecided` with the reason otherwise.
 */
export type Conclusion = 'broken' | 'settled' | { undecided: string };

/** Contradiction with its conclusion, and all requests for it in the order sent. */
export interface Confirmed<Source> {
  contradiction: Contradiction<Source>;
  conclusion: Conclusion;
  sent: Source[];
}

/** Reasons why a contradiction is neither confirmed nor settled. */
export const undecided = {
  notShown: 'the record was not shown again',
  changes: 'each response shows something else',
  notAsked: 'there were more contradictions than the suite requests again',
  notRecorded: 'the recording does not show both sides again',
};

/** Maximum number of contradictions of one rule whose requests are repeated. */
export const maxConfirmed = 5;

/** Milliseconds to wait before the first repetition, so that replicas and search indexes show a change of the record. */
const settlesInMs = 1000;

interface ConfirmOptions {
  /** True if the target is the embedded mock, which shows each change at once: skips the pause before the repetition. */
  isMock: boolean;
  /** Confirms only contradictions of the rules of this operation; default: of all operations. */
  operation?: Pick<Operation, 'id'>;
  /** Hashes of keys that name two records, as earlier calls of `confirmAll` returned them. */
  ambiguousKeys?: ReadonlySet<string>;
}

/**
 * Concludes about each contradiction, after repeating both of its requests unless the contradiction is proven already or too many
 * of the same rule were repeated. Rules of uniqueness come first: if a key seems to name two records, contradictions of other
 * rules about this key are left out.
 * @returns the conclusions, and the hashes of keys that name two records
 */
export async function confirmAll<Source>(
  relations: Relations<Source>,
  repeat: (source: Source) => Promise<Seen<Source>>,
  { isMock, operation, ambiguousKeys = new Set() }: ConfirmOptions,
): Promise<{ confirmed: Confirmed<Source>[]; ambiguousKeys: string[] }> {
  const contradictions = relations.contradictions
    .all()
    .filter(({ rule }) => operation === undefined || rule.operation.id === operation.id);
  if (!isMock && contradictions.some(({ isBroken }) => !isBroken)) await pause(settlesInMs);
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
    // The key names one record after all.
    if (result.conclusion === 'settled') ambiguous.delete(first.key);
    confirmed.push(result);
  }
  return { confirmed, ambiguousKeys: [...ambiguous] };
}

/** Sorts contradictions of uniqueness rules before all others. */
const compareByUniqueness = (first: Contradiction<unknown>, second: Contradiction<unknown>): number =>
  Number(isAboutUniqueness(second)) - Number(isAboutUniqueness(first));

const isAboutUniqueness = ({ rule }: Contradiction<unknown>) => 'unique' in rule.check;

/**
 * Concludes about a contradiction whose requests are not repeated. A page that contradicts itself is proof. Otherwise the rule is
 * broken only if all earlier contradictions of the rule, whose requests were repeated, turned out as broken.
 * @param earlier conclusions about other contradictions of the rule
 */
function concludeWithoutRequests<Source>(
  contradiction: Contradiction<Source>,
  earlier: Conclusion[],
): Confirmed<Source> {
  const { isBroken, second } = contradiction;
  return isBroken || earlier.every((conclusion) => conclusion === 'broken')
    ? { contradiction, conclusion: 'broken', sent: isBroken ? [second.source] : [] }
    : leaveUndecided(contradiction, undecided.notAsked);
}

const leaveUndecided = <Source>(
  contradiction: Contradiction<Source>,
  reason: string,
  requests: Source[] = [],
): Confirmed<Source> => ({ contradiction, conclusion: { undecided: reason }, sent: requests });

/**
 * Requests both sides again, in the order of `listRounds`, until a round shows that the rule is not broken.
 * @returns the conclusion, and the contradiction with the records of the last round
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
    const [lastFirst = first, lastSecond = second] = [first, second].map(
      (side) => records[sides.lastIndexOf(side)],
    );
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
 * Lists the sides to request again, a list for each round. The order of the first round tells a lasting contradiction from a change
 * of the record, which both sides show afterwards, and from replicas that take turns, of which each request shows another state.
 * The second round tells it from replicas that are chosen at random: of two, 4 responses look like a lasting contradiction in 1 of
 * 16 cases, and 8 in 1 of 256. A constant field needs no second round, because it may change only once.
 */
function listRounds<Source>({ rule, first, second }: Contradiction<Source>): ComparableRecord<Source>[][] {
  const round = [first, first, second, second];
  return 'constant' in rule.check ? [round] : [round, [first, second, first, second]];
}

/** Finds the record of one side of a contradiction in a repeated response; undefined if it is not shown with comparable values. */
function findRepeated<Source>(
  relations: Relations<Source>,
  { rule }: Contradiction<Source>,
  response: Seen<Source>,
  side: ComparableRecord<Source>,
): ComparableRecord<Source> | undefined {
  const candidates = relations.findRecords(response, side.view, side.key);
  // Several records of a page may have this key: prefer the one that still has the values of the contradiction.
  const match = candidates.find((candidate) => compareRecords(rule, candidate, side) === 'same');
  const record = match ?? candidates[0];
  return record && compareRecords(rule, record, side) !== undefined
    ? { ...record, source: side.source }
    : undefined;
}

/**
 * Draws the conclusion from the records that one round of `confirm` received again.
 * @param sides side of the contradiction of each record
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
  // Broken if the first side still shows its values each time, and the second side other values each time.
  if (records.every((record, index) => agree(record, first) === (sides[index] === first))) return 'broken';
  const [lastFirst = first, lastSecond = second] = [first, second].map(
    (side) => records[sides.lastIndexOf(side)],
  );
  return agree(lastFirst, lastSecond) ? 'settled' : { undecided: undecided.changes };
}
