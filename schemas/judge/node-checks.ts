import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Operation, Schema } from '../contract/contract.ts';
import { formatAddress, getCoverageStates, listNodes, type Node } from '../contract/nodes.ts';
import { formatOccurringValuesAddress } from '../contract/requirements.ts';
import type { RequirementAddress } from '../contract/types.ts';
import { compileValidator } from '../contract/validators.ts';
import type { JsonPointer } from '../json.ts';

/** Checks of the values at one schema node, such as `/data/card`. `fields` and `items` check its fields and list elements. */
export interface NodeChecks {
  node: Node;
  requirements: RequirementAddress[];
  coverageStates: ReturnType<typeof getCoverageStates>;
  fields: Map<string, NodeChecks>;
  items: NodeChecks | undefined;
  /**
   * Validator of a whole body or one list element. Ignores the elements of lists within, which have validators of their own: all
   * errors of a long list at once might exhaust the memory. Undefined for a field, which is validated with its object.
   */
  validate: ValidateFunction | undefined;
}

const checksByOperation = new WeakMap<Operation, NodeChecks>();

export function getBodyChecks(operation: Operation): NodeChecks {
  const knownChecks = checksByOperation.get(operation);
  if (knownChecks) return knownChecks;
  const nodeByPointer = new Map(listNodes(operation).map((node) => [node.pointer, node]));
  const checks = buildChecks(nodeByPointer, '');
  checksByOperation.set(operation, checks);
  return checks;
}

function buildChecks(nodeByPointer: Map<JsonPointer, Node>, pointer: JsonPointer): NodeChecks {
  const node = nodeByPointer.get(pointer) as Node;
  const { operation, schema, kind } = node;
  const address = formatAddress(operation, pointer);
  const fieldNames = Object.keys(schema.properties ?? {});
  return {
    node,
    requirements: schema['x-values-that-occur']
      ? [address, formatOccurringValuesAddress(operation, pointer)]
      : [address],
    coverageStates: getCoverageStates(node),
    fields: new Map(fieldNames.map((name) => [name, buildChecks(nodeByPointer, `${pointer}/${name}`)])),
    items: schema.items && buildChecks(nodeByPointer, `${pointer}/*`),
    validate: kind === 'field' ? undefined : compileValidator(removeItemsKeyword(schema)),
  };
}

/** Copies a schema without the keyword `items` at any depth, so that it accepts arrays with any elements. */
function removeItemsKeyword({ items: _, ...schema }: Schema): Schema {
  if (!schema.properties) return schema;
  const fields = Object.entries(schema.properties);
  return {
    ...schema,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, removeItemsKeyword(field)])),
  };
}
