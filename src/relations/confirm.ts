import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../schemas/contract/contract.ts';
import { type Contradiction, difference } from './contradictions.ts';
import type { Relations } from './relations.ts';
import type { RelationRule } from './rules.ts';
import type { Seen, SeenRecord } from './shown.ts';

/** What is known of a contradiction; `settled` where both sides agree by now: the target has changed what it shows. */
export type Conclusion = 'broken' | 'settled' | { undecided: string };

/** A contradiction, what is known of it, and all its requests, in the order in which they were sent. */
export interface Confirmed<Source> {
  contradiction: Contradiction<Source>;
  conclusion: Conclusion;
  sent: Source[];
}

/** Why a contradiction is neither confirmed nor settled. */
export const undecided = {
  notShown: 'the record was not shown again',
  changes: 'each response shows something else',
  notAsked: 'there were more contradictions than the suite requests again',
  notRecorded: 'the recording does not show both sides again',
};

/** How many contradictions of a rule are requested again, one after another. */
export const maxConfirmed = 5;

/** What one of them takes. */
export const requestsEach = 4;

/** How long they are left alone first: replicas, and indexes of searches, show a change within a second. */
const settlesInMs = 1000;

interface ConfirmOptions {
  /** Skips the pause: nothing settles late in the embedded mock. */
  isMock: boolean;
  /** Confirms the rules of this operation alone. */
  operation?: Pick<Operation, 'id'>;
  /** Hashes of keys that are known to name two records. */
  ambiguousKeys?: ReadonlySet<string>;
}

/**
 * Confirms contradictions, those of uniqueness first: a key that names two records, as far as is known, says nothing of another
 * rule. Returns the keys that do beside the results.
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
  const ambiguous = new Set(contradictions.filter(isUnique).map(({ first }) => first.key));
  const conclusions = new Map<RelationRule, Conclusion[]>();
  const confirmed: Confirmed<Source>[] = [];
  for (const contradiction of contradictions.toSorted(byUniqueness)) {
    const { rule, first, isBroken } = contradiction;
    if (!isUnique(contradiction) && (ambiguous.has(first.key) || ambiguousKeys.has(first.key))) continue;
    const earlier = conclusions.get(rule) ?? [];
    const isRepeated = !isBroken && earlier.length < maxConfirmed;
    const result = isRepeated
      ? await confirm(relations, contradiction, repeat)
      : notAsked(contradiction, earlier);
    if (isRepeated) conclusions.set(rule, [...earlier, result.conclusion]);
    if (result.conclusion === 'settled') ambiguous.delete(first.key);
    confirmed.push(result);
  }
  return { confirmed, ambiguousKeys: [...ambiguous] };
}

const byUniqueness = (first: Contradiction<unknown>, second: Contradiction<unknown>): number =>
  Number(isUnique(second)) - Number(isUnique(first));

const isUnique = ({ rule }: Contradiction<unknown>) => 'unique' in rule.check;

/** What one page shows to be broken needs no request; if all that were requested again are broken, the others are believed. */
const notAsked = <Source>(one: Contradiction<Source>, asked: Conclusion[]): Confirmed<Source> =>
  one.isBroken || asked.every((conclusion) => conclusion === 'broken')
    ? { contradiction: one, conclusion: 'broken', sent: one.isBroken ? [one.second.source] : [] }
    : leftOpen(one, undecided.notAsked);

const leftOpen = <Source>(contradiction: Contradiction<Source>, reason: string, sent: Source[] = []) => ({
  contradiction,
  conclusion: { undecided: reason },
  sent,
});

/**
 * Asks for the first side twice, and then for the second one twice: the first is shown once more after the second, and of
 * replicas that reply in turn each shows either side. Four responses that agree with what was seen are believed.
 */
async function confirm<Source>(
  relations: Relations<Source>,
  contradiction: Contradiction<Source>,
  ask: (source: Source) => Promise<Seen<Source>>,
): Promise<Confirmed<Source>> {
  const { rule, first, second } = contradiction;
  const sent = [first.source, second.source];
  const shown: SeenRecord<Source>[] = [];
  for (const one of [first, first, second, second]) {
    const seen = await ask(one.source);
    sent.push(seen.source);
    const all = relations.shownIn(seen, one.side, one.key);
    const again = all.find((other) => difference(rule, other, one) === 'same') ?? all[0];
    if (!again || difference(rule, again, one) === undefined)
      return leftOpen(contradiction, undecided.notShown, sent);
    shown.push({ ...again, source: one.source });
  }
  const [before, after] = [shown[1] ?? first, shown[3] ?? second];
  const conclusion = conclusionOf(contradiction, shown);
  return { contradiction: { ...contradiction, first: before, second: after }, conclusion, sent };
}

function conclusionOf<Source>(
  { rule, first, second }: Contradiction<Source>,
  shown: SeenRecord<Source>[],
): Conclusion {
  const agree = (one: SeenRecord<Source>, other: SeenRecord<Source>) =>
    difference(rule, one, other) === 'same';
  const [, before = first, , after = second] = shown;
  // What must stay may change once, and not twice.
  if ('constant' in rule.check) return shown.every((one) => agree(one, second)) ? 'settled' : 'broken';
  const isFirst = shown.map((one) => agree(one, first));
  if (isFirst.join() === 'true,true,false,false') return 'broken';
  return agree(before, after) ? 'settled' : { undecided: undecided.changes };
}
