import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Operation, Schema } from '../contract/contract.ts';
import { formatAddress, listCoverageStates, listNodes, type Node } from '../contract/nodes.ts';
import { formatOccurringValuesAddress } from '../contract/requirements.ts';
import type { RequirementAddress } from '../contract/types.ts';
import { compileValidator } from '../contract/validators.ts';
import type { JsonPointer } from '../json.ts';

/** Tree of validators: what is checked of each value at one schema node, such as `/data/card`; `fields` and `items` are the nodes below. */
export interface NodeChecks {
  node: Node;
  requirements: RequirementAddress[];
  coverageStates: ReturnType<typeof listCoverageStates>;
  fields: Map<string, NodeChecks>;
  items: NodeChecks | undefined;
  /**
   * Validator for a whole body or one list element, without the elements of lists in it, because all errors of a long list at
   * once might exhaust the memory. Undefined for a field, which is validated with its object.
   */
  validate: ValidateFunction | undefined;
}

const checksByOperation = new WeakMap<Operation, NodeChecks>();

export function getBodyChecks(operation: Operation): NodeChecks {
  const knownChecks = checksByOperation.get(operation);
  if (knownChecks) return knownChecks;
  const nodesByPointer = new Map(listNodes(operation).map((node) => [node.pointer, node]));
  const checks = buildChecks(nodesByPointer, '');
  checksByOperation.set(operation, checks);
  return checks;
}

function buildChecks(nodesByPointer: Map<JsonPointer, Node>, pointer: JsonPointer): NodeChecks {
  const node = nodesByPointer.get(pointer) as Node;
  const { operation, schema, kind } = node;
  const address = formatAddress(operation, pointer);
  const fields = Object.keys(schema.properties ?? {});
  return {
    node,
    requirements: schema['x-values-that-occur']
      ? [address, formatOccurringValuesAddress(operation, pointer)]
      : [address],
    coverageStates: listCoverageStates(node),
    fields: new Map(fields.map((name) => [name, buildChecks(nodesByPointer, `${pointer}/${name}`)])),
    items: schema.items && buildChecks(nodesByPointer, `${pointer}/*`),
    validate: kind === 'field' ? undefined : compileValidator(removeElements(schema)),
  };
}

/** Copies a schema without `items`, also of its fields at any depth, so that it accepts arrays with any elements. */
function removeElements({ items: _, ...schema }: Schema): Schema {
  if (!schema.properties) return schema;
  const fields = Object.entries(schema.properties);
  return {
    ...schema,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, removeElements(field)])),
  };
}
