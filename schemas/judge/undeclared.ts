import type { Operation, Schema } from '../contract/contract.ts';
import { nodesOf } from '../contract/nodes.ts';
import { type Plan, planOf } from '../contract/plan.ts';
import { below, type Pointer, root } from '../json/pointer.ts';
import { isObjectOrArray, membersOf } from '../json/read.ts';
import type { Violation } from './judgement.ts';

/** A field that the contract does not name. */
export interface Undeclared {
  pointer: Pointer;
  name: string;
  value: unknown;
  /** The object that has it, where that stands, and its schema. */
  parent: Record<string, unknown>;
  parentPointer: Pointer;
  schema: Schema;
}

/** An object of an answer that the contract describes. */
interface Described {
  pointer: Pointer;
  plan: Plan;
  value: Record<string, unknown>;
}

/** Fields of an answer that the contract does not name, one by one. */
export function* undeclaredIn(operation: Operation, body: unknown): Generator<Undeclared> {
  for (const { pointer, plan, value: parent } of objectsIn(planOf(operation).body, root, body))
    for (const member of membersOf(parent)) {
      const field = fieldAt(plan, pointer, parent, member);
      if (field) yield field;
    }
}

/** A function of its own: in a generator, this would not be optimised. */
function fieldAt(
  { fields, schema }: Plan,
  parentPointer: Pointer,
  parent: Record<string, unknown>,
  member: [name: string, value: unknown],
): Undeclared | undefined {
  const name = member[0];
  if (fields.has(name)) return undefined;
  const pointer = below(parentPointer, name);
  return { pointer, name, value: member[1], parent, parentPointer, schema };
}

function* objectsIn(plan: Plan, pointer: Pointer, value: unknown): Generator<Described> {
  if (plan.items && Array.isArray(value)) {
    let index = 0;
    for (const element of value) yield* objectsIn(plan.items, below(pointer, index++), element);
  } else if (plan.members.length > 0 && isObjectOrArray(value)) {
    yield { pointer, plan, value };
    for (const { name, plan: field } of plan.members)
      if (Object.hasOwn(value, name)) yield* objectsIn(field, below(pointer, name), value[name]);
  }
}

/** Fields under another name that the contract knows to be in use. */
export function* renamedIn(operation: Operation, body: unknown): Generator<Violation> {
  if (!nodesOf(operation).some(({ schema }) => schema['x-observed-names'])) return;
  for (const { pointer, plan, value: parent } of objectsIn(planOf(operation).body, root, body))
    for (const [name, own] of plan.observedNames) {
      const field = plan.fields.get(own)?.plan;
      if (!field || Object.hasOwn(parent, own) || !Object.hasOwn(parent, name)) continue;
      const value = parent[name];
      yield {
        requirement: field.address,
        pointer: below(pointer, own),
        expected: `a field named ${own}`,
        value: undefined,
        actual: `a field named ${name} in its place, ${value === null ? 'null' : `a ${typeof value}`}`,
      };
    }
}
