import type { Listed } from '../../schemas/contract/contract.ts';
import { Contradiction, inARow, type Shown } from './conclude.ts';
import type { Doubt, RelationResult, SeenAgain } from './doubt.ts';
import { type LookedUp, lookedUp, showsNothing } from './looked-up.ts';
import { comparedIn, comparePlanOf, type PagesAgain } from './pages-again.ts';
import { type ComparePlan, comparedPointer, type RelationRule, type Relations } from './relation-rules.ts';
import { presence, type Sighting } from './sightings.ts';
import type { Seen } from './sightings-of-run.ts';
import {
  noList,
  noLookup,
  noRequestsLeft,
  nothingListed,
  nothingLookedUp,
  notListed,
} from './unconfirmed.ts';

/** What a lookup shows of what a rule compares. */
export function shownBy(check: Listed, lookup: LookedUp<unknown> | undefined): Shown {
  if (!lookup || lookup.outcome === 'other') return { nothing: noLookup };
  const pointer = comparedPointer(check);
  if (pointer === undefined) return lookup.outcome === 'success' ? presence.present : presence.absent;
  if (showsNothing(lookup)) return { nothing: noLookup };
  return lookup.values.get(pointer) || { nothing: nothingLookedUp };
}

/** What a list has shown of the record that was looked up, and what the lookup showed instead. */
export interface ListedBefore<Source> {
  source: Source;
  before: number;
  now: number;
}

/** A lookup that contradicts a list. The list is requested again first, then the lookup. */
export class ListedDoubt<Source> implements Doubt<Source> {
  readonly rule: RelationRule<Listed>;
  readonly second: Source;
  readonly listed: { plan: ComparePlan; key: number };
  readonly cost: number;
  readonly #lookup: LookedUp<Source>;
  readonly #relations: Relations;
  readonly #pages: PagesAgain<Source>;
  readonly #sides: Contradiction;
  readonly #sent: Source[];
  #first: { source: Source; pointer: string };
  #reason = noRequestsLeft;
  /** Whether no page showed it when it was looked up again, or that showed nothing. */
  #isLookedUp = false;
  #hasFailed = false;
  #isAsked = false;

  constructor(
    relations: Relations,
    rule: RelationRule<Listed>,
    lookup: LookedUp<Source>,
    { source, before, now }: ListedBefore<Source>,
    pages: PagesAgain<Source>,
  ) {
    this.rule = rule;
    this.second = lookup.source;
    const { listedBy, key } = rule.check;
    this.listed = { plan: comparePlanOf(relations, listedBy, key), key: lookup.key };
    this.cost = (2 * inARow + 1) * rule.check.again;
    this.#lookup = lookup;
    this.#relations = relations;
    this.#pages = pages;
    this.#sides = new Contradiction(before, now, rule.check.again);
    this.#sent = [source, this.second];
    this.#first = { source, pointer: this.listed.plan.key };
  }

  get isReady(): boolean {
    return this.#sides.needsSecond && !this.#hasFailed;
  }

  get isBroken(): boolean {
    return this.#sides.conclusion === 'broken';
  }

  next(): Source | undefined {
    if (this.isReady) return this.second;
    if (this.#sides.conclusion || this.#isLookedUp) return undefined;
    this.#isAsked = true;
    // Where no page shows it any more, the lookup may still say that nothing is wrong.
    return this.#pages.next() ?? this.second;
  }

  take({ source, seen, records }: SeenAgain<Source>): void {
    if (source === this.second) this.#takeLookup(lookedUp(seen, this.#relations)[0]);
    else if (records?.[0])
      this.#takeRecord(
        source,
        seen,
        records.find((one) => this.#sides.isFirst(this.#valueOf(one))) ?? records[0],
      );
    else this.#miss(source, records ? notListed : noList);
  }

  #miss(source: Source, reason: string): void {
    this.#pages.miss(source);
    if (!this.isReady) this.#reason = reason;
  }

  #valueOf = (record: Sighting): number => comparedIn(this.listed.plan, this.rule.check, record);

  #takeRecord(asked: Source, { source }: Seen<Source>, record: Sighting): void {
    if (this.#sides.conclusion) return;
    const value = this.#valueOf(record);
    if (value === 0) this.#miss(asked, nothingListed);
    else {
      this.#isAsked = true;
      this.#reason = noRequestsLeft;
      this.#sides.first(value);
      this.#sent.push(source);
      this.#first = { source, pointer: record.pointer };
    }
  }

  #takeLookup(lookup: LookedUp<Source> | undefined): void {
    const { needsSecond } = this.#sides;
    this.#sent.push(this.second);
    // What fails in another way than the first lookup does not confirm it.
    const isOther = lookup && showsNothing(lookup) && lookup.outcome !== this.#lookup.outcome;
    const shown = shownBy(this.rule.check, isOther ? undefined : lookup);
    if (typeof shown === 'number') this.#sides.second(shown);
    else if (needsSecond) this.#reason = shown.nothing;
    this.#hasFailed = typeof shown !== 'number';
    this.#isLookedUp = !needsSecond || this.#hasFailed;
  }

  result(): RelationResult<Source> | undefined {
    if (!this.#isAsked) return undefined;
    const { source: first, pointer } = this.#first;
    const pointers = { first: pointer, second: comparedPointer(this.rule.check) ?? 'http' };
    const conclusion = this.#sides.conclusionOr(this.#reason);
    return {
      rule: this.rule,
      second: this.second,
      conclusion,
      count: 1,
      contradiction: { first, pointers, sent: this.#sent },
    };
  }
}
