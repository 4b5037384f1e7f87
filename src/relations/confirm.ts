import { setTimeout as pause } from 'node:timers/promises';
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

/**
 * Confirms what contradicts each other, that of uniqueness first: a key that names two records, as far as is known, says nothing
 * of another rule.
 * @param isMock whether nothing settles late
 */
export async function confirmAll<Source>(
  relations: Relations<Source>,
  ask: (source: Source) => Promise<Seen<Source>>,
  isMock: boolean,
): Promise<Confirmed<Source>[]> {
  const contradictions = relations.contradictions.all();
  if (!isMock && contradictions.some(({ isBroken }) => !isBroken)) await pause(settlesInMs);
  const namesTwo = new Set(contradictions.filter(isUnique).map(({ first }) => first.key));
  const asked = new Map<RelationRule, Conclusion[]>();
  const confirmed: Confirmed<Source>[] = [];
  for (const one of contradictions.toSorted((a, b) => Number(isUnique(b)) - Number(isUnique(a)))) {
    if (!isUnique(one) && namesTwo.has(one.first.key)) continue;
    const own = asked.get(one.rule) ?? [];
    const isAsked = !one.isBroken && own.length < maxConfirmed;
    const result = isAsked ? await confirm(relations, one, ask) : notAsked(one, own);
    if (isAsked) asked.set(one.rule, [...own, result.conclusion]);
    if (result.conclusion === 'settled') namesTwo.delete(one.first.key);
    confirmed.push(result);
  }
  return confirmed;
}

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
