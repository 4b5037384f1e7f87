import type { Operation } from './contract.ts';
import { isObject, sizeOf } from './json.ts';
import { type Plan, planOf } from './plan.ts';

/** How often an answer exercised each requirement, by address. */
export type Visits = Record<string, number>;

/** What one answer exercised. */
export interface Visited {
  visits: Visits;
  /** Presence of optional fields and enum values seen, such as `…/status = Active` or `…/status absent`. */
  states: Visits;
  /** Whether there are fields in it that the contract does not name. */
  hasUndeclared: boolean;
}

/** Walks an answer along its schema: the numerator of coverage. */
export function visitsOf(operation: Operation, value: unknown): Visited {
  const { body, addresses, states } = planOf(operation);
  const counts: Counts = {
    visits: new Uint32Array(addresses.length),
    states: new Uint32Array(states.length),
    hasUndeclared: false,
  };
  walk(counts, body, value);
  return {
    visits: named(addresses, counts.visits),
    states: named(states, counts.states),
    hasUndeclared: counts.hasUndeclared,
  };
}

interface Counts {
  visits: Uint32Array;
  states: Uint32Array;
  hasUndeclared: boolean;
}

function walk(counts: Counts, plan: Plan, value: unknown): void {
  for (const number of plan.exercised) count(counts.visits, number);
  const state = plan.values.size > 0 ? plan.values.get(value) : undefined;
  if (state !== undefined) count(counts.states, state);
  if (!isObject(value)) return;
  if (plan.items && Array.isArray(value)) for (const element of value) walk(counts, plan.items, element);
  else if (plan.fields.size > 0) walkFields(counts, plan, value);
}

function walkFields(counts: Counts, { fields }: Plan, value: Record<string, unknown>): void {
  let declared = 0;
  for (const [name, { plan, states }] of fields) {
    const isPresent = Object.hasOwn(value, name);
    if (states) count(counts.states, isPresent ? states.present : states.absent);
    if (!isPresent) continue;
    declared += 1;
    walk(counts, plan, value[name]);
  }
  counts.hasUndeclared ||= !Array.isArray(value) && sizeOf(value) > declared;
}

function count(counts: Uint32Array, number: number): void {
  counts[number] = (counts[number] ?? 0) + 1;
}

/** Counts by what is counted, without what was not seen. */
function named(labels: string[], counts: Uint32Array): Visits {
  const seen = labels.map((label, number): [string, number] => [label, counts[number] ?? 0]);
  return Object.fromEntries(seen.filter(([, count]) => count > 0));
}
