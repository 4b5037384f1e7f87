import type { Operation, Schema } from './contract.ts';
import { isObject, pointerOf } from './json.ts';
import { addressOf } from './nodes.ts';
import { occurring } from './requirements.ts';

/** How often an answer exercised each requirement, by address. */
export type Visits = Record<string, number>;

/** What one answer exercised, and the fields in it that the contract does not name. */
export interface Visited {
  visits: Visits;
  /** Presence of optional fields and enum values seen, such as `…/status = Active` or `…/status absent`. */
  states: Visits;
  /** Pointers of undeclared fields. */
  undeclared: string[];
}

/** Walks an answer along its schema: the numerator of coverage. */
export function visitsOf(operation: Operation, value: unknown): Visited {
  const plan = plans.get(operation) ?? planOf(operation.id, operation.schema, '');
  plans.set(operation, plan);
  const visited: Visited = { visits: {}, states: {}, undeclared: [] };
  walk(visited, plan, '', value);
  return visited;
}

/** What there is to count at a place, named once for all answers. */
interface Plan {
  address: string;
  occurring: string | undefined;
  /** Values that are states of coverage. */
  values: Map<unknown, string>;
  fields: Map<string, { plan: Plan; optional: boolean }>;
  items: Plan | undefined;
}

const plans = new WeakMap<Operation, Plan>();

function planOf(operation: string, schema: Schema, pattern: string): Plan {
  const address = addressOf(operation, pattern);
  const known: unknown[] = schema.enum ?? schema['x-values-that-occur'] ?? [];
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const plan = planOf(operation, field, `${pattern}/${name}`);
    return [name, { plan, optional: !schema.required?.includes(name) }] as const;
  });
  return {
    address,
    occurring: schema['x-values-that-occur'] && occurring(operation, pattern),
    values: new Map(known.map((value) => [value, `${address} = ${value}`])),
    fields: new Map(fields),
    items: schema.items && planOf(operation, schema.items, `${pattern}/*`),
  };
}

function walk(visited: Visited, plan: Plan, pointer: string, value: unknown): void {
  count(visited.visits, plan.address);
  if (plan.occurring) count(visited.visits, plan.occurring);
  const state = plan.values.get(value);
  if (state) count(visited.states, state);
  const { items } = plan;
  if (Array.isArray(value) && items) {
    value.forEach((element, index) => {
      walk(visited, items, `${pointer}/${index}`, element);
    });
  } else if (isObject(value) && plan.fields.size > 0) walkFields(visited, plan, pointer, value);
}

function walkFields(
  visited: Visited,
  { fields }: Plan,
  pointer: string,
  value: Record<string, unknown>,
): void {
  for (const [name, { plan, optional }] of fields) {
    const present = Object.hasOwn(value, name);
    if (optional) count(visited.states, `${plan.address} ${present ? 'present' : 'absent'}`);
    if (present) walk(visited, plan, `${pointer}/${name}`, value[name]);
  }
  const others = Object.keys(value).filter((name) => !fields.has(name));
  visited.undeclared.push(...others.map((name) => pointer + pointerOf([name])));
}

function count(visits: Visits, key: string): void {
  visits[key] = (visits[key] ?? 0) + 1;
}
