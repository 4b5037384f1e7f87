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
  const visited: Visited = { visits: {}, states: {}, undeclared: [] };
  walk(visited, { operation: operation.id, schema: operation.schema, pattern: '', pointer: '' }, value);
  return visited;
}

interface Place {
  operation: string;
  schema: Schema;
  pattern: string;
  pointer: string;
}

function walk(visited: Visited, place: Place, value: unknown): void {
  const { operation, schema, pattern, pointer } = place;
  count(visited.visits, addressOf(operation, pattern));
  if (schema['x-values-that-occur']) count(visited.visits, occurring(operation, pattern));
  const known: unknown[] = schema.enum ?? schema['x-values-that-occur'] ?? [];
  if (known.includes(value)) count(visited.states, `${addressOf(operation, pattern)} = ${value}`);
  if (Array.isArray(value) && schema.items) {
    const items = schema.items;
    value.forEach((element, index) => {
      walk(
        visited,
        { operation, schema: items, pattern: `${pattern}/*`, pointer: `${pointer}/${index}` },
        element,
      );
    });
  } else if (isObject(value) && schema.properties) walkFields(visited, place, value);
}

function walkFields(visited: Visited, place: Place, value: Record<string, unknown>): void {
  const { operation, schema, pattern, pointer } = place;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const below = {
      operation,
      schema: field,
      pattern: `${pattern}/${name}`,
      pointer: `${pointer}/${name}`,
    };
    const present = Object.hasOwn(value, name);
    if (!schema.required?.includes(name)) {
      count(visited.states, `${addressOf(operation, below.pattern)} ${present ? 'present' : 'absent'}`);
    }
    if (present) walk(visited, below, value[name]);
  }
  const declared = new Set(Object.keys(schema.properties ?? {}));
  const others = Object.keys(value).filter((name) => !declared.has(name));
  visited.undeclared.push(...others.map((name) => pointer + pointerOf([name])));
}

function count(visits: Visits, key: string): void {
  visits[key] = (visits[key] ?? 0) + 1;
}
