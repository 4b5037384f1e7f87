import type { Conclusion } from './conclude.ts';
import { changedMeanwhile, inARow } from './conclude.ts';
import type { Doubt, RelationResult, SeenAgain } from './doubt.ts';
import { comparedIn, comparePlanOf, type Longer, PagesAgain } from './pages-again.ts';
import type { ComparePlan, RelationRule, Relations, Unique } from './relation-rules.ts';
import type { Sighting } from './sightings.ts';
import type { Conflict, Seen } from './sightings-of-run.ts';
import { twinsIn } from './twins.ts';
import { keepsChanging, noList, noRequestsLeft, notListed } from './unconfirmed.ts';

/** The pages that have shown the two records of a conflict. */
interface ConflictPages<Source> {
  first: PagesAgain<Source>;
  second: PagesAgain<Source>;
}

/**
 * Two records with one key, on a page each: they are two once the first one is shown again after the second one, and
 * that is shown again after it, each of them twice in a row.
 */
class ConflictDoubt<Source> implements Doubt<Source> {
  readonly rule: RelationRule<Unique>;
  readonly second: Source;
  readonly listed: { plan: ComparePlan; key: number };
  readonly cost = 2 * inARow + 1;
  readonly #before: number;
  readonly #pages: ConflictPages<Source>;
  readonly #sent: Source[];
  /** What either page has shown last. */
  readonly #now = { first: 0, second: 0 };
  #first: { source: Source; pointer: string };
  /** How often in a row the first record was shown again, and then the second one. */
  #times = { first: 0, second: 0 };
  #broken: RelationResult<Source> | undefined;
  #reason = noRequestsLeft;
  #isAsked = false;

  constructor(relations: Relations, conflict: Conflict<Source>, pages: ConflictPages<Source>) {
    const { rule, key, before, first, second } = conflict;
    this.rule = rule;
    this.second = second;
    this.listed = { plan: comparePlanOf(relations, rule.operation.id, rule.check.unique), key };
    this.#before = before;
    this.#pages = pages;
    this.#sent = [first, second];
    this.#first = { source: first, pointer: this.listed.plan.key };
  }

  /** Two more pages may be needed. */
  readonly isReady = false;

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  get #isFirstAgain(): boolean {
    return this.#times.first >= inARow;
  }

  get #isSettled(): boolean {
    const { first, second } = this.#now;
    return first !== 0 && first === second;
  }

  next(): Source | undefined {
    if (this.#broken || this.#isSettled) return undefined;
    this.#isAsked = true;
    const { first, second } = this.#pages;
    const isFirstSettled = this.#isFirstAgain || ![0, this.#before].includes(this.#now.first);
    return isFirstSettled ? second.next() : (first.next() ?? second.next());
  }

  take({ source, seen, records }: SeenAgain<Source>): void {
    if (this.#broken || this.#isSettled) return;
    const shown = (records ?? []).filter((one) => this.#valueOf(one) !== 0);
    const twins = twinsIn(shown, (one) => this.#valueOf(one));
    if (twins) {
      this.#first = { source: seen.source, pointer: twins.first };
      this.#broken = this.#result('broken');
    } else if (shown[0]) this.#takeRecord(source, seen, shown[0]);
    else {
      this.#pages.first.miss(source);
      this.#pages.second.miss(source);
      this.#reason = records ? notListed : noList;
    }
  }

  #valueOf = (record: Sighting): number => comparedIn(this.listed.plan, this.rule.check, record);

  #takeRecord(asked: Source, { source }: Seen<Source>, record: Sighting): void {
    const value = this.#valueOf(record);
    this.#isAsked = true;
    this.#sent.push(source);
    if (this.#pages.first.has(asked)) this.#now.first = value;
    if (this.#pages.second.has(asked)) this.#now.second = value;
    if (value === this.#before) {
      this.#times = { first: this.#times.first + 1, second: 0 };
      this.#first = { source, pointer: record.pointer };
    } else this.#takeOther(asked === this.second ? record.pointer : undefined);
  }

  #takeOther(pointer: string | undefined): void {
    if (this.#isFirstAgain) this.#times.second += 1;
    else this.#times.first = 0;
    if (this.#times.second >= inARow) this.#broken = this.#result('broken', pointer);
  }

  result(): RelationResult<Source> | undefined {
    if (!this.#isAsked || this.#broken) return this.#broken;
    return this.#result(this.#isSettled ? changedMeanwhile : { undecided: this.#openReason() });
  }

  #openReason(): string {
    return this.#now.first !== 0 && this.#now.second !== 0 ? keepsChanging : this.#reason;
  }

  #result(conclusion: Conclusion, second = this.listed.plan.key): RelationResult<Source> {
    const { source: first, pointer } = this.#first;
    const contradiction = { first, pointers: { first: pointer, second }, sent: this.#sent };
    return { rule: this.rule, second: this.second, conclusion, count: 1, contradiction };
  }
}

/** @param longer the request for a longer page at the place of a page */
export function conflictDoubt<Source>(
  relations: Relations,
  conflict: Conflict<Source>,
  longer: Longer<Source>,
): Doubt<Source> {
  const pagesOf = (source: Source) => new PagesAgain(source, longer(source));
  return new ConflictDoubt(relations, conflict, {
    first: pagesOf(conflict.first),
    second: pagesOf(conflict.second),
  });
}
