import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../schemas/contract/contract.ts';
import { type Contradiction, compareRecords } from './contradictions.ts';
import type { Relations } from './relations.ts';
import type { RelationRule } from './rules.ts';
import type { ComparableRecord, Seen } from './shown.ts';

/** Conclusion about a contradiction; `settled` if both sides agree by now, because the target has changed the record. */
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

/** Maximum of contradictions of a rule that are requested again, one after another. */
export const maxConfirmed = 5;

/** Milliseconds before the first repetition: replicas and search indexes show a change within a second. */
const settlesInMs = 1000;

interface ConfirmOptions {
  /** Skips the pause, because the embedded mock shows each change at once. */
  isMock: boolean;
  /** Confirms only the rules of this operation. */
  operation?: Pick<Operation, 'id'>;
  /** Hashes of keys that name two records, from earlier confirmations. */
  ambiguousKeys?: ReadonlySet<string>;
}

/**
 * Concludes about each contradiction, most often by repeating both requests: broken, settled or undecided. Uniqueness comes first:
 * if a key seems to name two records, contradictions of other rules about that key are left out. Also returns hashes of such keys.
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
    if (result.conclusion === 'settled') ambiguous.delete(first.key);
    confirmed.push(result);
  }
  return { confirmed, ambiguousKeys: [...ambiguous] };
}

const compareByUniqueness = (first: Contradiction<unknown>, second: Contradiction<unknown>): number =>
  Number(isAboutUniqueness(second)) - Number(isAboutUniqueness(first));

const isAboutUniqueness = ({ rule }: Contradiction<unknown>) => 'unique' in rule.check;

/**
 * Concludes about a contradiction that is not requested again. A page that contradicts itself is proof. Otherwise the
 * contradiction is broken only if all contradictions of the rule that were requested again are broken.
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
 * Requests the first side twice, then the second side twice. The order tells a lasting contradiction from a change of the record,
 * which both sides show afterwards, and from replicas that take turns, of which each request shows another state.
 */
async function confirm<Source>(
  relations: Relations<Source>,
  contradiction: Contradiction<Source>,
  repeat: (source: Source) => Promise<Seen<Source>>,
): Promise<Confirmed<Source>> {
  const { rule, first, second } = contradiction;
  const requests = [first.source, second.source];
  const repeatedRecords: ComparableRecord<Source>[] = [];
  for (const record of [first, first, second, second]) {
    const response = await repeat(record.source);
    requests.push(response.source);
    const candidates = relations.findRecords(response, record.view, record.key);
    const match = candidates.find((candidate) => compareRecords(rule, candidate, record) === 'same');
    const repeated = match ?? candidates[0];
    if (!repeated || compareRecords(rule, repeated, record) === undefined)
      return leaveUndecided(contradiction, undecided.notShown, requests);
    repeatedRecords.push({ ...repeated, source: record.source });
  }
  return {
    contradiction: {
      ...contradiction,
      first: repeatedRecords[1] ?? first,
      second: repeatedRecords[3] ?? second,
    },
    conclusion: concludeFromRepetition(contradiction, repeatedRecords),
    sent: requests,
  };
}

/** Draws the conclusion from the records that `confirm` received again: two of the first side, then two of the second side. */
function concludeFromRepetition<Source>(
  { rule, first, second }: Contradiction<Source>,
  records: ComparableRecord<Source>[],
): Conclusion {
  const agree = (record: ComparableRecord<Source>, otherRecord: ComparableRecord<Source>) =>
    compareRecords(rule, record, otherRecord) === 'same';
  const [, lastFirst = first, , lastSecond = second] = records;
  // A constant field may be edited once during a run; a second change breaks the rule.
  if ('constant' in rule.check)
    return records.every((record) => agree(record, second)) ? 'settled' : 'broken';
  const agreesWithFirst = records.map((record) => agree(record, first));
  if (agreesWithFirst.join() === 'true,true,false,false') return 'broken';
  return agree(lastFirst, lastSecond) ? 'settled' : { undecided: undecided.changes };
}
