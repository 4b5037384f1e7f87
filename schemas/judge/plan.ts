import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Operation, Schema } from '../contract/contract.ts';
import { formatAddress, listCoverageStates, listNodes, type Node } from '../contract/nodes.ts';
import { occurring } from '../contract/requirements.ts';
import { compileValidator } from '../contract/validators.ts';

/** Checks for one schema node and the nodes below it. */
export interface Plan {
  node: Node;
  /** Addresses of the requirements that a value here exercises. */
  exercised: string[];
  /** Coverage states that a value here may show. */
  states: ReturnType<typeof listCoverageStates>;
  /** Plans of the fields of an object, keyed by name. */
  fields: Map<string, Plan>;
  /** Plan of the elements of an array. */
  items: Plan | undefined;
  /**
   * Validator of a body or of a list element, without the elements of the lists inside: Ajv collects all errors before it returns
   * (`allErrors`), and those of a long list would not fit into memory. Undefined for a field, which its object's validator covers.
   */
  validate: ValidateFunction | undefined;
}

const plans = new WeakMap<Operation, Plan>();

/** Returns the plan for the body of a success, built once for each operation. */
export function getPlan(operation: Operation): Plan {
  const collectNodes = () => new Map(listNodes(operation).map((node) => [node.pointer, node]));
  const plan = plans.get(operation) ?? buildPlan(collectNodes(), '');
  plans.set(operation, plan);
  return plan;
}

function buildPlan(nodes: Map<string, Node>, pointer: string): Plan {
  const node = nodes.get(pointer) as Node;
  const { operation, schema, kind } = node;
  const address = formatAddress(operation, pointer);
  const fields = Object.keys(schema.properties ?? {});
  return {
    node,
    exercised: schema['x-values-that-occur'] ? [address, occurring(operation, pointer)] : [address],
    states: listCoverageStates(node),
    fields: new Map(fields.map((name) => [name, buildPlan(nodes, `${pointer}/${name}`)])),
    items: schema.items && buildPlan(nodes, `${pointer}/*`),
    validate: kind === 'field' ? undefined : compileValidator(removeElements(schema)),
  };
}

/** Removes `items` from a schema and from the schemas of its properties, at any depth. */
function removeElements({ items: _, ...schema }: Schema): Schema {
  if (!schema.properties) return schema;
  const fields = Object.entries(schema.properties);
  return {
    ...schema,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, removeElements(field)])),
  };
}
