import type { Operation } from '../contract/contract.ts';
import { type AnswerPlan, type Plan, planOf } from '../contract/plan.ts';
import { isObjectOrArray, sizeOf } from '../json/read.ts';
import { shapesAt } from './shapes.ts';

/** How often an answer exercised each requirement, by address. */
export type Visits = Record<string, number>;

/** What one answer exercised. */
export interface Visited {
  visits: Visits;
  /** Presence of optional fields and enum values seen, such as `…/status = Active` or `…/status absent`. */
  states: Visits;
  /** Whether there are fields in it that the contract does not name. */
  hasUndeclared: boolean;
  /** Whether a field is missing beside a value that promises it. */
  lacksPromised: boolean;
}

/**
 * Walks an answer along its schema: the numerator of coverage.
 * @param members how many its objects have in all, where that is known: then of all elements of a list that have one shape only the
 * first is walked
 */
export function visitsOf(operation: Operation, value: unknown, members?: number): Visited {
  const counts = countsIn(operation, value, members !== undefined);
  return {
    ...labelled(counts),
    hasUndeclared: members === undefined ? counts.hasUndeclared : members > counts.declared,
    lacksPromised: counts.lacksPromised,
  };
}

/** The same of what the contract names alone. */
export const declaredVisitsOf = (operation: Operation, value: unknown): Pick<Visited, 'visits' | 'states'> =>
  labelled(countsIn(operation, value, true));

function countsIn(operation: Operation, value: unknown, knowsMembers: boolean): Counts {
  const plan = planOf(operation);
  const counts = noneOf(plan, knowsMembers);
  walk(counts, plan.body, value);
  return counts;
}

const labelled = ({ plan, visits, states }: Counts) => ({
  visits: named(plan.addresses, visits),
  states: named(plan.states, states),
});

interface Counts {
  plan: AnswerPlan;
  visits: Uint32Array;
  states: Uint32Array;
  /** Members that the contract names. */
  declared: number;
  /** Whether an object has others; not looked for where that follows from how many there are in all. */
  hasUndeclared: boolean;
  lacksPromised: boolean;
  knowsMembers: boolean;
}

const noneOf = (plan: AnswerPlan, knowsMembers: boolean): Counts => ({
  plan,
  visits: new Uint32Array(plan.addresses.length),
  states: new Uint32Array(plan.states.length),
  declared: 0,
  hasUndeclared: false,
  lacksPromised: false,
  knowsMembers,
});

function walk(counts: Counts, plan: Plan, value: unknown): void {
  for (const number of plan.exercised) count(counts.visits, number);
  const state = plan.values.size > 0 ? plan.values.get(value) : undefined;
  if (state !== undefined) count(counts.states, state);
  if (!isObjectOrArray(value)) return;
  if (plan.items && Array.isArray(value)) walkList(counts, plan.items, value);
  else if (plan.members.length > 0) walkFields(counts, plan, value);
  if (plan.promised.length > 0) lookForPromised(counts, plan, value);
}

/** A field that is promised beside a value of another one. */
function lookForPromised(counts: Counts, { promised }: Plan, value: Record<string, unknown>): void {
  for (const { name, other, value: expected, exercised } of promised) {
    if (!Object.hasOwn(value, other) || value[other] !== expected) continue;
    count(counts.visits, exercised);
    counts.lacksPromised ||= !Object.hasOwn(value, name);
  }
}

function walkFields(counts: Counts, { members }: Plan, value: Record<string, unknown>): void {
  let declared = 0;
  for (const { name, plan, states } of members) {
    const isPresent = Object.hasOwn(value, name);
    if (states) count(counts.states, isPresent ? states.present : states.absent);
    if (!isPresent) continue;
    declared += 1;
    walk(counts, plan, value[name]);
  }
  counts.declared += declared;
  if (!counts.knowsMembers) counts.hasUndeclared ||= !Array.isArray(value) && sizeOf(value) > declared;
}

function walkList(counts: Counts, items: Plan, list: unknown[]): void {
  if (!counts.knowsMembers || hasLists(items)) for (const element of list) walk(counts, items, element);
  else walkShapes(counts, items, list);
}

/** Of elements of one shape, only the first that was ever met is walked. */
function walkShapes(counts: Counts, items: Plan, list: unknown[]): void {
  const byShape = countsByShape(items);
  const { ofEach, times, rare } = shapesAt(items).findIn(list);
  times.forEach((count, shape) => {
    byShape[shape] ??= countsOf(counts.plan, items, list[ofEach.indexOf(shape)]);
    add(counts, byShape[shape], count);
  });
  for (const index of rare) walk(counts, items, list[index]);
}

function countsOf(plan: AnswerPlan, items: Plan, element: unknown): Counts {
  const counts = noneOf(plan, true);
  walk(counts, items, element);
  return counts;
}

const counted = new WeakMap<Plan, Counts[]>();

/** What elements of a list exercise, by their shape. */
function countsByShape(items: Plan): Counts[] {
  const counts = counted.get(items) ?? [];
  counted.set(items, counts);
  return counts;
}

/** How many elements a list has in a record, its shape does not say. */
const hasLists = ({ items, members }: Plan): boolean =>
  items !== undefined || members.some(({ plan }) => hasLists(plan));

function add(counts: Counts, shape: Counts, times: number): void {
  addTimes(counts.visits, shape.visits, times);
  addTimes(counts.states, shape.states, times);
  counts.declared += times * shape.declared;
  counts.lacksPromised ||= shape.lacksPromised;
}

function addTimes(counts: Uint32Array, more: Uint32Array, times: number): void {
  for (let number = 0; number < more.length; number += 1)
    counts[number] = (counts[number] ?? 0) + times * (more[number] ?? 0);
}

function count(counts: Uint32Array, number: number, times = 1): void {
  counts[number] = (counts[number] ?? 0) + times;
}

/** Counts by what is counted, without what was not seen. */
function named(labels: string[], counts: Uint32Array): Visits {
  const seen: Visits = {};
  for (let number = 0; number < counts.length; number += 1) {
    const count = counts[number] ?? 0;
    if (count > 0) seen[labels[number] ?? ''] = count;
  }
  return seen;
}
