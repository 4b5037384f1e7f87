import { type ComparePlan, comparedField, isSameField, type Relations } from './relation-rules.ts';
import { presence, type Sighting } from './sightings.ts';

/** What is compared of a list. @throws when no rule compares it. */
export function comparePlanOf({ lists }: Relations, operation: string, key: string): ComparePlan {
  const plan = lists.find((one) => one.operation === operation && one.key === key);
  if (!plan) throw new Error(`no rule compares what ${operation} lists by ${key}`);
  return plan;
}

type ComparingCheck = Parameters<typeof comparedField>[0];

/** What a rule compares of a record of a list. */
export const comparedIn = (
  plan: ComparePlan,
  check: ComparingCheck,
  sighting: Pick<Sighting, 'values'>,
): number => readerOf(plan, check)(sighting);

/** Finds what a rule compares in any record of a list. */
export function readerOf(
  { fields }: ComparePlan,
  check: ComparingCheck,
): (sighting: Pick<Sighting, 'values'>) => number {
  const field = comparedField(check);
  if (!field) return () => presence.present;
  const at = fields.findIndex((one) => isSameField(one, field));
  return ({ values }) => values[at] ?? 0;
}

/** The request for a longer page at the place of a page, if there is one. */
export type Longer<Source> = (page: Source) => Source | undefined;

/** Pages that may show a record again: the one that has shown it, and a longer one at its place. */
export class PagesAgain<Source> {
  readonly #first: Source;
  readonly #longer: Source | undefined;
  #isMissed = false;
  #isTried = false;

  constructor(first: Source, longer: Source | undefined) {
    this.#first = first;
    this.#longer = longer;
  }

  /** The next one to request; the longer one once, since a list in no fixed order shows others each time. */
  next(): Source | undefined {
    if (!this.#isMissed) return this.#first;
    if (this.#isTried) return undefined;
    this.#isTried = true;
    return this.#longer;
  }

  has = (source: Source): boolean => source === this.#first || source === this.#longer;

  /** Takes note that a page did not show what it was to show. */
  miss(source: Source): void {
    if (source === this.#first) this.#isMissed = true;
  }
}
