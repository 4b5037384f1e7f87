import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Operation, Schema } from '../contract/contract.ts';
import { addressOf, type Node, nodesOf, statesOf } from '../contract/nodes.ts';
import { occurring } from '../contract/requirements.ts';
import { validatorOf } from '../contract/validators.ts';

/** What there is to judge at a place of an answer. */
export interface Plan {
  node: Node;
  /** Requirements that a value here exercises. */
  exercised: string[];
  states: ReturnType<typeof statesOf>;
  fields: Map<string, Plan>;
  items: Plan | undefined;
  /**
   * What ajv judges at once: an answer, or an element of a list, without the elements of the lists in it. Ajv collects all
   * errors of what it is given before it returns: those of a long list would not fit into memory.
   */
  validate: ValidateFunction | undefined;
}

const plans = new WeakMap<Operation, Plan>();

/** What there is to judge in the body of a success. */
export function planOf(operation: Operation): Plan {
  const nodes = () => new Map(nodesOf(operation).map((node) => [node.pointer, node]));
  const plan = plans.get(operation) ?? build(nodes(), '');
  plans.set(operation, plan);
  return plan;
}

function build(nodes: Map<string, Node>, pointer: string): Plan {
  const node = nodes.get(pointer) as Node;
  const { operation, schema, kind } = node;
  const address = addressOf(operation, pointer);
  const fields = Object.keys(schema.properties ?? {});
  return {
    node,
    exercised: schema['x-values-that-occur'] ? [address, occurring(operation, pointer)] : [address],
    states: statesOf(node),
    fields: new Map(fields.map((name) => [name, build(nodes, `${pointer}/${name}`)])),
    items: schema.items && build(nodes, `${pointer}/*`),
    validate: kind === 'field' ? undefined : validatorOf(withoutElements(schema)),
  };
}

function withoutElements({ items: _, ...schema }: Schema): Schema {
  if (!schema.properties) return schema;
  const fields = Object.entries(schema.properties);
  return {
    ...schema,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, withoutElements(field)])),
  };
}
