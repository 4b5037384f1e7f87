import type { Plan } from '../contract/plan.ts';
import { isRecord } from '../json/read.ts';

/** Shapes that are distinguished: a target may send any number. */
export const maxShapes = 500;

/**
 * The shapes of values at one place, by number: which declared fields are there, of which type, and which known values they have.
 * What follows from these alone is computed once for each shape, since the records of a list have few.
 */
export class Shapes {
  readonly #plan: Plan;
  readonly #root: Branch = { next: [] };
  #size = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Finds the shapes of the elements of a list, which go with it: whoever looks at them later need not find them again. */
  findIn(list: ListWithShapes): FoundShapes {
    if (list[found]?.by === this) return list[found].shapes;
    const shapes = this.#ofEach(list);
    Object.defineProperty(list, found, { value: { by: this, shapes }, configurable: true });
    return shapes;
  }

  #ofEach(list: unknown[]): FoundShapes {
    const [ofEach, times, rare]: [FoundShapes['ofEach'], number[], number[]] = [[], [], []];
    for (let index = 0; index < list.length; index += 1) {
      const leaf = follow(this.#root, this.#plan, list[index], this.#size >= maxShapes);
      const shape = leaf && (leaf.shape ?? this.#number(leaf));
      ofEach.push(shape);
      if (shape === undefined) rare.push(index);
      else times[shape] = (times[shape] ?? 0) + 1;
    }
    return { ofEach, times, rare };
  }

  #number(leaf: Branch): number | undefined {
    if (this.#size >= maxShapes) return undefined;
    leaf.shape = this.#size;
    this.#size += 1;
    return leaf.shape;
  }
}

/** The shapes of the elements of a list. */
export interface FoundShapes {
  /** The shape of each element, by its index; undefined where it is none of those that are distinguished. */
  ofEach: (number | undefined)[];
  /** How many elements have a shape, by its number. */
  times: number[];
  /** Indices of the elements without one. */
  rare: number[];
}

const found = Symbol('shapes');

type ListWithShapes = unknown[] & { [found]?: { by: Shapes; shapes: FoundShapes } };

const known = new WeakMap<Plan, Shapes>();

/** The shapes that values have at a place. */
export function shapesAt(plan: Plan): Shapes {
  const shapes = known.get(plan) ?? new Shapes(plan);
  known.set(plan, shapes);
  return shapes;
}

/** Values that have been the same so far, along the plan. */
interface Branch {
  next: (Branch | undefined)[];
  shape?: number;
}

/** The branch behind a value. @param isFull whether none is added */
function follow(
  from: Branch,
  { firstState, values, members }: Plan,
  value: unknown,
  isFull: boolean,
): Branch | undefined {
  const state = values.size > 0 ? values.get(value) : undefined;
  let at = step(from, state === undefined ? kindOf(value) : kinds + state - firstState, isFull);
  if (!isRecord(value)) return at;
  for (let index = 0; at && index < members.length; index += 1) {
    const { name, inherited, plan } = members[index] as Plan['members'][number];
    const own = value[name];
    if (own === inherited) at = step(at, absent, isFull);
    else if (typeof own === 'string' && plan.values.size === 0) at = step(at, aString, isFull);
    else at = follow(at, plan, own, isFull);
  }
  return at;
}

function step({ next }: Branch, code: number, isFull: boolean): Branch | undefined {
  const known = next[code];
  if (known || isFull) return known;
  while (next.length < code) next.push(undefined);
  const added: Branch = { next: [] };
  next[code] = added;
  return added;
}

/** What stands behind a branch: a field that is not there, a kind of value, or, from `kinds`, a known value. */
const [absent, aString, kinds] = [0, 1, 7];

function kindOf(value: unknown): number {
  if (typeof value === 'string') return aString;
  if (typeof value === 'number') return 2;
  if (typeof value === 'boolean') return 3;
  if (value === null) return 4;
  return Array.isArray(value) ? 5 : 6;
}
