import type { Listed } from '../../schemas/contract/contract.ts';
import type { RelationResult } from './doubt.ts';
import { comparedIn } from './pages-again.ts';
import { differ } from './prints.ts';
import { type Direction, directionTo, type Span } from './recorded-span.ts';
import { type ComparePlan, comparedPointer, type RelationRule, type Unique } from './relation-rules.ts';
import type { Sighting } from './sightings.ts';
import { notRecordedAgain } from './unconfirmed.ts';

/** A record as it was first shown, and what contradicts it so far. */
export interface KnownRecord<Source> {
  source: Source;
  values: number[];
  contradictions: Contradictions<Source> | undefined;
}

/** A rule, what it compares of a record, and how often a page shows that. */
export interface Compared {
  rule: RelationRule<Unique>;
  valueIn: (shown: Pick<Sighting, 'values'>) => number;
  count: number;
}

/** What contradicts a record, by rule. */
export type Contradictions<Source> = Map<RelationRule, Contradiction<Source>>;

/** Another value than the first one, and how often the first one came back after it. */
interface Contradiction<Source> {
  before: number;
  first: Source;
  second: Source;
  /** The last response that counted, and which way: only one that goes on from it says something new. */
  last: Source;
  direction: Direction;
  /** Whether the other value was shown since the first one was shown. */
  isOpen: boolean;
  /** How often the other value was shown, and how often the first one after it. */
  times: number;
  rounds: number;
  /** Where a list has shown the first one again. */
  pointer: string;
  isReported: boolean;
}

/** Holds what a list shows of a record against what it has shown before. */
export function heldAgainst<Source extends Span>(
  plan: ComparePlan,
  known: KnownRecord<Source>,
  compared: Compared[],
  sighting: Sighting,
  source: Source,
): RelationResult<Source>[] {
  for (const { rule, valueIn } of compared) {
    // What a list shows now is known: it is held against what it has shown first.
    const before = known.contradictions?.get(rule)?.before ?? valueIn(known);
    if (differ(before, valueIn(sighting))) contradict(known, rule, before, source);
  }
  return known.contradictions ? confirmed(plan, known.contradictions, sighting, source) : nothing;
}

/** Most often: then nothing is made for it. */
const nothing: never[] = [];

/** Takes note of another value than the first one, where it is certain that it was not shown at the same time. */
export function contradict<Source extends Span>(
  known: KnownRecord<Source>,
  rule: RelationRule,
  before: number,
  second: Source,
): RelationResult<Source>[] {
  const open = known.contradictions?.get(rule);
  const direction = directionTo(second, open?.last ?? known.source, open?.direction);
  if (!direction) return nothing;
  known.contradictions ??= new Map();
  const found = open ?? {
    before,
    first: known.source,
    second,
    last: second,
    direction,
    isOpen: true,
    times: 0,
    rounds: 0,
    pointer: '',
    isReported: false,
  };
  const counted = { isOpen: true, last: second, times: found.times + 1 };
  known.contradictions.set(rule, Object.assign(found, counted));
  return reported(rule, found);
}

/** What the list says again of a record: it confirms contradictions, or takes them back. */
function confirmed<Source extends Span>(
  plan: ComparePlan,
  contradictions: Contradictions<Source>,
  sighting: Sighting,
  source: Source,
): RelationResult<Source>[] {
  return [...contradictions].flatMap(([rule, contradiction]) => {
    const { check } = rule;
    if ('constant' in check) return [];
    const now = comparedIn(plan, check, sighting);
    if (now !== contradiction.before) {
      if ('listedBy' in check) contradictions.delete(rule);
      return [];
    }
    const { isOpen, last, direction } = contradiction;
    if (!isOpen || !directionTo(source, last, direction)) return [];
    const rounds = contradiction.rounds + 1;
    const { pointer } = sighting;
    Object.assign(contradiction, { isOpen: false, last: source, rounds, pointer });
    return reported(rule, contradiction);
  });
}

/** What is confirmed now, once. */
function reported<Source>(
  rule: RelationRule,
  contradiction: Contradiction<Source>,
): RelationResult<Source>[] {
  const { check } = rule;
  if (contradiction.isReported || 'constant' in check || !isConfirmed(check, contradiction)) return nothing;
  contradiction.isReported = true;
  return [brokenResult(rule, contradiction)];
}

/** What was neither confirmed nor taken back. */
export const openResults = <Source>(contradictions: Contradictions<Source>): RelationResult<Source>[] =>
  [...contradictions].flatMap(([rule, { second, isReported }]) =>
    isReported ? [] : [{ rule, second, conclusion: { undecided: notRecordedAgain }, count: 1 }],
  );

/** As often as a run would have asked, in either order: a lookup has to show the other value again, too. */
const isConfirmed = (check: Listed | Unique, { times, rounds }: Contradiction<unknown>): boolean =>
  'listedBy' in check ? rounds >= check.again && times > check.again : rounds > 0;

function brokenResult<Source>(
  rule: RelationRule,
  { first, second, pointer }: Contradiction<Source>,
): RelationResult<Source> {
  const { check } = rule;
  const other = ('listedBy' in check ? comparedPointer(check) : undefined) ?? pointer;
  const contradiction = { first, pointers: { first: pointer, second: other }, sent: [first, second, first] };
  // Of a list, its page was counted when it was read.
  return { rule, second, conclusion: 'broken', count: 'unique' in check ? 0 : 1, contradiction };
}
