import type { Operation } from '../../../schemas/contract/contract.ts';
import { type Plan, planOf } from '../../../schemas/contract/plan.ts';
import { isObjectOrArray } from '../../../schemas/json/read.ts';
import { shapesAt } from '../../../schemas/judge/shapes.ts';

/** What the contract says of an element of a list. @throws when it knows no such list. */
export function elementPlan(operation: Operation, pointer: string): Plan {
  const list = pointer
    .split('/')
    .slice(1)
    .reduce<Plan | undefined>((plan, step) => plan?.fields.get(step)?.plan, planOf(operation).body);
  if (!list?.items) throw new Error(`${operation.id} has no list ${pointer}`);
  return list.items;
}

/** The first record of each shape that is not skipped, by its index; of shapes beyond those that are distinguished, each record. */
type FirstOfShapes = (
  records: unknown[],
  skipped: ReadonlySet<number>,
) => Iterable<[shape: number, index: number]>;

/**
 * Numbers the shapes of the records of a list, in each run alike: which declared fields are there, of which type, and which known
 * values.
 */
export function createShapes(plan: Plan): FirstOfShapes {
  const numbers: number[] = [];
  return function* (records, skipped) {
    const { ofEach, times, rare } = shapesAt(plan).findIn(records);
    const [met, shapes] = [new Set<number>(), shapesToMeet(times, rare)];
    for (let index = 0; index < ofEach.length && met.size < shapes; index += 1) {
      const shape = ofEach[index];
      if ((shape !== undefined && met.has(shape)) || skipped.has(index)) continue;
      if (shape === undefined) yield [mixed(plan, records[index], 1), index];
      else {
        met.add(shape);
        numbers[shape] ??= mixed(plan, records[index], 1);
        yield [numbers[shape], index];
      }
    }
  };
}

/** How many shapes there are to meet; records without one may follow anywhere. */
const shapesToMeet = (times: number[], rare: number[]): number =>
  rare.length > 0 ? Number.POSITIVE_INFINITY : times.filter((count) => count > 0).length;

function mixed(plan: Plan, value: unknown, before: number): number {
  const state = plan.values.size > 0 ? plan.values.get(value) : undefined;
  let hash = mix(before, state === undefined ? kindOf(value) : 16 + state);
  if (!isObjectOrArray(value)) return hash;
  for (const { name, plan: field } of plan.members)
    hash = Object.hasOwn(value, name) ? mixed(field, value[name], hash) : mix(hash, 0);
  return hash;
}

const mix = (hash: number, part: number) => (Math.imul(hash ^ part, 0x9e3779b1) ^ (hash >>> 15)) | 0;

const kinds = ['undefined', 'string', 'number', 'boolean', 'object'];

const kindOf = (value: unknown) =>
  value === null ? 6 : Array.isArray(value) ? 7 : 1 + kinds.indexOf(typeof value);
