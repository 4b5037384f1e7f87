import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Operation, Schema } from '../contract/contract.ts';
import { formatAddress, getCoverageStates, listNodes, type Node } from '../contract/nodes.ts';
import { formatOccurringValuesAddress } from '../contract/requirements.ts';
import type { RequirementAddress } from '../contract/types.ts';
import { compileValidator } from '../contract/validators.ts';
import type { JsonPointer } from '../json.ts';

/** Checks for the values at a schema node. The checks for its child nodes are in `fields` and `items`. */
export interface NodeChecks {
  node: Node;
  requirements: RequirementAddress[];
  /** Keys in `documentedValueCounts`, such as `getCard/data/card/physical_status = Active`. */
  coverageStates: ReturnType<typeof getCoverageStates>;
  fields: Map<string, NodeChecks>;
  items: NodeChecks | undefined;
  /**
   * Validator of a body or list element. The validator checks fields at any depth. The validator ignores the elements of lists,
   * because each element has a validator of its own.
   * Undefined for a field, because the validator of the enclosing body or list element checks the field.
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
  const requirements = [formatAddress(operation, pointer)];
  if (schema['x-values-that-occur']) requirements.push(formatOccurringValuesAddress(operation, pointer));
  const fields = new Map<string, NodeChecks>();
  for (const name of Object.keys(schema.properties ?? {}))
    fields.set(name, buildChecks(nodeByPointer, `${pointer}/${name}`));
  const hasOwnValidator = kind !== 'field';
  return {
    node,
    requirements,
    coverageStates: getCoverageStates(node),
    fields,
    items: schema.items && buildChecks(nodeByPointer, `${pointer}/*`),
    // Each list element has a validator of its own, because all errors of a long list at once might exhaust the memory.
    validate: hasOwnValidator ? compileValidator(removeItemsKeyword(schema)) : undefined,
  };
}

function removeItemsKeyword({ items: _, ...schemaWithoutItems }: Schema): Schema {
  const { properties } = schemaWithoutItems;
  if (!properties) return schemaWithoutItems;
  const fields = Object.entries(properties).map(([name, schema]) => [name, removeItemsKeyword(schema)]);
  return { ...schemaWithoutItems, properties: Object.fromEntries(fields) };
}
