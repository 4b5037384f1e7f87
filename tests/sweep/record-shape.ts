import type { Operation } from '../../schemas/contract.ts';
import { isObject } from '../../schemas/json.ts';
import { type Plan, planOf } from '../../schemas/plan.ts';

/** What the contract says of an element of a list. @throws when it knows no such list. */
export function elementPlan(operation: Operation, pointer: string): Plan {
  const list = pointer
    .split('/')
    .slice(1)
    .reduce<Plan | undefined>((plan, step) => plan?.fields.get(step)?.plan, planOf(operation).body);
  if (!list?.items) throw new Error(`${operation.id} has no list ${pointer}`);
  return list.items;
}

/** A number for the shape of a record: which declared fields are there, of which type, and which known values. */
export const shapeOf = (plan: Plan, record: unknown): number => mixed(plan, record, 1);

function mixed(plan: Plan, value: unknown, before: number): number {
  const state = plan.values.size > 0 ? plan.values.get(value) : undefined;
  let hash = mix(before, state === undefined ? kindOf(value) : 16 + state);
  if (plan.fields.size === 0 || !isObject(value)) return hash;
  for (const [name, { plan: field }] of plan.fields)
    hash = Object.hasOwn(value, name) ? mixed(field, value[name], hash) : mix(hash, 0);
  return hash;
}

const mix = (hash: number, part: number) => (Math.imul(hash ^ part, 0x9e3779b1) ^ (hash >>> 15)) | 0;

const kinds = ['undefined', 'string', 'number', 'boolean', 'object'];

const kindOf = (value: unknown) =>
  value === null ? 6 : Array.isArray(value) ? 7 : 1 + kinds.indexOf(typeof value);
