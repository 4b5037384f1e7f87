import type { Plan } from '../contract/plan.ts';
import { isObject } from '../json/read.ts';

/** Shapes that are told apart: a target may send any number. */
export const maxShapes = 500;

/**
 * What follows from the shape of a value alone: which declared fields are there, of which type, and which known values they have.
 * It is computed once for each shape, since the records of a list have few.
 */
export class ShapeMemo<Result> {
  readonly #plan: Plan;
  readonly #compute: (value: unknown) => Result;
  readonly #root: Branch<Result> = { next: [] };
  #size = 0;

  constructor(plan: Plan, compute: (value: unknown) => Result) {
    this.#plan = plan;
    this.#compute = compute;
  }

  /** @returns undefined for shapes beyond `maxShapes` */
  of(value: unknown): Result | undefined {
    const isFull = this.#size >= maxShapes;
    const leaf = follow(this.#root, this.#plan, value, isFull);
    if (!leaf || leaf.result !== undefined || isFull) return leaf?.result;
    leaf.result = this.#compute(value);
    this.#size += 1;
    return leaf.result;
  }
}

/** Values that have been the same so far, along the plan. */
interface Branch<Result> {
  next: (Branch<Result> | undefined)[];
  result?: Result;
}

/** The branch behind a value. @param isFull whether none is added */
function follow<Result>(
  from: Branch<Result>,
  { firstState, values, members }: Plan,
  value: unknown,
  isFull: boolean,
): Branch<Result> | undefined {
  const state = values.size > 0 ? values.get(value) : undefined;
  let at = step(from, state === undefined ? kindOf(value) : kinds + state - firstState, isFull);
  if (!isObject(value) || Array.isArray(value)) return at;
  for (let index = 0; at && index < members.length; index += 1) {
    const { name, inherited, plan } = members[index] as Plan['members'][number];
    const own = value[name];
    at = own === inherited ? step(at, absent, isFull) : follow(at, plan, own, isFull);
  }
  return at;
}

function step<Result>({ next }: Branch<Result>, code: number, isFull: boolean): Branch<Result> | undefined {
  const known = next[code];
  if (known || isFull) return known;
  while (next.length < code) next.push(undefined);
  const added: Branch<Result> = { next: [] };
  next[code] = added;
  return added;
}

/** What stands behind a branch: a field that is not there, a kind of value, or, from `kinds`, a known value. */
const [absent, kinds] = [0, 7];

function kindOf(value: unknown): number {
  if (typeof value === 'string') return 1;
  if (typeof value === 'number') return 2;
  if (typeof value === 'boolean') return 3;
  if (value === null) return 4;
  return Array.isArray(value) ? 5 : 6;
}
