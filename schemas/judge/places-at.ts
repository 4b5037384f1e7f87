import { isRecord } from '../json/read.ts';
import { memoize } from '../memoize.ts';

/** A value of an answer, where it stands, and the object that has it. */
export interface PlaceAt {
  readonly pointer: string;
  /** Undefined where the object does not have the field. */
  readonly value: unknown;
  readonly parent: Record<string, unknown>;
}

/** Tells which objects are looked at. */
type Accepts = (parent: Record<string, unknown>) => boolean;

/** Where a pointer leads to: fields to follow, those to follow in each element of the list behind them, and so on, and the last field. */
interface Steps {
  parts: string[][];
  name: string;
}

/**
 * Each place that a pointer leads to, where `*` stands for every element of an array; the last step is a field.
 * @param accepts leaves out places in other objects
 */
export function placesAt(body: unknown, pattern: string, accepts: Accepts = anyObject): Iterable<PlaceAt> {
  return placesBelow('', body, stepsOf(pattern), accepts);
}

const anyObject: Accepts = () => true;

const stepsOf = memoize((pattern): Steps => {
  const steps = pattern.split('/').slice(1);
  const name = steps.pop() ?? '';
  const parts: string[][] = [[]];
  for (const step of steps) {
    if (step === '*') parts.push([]);
    else parts.at(-1)?.push(step);
  }
  return { parts, name };
});

function placesBelow(
  pointer: string,
  value: unknown,
  { parts: [own = [], ...rest], name }: Steps,
  accepts: Accepts,
): Iterable<PlaceAt> {
  const at = valueAlong(value, own);
  const place = [pointer, ...own].join('/');
  if (rest.length === 0) return isRecord(at) && accepts(at) ? [new Place(at, name, place)] : [];
  return Array.isArray(at) ? placesInList(place, at, { parts: rest, name }, accepts) : [];
}

/** Elements of the last list are looked at without a generator for each: there may be millions. */
function* placesInList(
  pointer: string,
  elements: unknown[],
  steps: Steps,
  accepts: Accepts,
): Generator<PlaceAt> {
  const [own = [], ...rest] = steps.parts;
  let index = -1;
  for (const element of elements) {
    index += 1;
    if (rest.length > 0) yield* placesBelow(`${pointer}/${index}`, element, steps, accepts);
    else {
      const at = valueAlong(element, own);
      if (isRecord(at) && accepts(at)) yield new Place(at, steps.name, pointer, index, own);
    }
  }
}

/** Its pointer is put together only where somebody reads it. */
class Place implements PlaceAt {
  readonly value: unknown;
  readonly parent: Record<string, unknown>;
  readonly #name: string;
  readonly #before: string;
  readonly #index: number | undefined;
  readonly #steps: string[];

  constructor(
    parent: Record<string, unknown>,
    name: string,
    before: string,
    index?: number,
    steps: string[] = [],
  ) {
    this.parent = parent;
    this.value = Object.hasOwn(parent, name) ? parent[name] : undefined;
    this.#name = name;
    this.#before = before;
    this.#index = index;
    this.#steps = steps;
  }

  get pointer(): string {
    const before = this.#index === undefined ? this.#before : `${this.#before}/${this.#index}`;
    return this.#steps.length === 0
      ? `${before}/${this.#name}`
      : `${before}/${this.#steps.join('/')}/${this.#name}`;
  }
}

/** The value behind some fields, each in the one before it. */
function valueAlong(value: unknown, steps: string[]): unknown {
  let at = value;
  for (const step of steps) {
    if (!isRecord(at) || !Object.hasOwn(at, step)) return undefined;
    at = at[step];
  }
  return at;
}
