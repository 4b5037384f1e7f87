import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Operation, Schema } from '../contract/contract.ts';
import { formatAddress, listCoverageStates, listNodes, type Node } from '../contract/nodes.ts';
import { formatOccurringValuesAddress } from '../contract/requirements.ts';
import { compileValidator } from '../contract/validators.ts';

/** Prepared checks for the values at one schema node, such as `/data/card`, and at the nodes below it. */
export interface NodeChecks {
  node: Node;
  /** Addresses of the requirements that are judged by each value at this node, such as `getCard/data/card/status`. */
  exercised: string[];
  /** Coverage states that a value at this node may show, such as `…/status = Active`. */
  states: ReturnType<typeof listCoverageStates>;
  fields: Map<string, NodeChecks>;
  items: NodeChecks | undefined;
  /**
   * Validator of a whole body or of one list element. Leaves out the elements of lists inside, which have validators of their own:
   * Ajv collects all errors before it returns (`allErrors`), and those of a long list would not fit into memory. Undefined for a
   * field, which the validator of its object covers.
   */
  validate: ValidateFunction | undefined;
}

const plans = new WeakMap<Operation, NodeChecks>();

/** Returns the prepared checks for the body of an operation's success, built at the first call. */
export function getBodyChecks(operation: Operation): NodeChecks {
  const collectNodes = () => new Map(listNodes(operation).map((node) => [node.pointer, node]));
  const plan = plans.get(operation) ?? buildPlan(collectNodes(), '');
  plans.set(operation, plan);
  return plan;
}

function buildPlan(nodes: Map<string, Node>, pointer: string): NodeChecks {
  const node = nodes.get(pointer) as Node;
  const { operation, schema, kind } = node;
  const address = formatAddress(operation, pointer);
  const fields = Object.keys(schema.properties ?? {});
  return {
    node,
    exercised: schema['x-values-that-occur']
      ? [address, formatOccurringValuesAddress(operation, pointer)]
      : [address],
    states: listCoverageStates(node),
    fields: new Map(fields.map((name) => [name, buildPlan(nodes, `${pointer}/${name}`)])),
    items: schema.items && buildPlan(nodes, `${pointer}/*`),
    validate: kind === 'field' ? undefined : compileValidator(removeElements(schema)),
  };
}

/** Returns a schema without `items` at any depth of its properties, so that it accepts arrays with any elements. */
function removeElements({ items: _, ...schema }: Schema): Schema {
  if (!schema.properties) return schema;
  const fields = Object.entries(schema.properties);
  return {
    ...schema,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, removeElements(field)])),
  };
}
