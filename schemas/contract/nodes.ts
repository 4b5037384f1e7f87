import type { JsonPointer } from '../json.ts';
import { describeExpectation } from './expectations.ts';
import type { ContractSection, Operation, RequirementAddress, Schema } from './types.ts';

/** Part of a response schema that has requirements of its own: the body, a field at any depth, or the elements of a list. */
export interface Node {
  operation: string;
  /** Pointer with `*` for every list element, such as `/data/customers/*`; empty for the body itself. */
  pointer: JsonPointer;
  /** Name of the field, such as `uuid`; `customers[]` for the elements of `customers`; `body` for the body. */
  name: string;
  kind: 'body' | 'field' | 'element';
  schema: Schema;
  /** True if the object must have the field. Undefined if `kind` is not `field`. */
  required?: boolean;
  /** `x-source` of this schema, or else of the nearest enclosing schema that has one. */
  source: ContractSection;
}

/** Lists the schema nodes of a response in the order of `spec/openapi.yaml`, an object before its fields. */
export function listNodes(operation: Operation): Node[] {
  const { id, schema } = operation;
  const body = { operation: id, pointer: '', name: 'body', kind: 'body' } as const;
  return listSubtree(body, schema, '');
}

/** Lists a schema node, then the nodes within. @param inheritedSource `x-source` of the nearest enclosing schema */
function listSubtree(node: Omit<Node, 'schema' | 'source'>, schema: Schema, inheritedSource: string): Node[] {
  const source = schema['x-source'] ?? inheritedSource;
  const fieldNodes = Object.entries(schema.properties ?? {}).flatMap(([name, fieldSchema]) => {
    const required = schema.required?.includes(name) ?? false;
    const pointer = `${node.pointer}/${name}`;
    return listSubtree({ ...node, pointer, name, kind: 'field', required }, fieldSchema, source);
  });
  const { operation, pointer, name } = node;
  const element = { operation, pointer: `${pointer}/*`, name: `${name}[]`, kind: 'element' } as const;
  const elementNodes = schema.items ? listSubtree(element, schema.items, source) : [];
  return [{ ...node, schema, source }, ...fieldNodes, ...elementNodes];
}

/** Formats the requirement of a schema node as a sentence: "`status`, when present, is one of Active, Inactive". */
export function describeNode({ kind, name, schema, required }: Node): string {
  const expected = describeExpectation(schema);
  if (kind === 'body') return `the body is ${expected}`;
  if (kind === 'element') return `each element of \`${name.replace('[]', '')}\` is ${expected}`;
  return `\`${name}\`${required ? '' : ', when present,'} is ${expected}`;
}

export function findField(objectSchema: Schema | undefined, name: string): Schema | undefined {
  const properties = objectSchema?.properties;
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Finds the schema at a JSON Pointer into the response body, in which `*` may replace an index. */
export function findSchema({ schema }: Pick<Operation, 'schema'>, pointer: JsonPointer): Schema | undefined {
  let fieldSchema: Schema | undefined = schema;
  for (const step of pointer.split('/').slice(1)) {
    const isIndex = /^(\d+|\*)$/.test(step);
    fieldSchema = isIndex ? fieldSchema?.items : findField(fieldSchema, step);
  }
  return fieldSchema;
}

/** Formats the address of the requirement for a field, such as `getCard/data/card/id`; for the body, `getCard/body`. */
export const formatAddress = (operation: string, pointer: JsonPointer): RequirementAddress =>
  pointer === '' ? `${operation}/body` : operation + pointer;

export const listKnownValues = (schema: Schema): unknown[] =>
  schema.enum ?? schema['x-values-that-occur'] ?? [];

/** Replaces each array index in a JSON Pointer by `*`: `/data/customers/0` becomes `/data/customers/*`. */
export const generalizePointer = (pointer: JsonPointer): JsonPointer =>
  pointer.replace(/\/\d+(?=\/|$)/g, '/*');

/** Formats a coverage state (case that responses should show) for a value: `getCard/data/card/physical_status = Active`. */
export const formatValueState = (address: RequirementAddress, value: unknown): string =>
  `${address} = ${value}`;

/**
 * Returns the coverage states of a schema node: cases that responses should show. `stateByValue` has one for each documented
 * value. `presence` has two for an optional field, such as `getCustomer/data/customer/email absent`; otherwise undefined.
 */
export function getCoverageStates({ operation, pointer, kind, required, schema }: Node) {
  const address = formatAddress(operation, pointer);
  const isOptionalField = kind === 'field' && !required;
  const presence = { presentState: `${address} present`, absentState: `${address} absent` };
  return {
    stateByValue: new Map(listKnownValues(schema).map((value) => [value, formatValueState(address, value)])),
    presence: isOptionalField ? presence : undefined,
  };
}
