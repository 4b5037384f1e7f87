import type { JsonPointer } from '../json.ts';
import { describeExpectation } from './expectations.ts';
import type { ContractSection, Operation, RequirementAddress, Schema } from './types.ts';

/**
 * Schema node: the body of a response as `openapi.yaml` describes it, or one of its fields, or the elements of one of its lists.
 * The elements of a list share one node.
 */
export interface Node {
  operation: string;
  /** Pointer with `*` for every list element, such as `/data/customers/*`; empty for the body itself. */
  pointer: JsonPointer;
  /** Name of the field, such as `uuid`; `customers[]` for the elements of `customers`; `body` for the body. */
  name: string;
  kind: 'body' | 'field' | 'element';
  schema: Schema;
  /** True if the object must have the field. Has no meaning if `kind` is not `field`. */
  required?: boolean;
  /** `x-source` of this schema, or else of the nearest enclosing schema that has one. */
  source: ContractSection;
}

/** Lists all schema nodes of an operation's response in the order of `spec/openapi.yaml`, an object before its fields. */
export function listNodes(operation: Operation): Node[] {
  const { id, schema } = operation;
  const body = { operation: id, pointer: '', name: 'body', kind: 'body' } as const;
  return walkSchema(schema, body, '');
}

/**
 * Lists the node of a schema, then the nodes of its fields and elements.
 * @param inheritedSource section of the contract, used if the schema has no `x-source`
 */
function walkSchema(schema: Schema, node: Omit<Node, 'schema' | 'source'>, inheritedSource: string): Node[] {
  const source = schema['x-source'] ?? inheritedSource;
  const fieldNodes = Object.entries(schema.properties ?? {}).flatMap(([name, fieldSchema]) => {
    const required = schema.required?.includes(name) ?? false;
    const pointer = `${node.pointer}/${name}`;
    return walkSchema(fieldSchema, { ...node, pointer, name, kind: 'field', required }, source);
  });
  const element = { ...node, pointer: `${node.pointer}/*`, name: `${node.name}[]`, kind: 'element' } as const;
  const elementNodes = schema.items ? walkSchema(schema.items, element, source) : [];
  return [{ ...node, schema, source }, ...fieldNodes, ...elementNodes];
}

/** Formats the requirement of a schema node as a sentence: "`status`, when present, is one of Active, Inactive". */
export function describeNode({ kind, name, schema, required }: Node): string {
  const expected = describeExpectation(schema);
  if (kind === 'body') return `the body is ${expected}`;
  if (kind === 'element') return `each element of \`${name.replace('[]', '')}\` is ${expected}`;
  return `\`${name}\`${required ? '' : ', when present,'} is ${expected}`;
}

/** Returns the schema of a field from the schema of its object; undefined if the object schema has no such field. */
export function findField(objectSchema: Schema | undefined, name: string): Schema | undefined {
  const properties = objectSchema?.properties;
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/**
 * Finds the schema for a JSON Pointer into the response body, such as `/data/customers/0/uuid`. A step `*` in place of an index
 * is also followed. Undefined if the contract describes no such field.
 */
export function findSchema({ schema }: Pick<Operation, 'schema'>, pointer: JsonPointer): Schema | undefined {
  let found: Schema | undefined = schema;
  for (const step of pointer.split('/').slice(1)) {
    const isIndex = /^(\d+|\*)$/.test(step);
    found = isIndex ? found?.items : findField(found, step);
  }
  return found;
}

/**
 * Returns the address of the requirement for the field at a JSON Pointer: `getCard/data/card/id`. The address for the whole body
 * (an empty pointer) is `getCard/body`.
 */
export const formatAddress = (operation: string, pointer: JsonPointer): RequirementAddress =>
  pointer === '' ? `${operation}/body` : operation + pointer;

/** Returns the values that a schema lists: those of `enum`, or else of `x-values-that-occur`; otherwise an empty list. */
export const listKnownValues = (schema: Schema): unknown[] =>
  schema.enum ?? schema['x-values-that-occur'] ?? [];

/** Replaces each array index in a JSON Pointer by `*`: `/data/customers/0` becomes `/data/customers/*`. */
export const generalizePointer = (pointer: JsonPointer): JsonPointer =>
  pointer.replace(/\/\d+(?=\/|$)/g, '/*');

/**
 * Returns the key under which the suite counts how often responses contained a documented value:
 * `getCard/data/card/physical_status = Active`.
 */
export const formatValueState = (address: RequirementAddress, value: unknown): string =>
  `${address} = ${value}`;

/**
 * Lists the keys under which the suite counts what responses contained at a schema node. `values` has a key for each documented
 * value: `Active` is counted as `getCard/data/card/physical_status = Active`. `presence` has the two keys of an optional field,
 * such as `getCustomer/data/customer/email present` and `getCustomer/data/customer/email absent`; undefined for any other node.
 */
export function listCoverageStates({ operation, pointer, kind, required, schema }: Node) {
  const address = formatAddress(operation, pointer);
  const isOptionalField = kind === 'field' && !required;
  return {
    values: new Map(listKnownValues(schema).map((value) => [value, formatValueState(address, value)])),
    presence: isOptionalField ? { present: `${address} present`, absent: `${address} absent` } : undefined,
  };
}
