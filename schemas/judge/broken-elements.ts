import { isObjectOrArray, isRecord } from '../json/read.ts';
import type { Violation } from './judgement.ts';

/** Values that are kept, and how long they may be. */
const [maxValues, longest] = [10_000, 40];

interface Broken {
  violations: Violation[];
  repeated: number;
}

/** Elements of a list that break the contract. A small one that is repeated is counted, and not judged again. */
export class BrokenElements {
  readonly #scalars = new Map<unknown, Broken>();
  readonly #containers = new Map<unknown, Broken>();
  readonly #fields: string[] | undefined;

  /** @param fields names that matter in an object: without them it is like an empty one; all matter if undefined */
  constructor(fields: string[] | undefined) {
    this.#fields = fields;
  }

  /** @returns whether it is one that was kept */
  count(element: unknown): boolean {
    const known = this.#kindOf(element).get(this.#keyOf(element));
    if (known) known.repeated += 1;
    return known !== undefined;
  }

  /** Keeps what is found in an element. */
  *keep(element: unknown, found: Iterable<Violation>): Generator<Violation> {
    const kind = this.#kindOf(element);
    const key = kind.size < maxValues ? this.#keyOf(element) : undefined;
    if (key === undefined) return yield* found;
    const violations = [...found];
    if (violations.length > 0) kind.set(key, { violations, repeated: 0 });
    yield* violations;
  }

  /** What was found again, with how often, at the place where it was found first. */
  *repetitions(): Generator<Violation> {
    for (const kind of [this.#scalars, this.#containers])
      for (const { violations, repeated } of kind.values())
        if (repeated > 0) for (const one of violations) yield { ...one, places: repeated };
  }

  #keyOf = (element: unknown) => (this.#isLikeEmpty(element) ? false : keyOf(element));

  #isLikeEmpty = (element: unknown) =>
    isRecord(element) && this.#fields?.some((name) => Object.hasOwn(element, name)) === false;

  #kindOf = (element: unknown) => (isObjectOrArray(element) ? this.#containers : this.#scalars);
}

/** The same for the same values; undefined for what is long, or holds more than two small values. */
function keyOf(element: unknown): unknown {
  if (typeof element === 'string') return element.length <= longest ? element : undefined;
  if (!isObjectOrArray(element)) return element;
  const parts = Array.isArray(element) ? element : Object.values(element);
  if (parts.length === 0) return Array.isArray(element);
  if (parts.length > 2 || parts.some(isObjectOrArray)) return undefined;
  const text = JSON.stringify(element);
  return text.length <= longest ? text : undefined;
}
