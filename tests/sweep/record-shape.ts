import type { Operation } from '../../schemas/contract/contract.ts';
import { type Plan, planOf } from '../../schemas/contract/plan.ts';
import { isObject } from '../../schemas/json/read.ts';
import { ShapeMemo } from '../../schemas/judge/shape-memo.ts';

/** What the contract says of an element of a list. @throws when it knows no such list. */
export function elementPlan(operation: Operation, pointer: string): Plan {
  const list = pointer
    .split('/')
    .slice(1)
    .reduce<Plan | undefined>((plan, step) => plan?.fields.get(step)?.plan, planOf(operation).body);
  if (!list?.items) throw new Error(`${operation.id} has no list ${pointer}`);
  return list.items;
}

/** Makes a number for the shape of a record: which declared fields are there, of which type, and which known values. */
export function createShapes(plan: Plan): (record: unknown) => number {
  const numberOf = (record: unknown) => mixed(plan, record, 1);
  const memo = new ShapeMemo(plan, numberOf);
  return (record) => memo.of(record) ?? numberOf(record);
}

function mixed(plan: Plan, value: unknown, before: number): number {
  const state = plan.values.size > 0 ? plan.values.get(value) : undefined;
  let hash = mix(before, state === undefined ? kindOf(value) : 16 + state);
  if (!isObject(value)) return hash;
  for (const { name, plan: field } of plan.members)
    hash = Object.hasOwn(value, name) ? mixed(field, value[name], hash) : mix(hash, 0);
  return hash;
}

const mix = (hash: number, part: number) => (Math.imul(hash ^ part, 0x9e3779b1) ^ (hash >>> 15)) | 0;

const kinds = ['undefined', 'string', 'number', 'boolean', 'object'];

const kindOf = (value: unknown) =>
  value === null ? 6 : Array.isArray(value) ? 7 : 1 + kinds.indexOf(typeof value);
