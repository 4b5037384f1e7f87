import type { JsonPointer } from '../json.ts';
import { describeExpectation } from './expectations.ts';
import type { ContractSection, Operation, RequirementAddress, Schema } from './types.ts';

/** Schema node of a response: the whole body, a field at any depth, or the elements of a list. */
export interface Node {
  operation: string;
  /** JSON Pointer in which `*` stands for every list element; empty for the body. */
  pointer: JsonPointer;
  /** Name for messages: `email` for a field, `customers[]` for list elements, `body` for the body. */
  name: string;
  kind: 'body' | 'field' | 'element';
  schema: Schema;
  /** Undefined unless the node is a field. */
  required?: boolean;
  /** Contract section in `x-source` of the schema or the nearest enclosing one; empty if none has it. */
  source: ContractSection;
}

/** Lists the schema nodes of an operation's response: an object before its fields. */
export function listNodes(operation: Operation): Node[] {
  const { id, schema } = operation;
  const body = { operation: id, pointer: '', name: 'body', kind: 'body' } as const;
  return listSubtree(body, schema, '');
}

function listSubtree(node: Omit<Node, 'schema' | 'source'>, schema: Schema, enclosingSource: string): Node[] {
  const { operation, pointer, name } = node;
  const source = schema['x-source'] ?? enclosingSource;
  const nodes: Node[] = [{ ...node, schema, source }];
  for (const [fieldName, fieldSchema] of Object.entries(schema.properties ?? {})) {
    const required = schema.required?.includes(fieldName) ?? false;
    const fieldPointer = `${pointer}/${fieldName}`;
    const field = { operation, pointer: fieldPointer, name: fieldName, kind: 'field', required } as const;
    nodes.push(...listSubtree(field, fieldSchema, source));
  }
  if (schema.items) {
    const element = { operation, pointer: `${pointer}/*`, name: `${name}[]`, kind: 'element' } as const;
    nodes.push(...listSubtree(element, schema.items, source));
  }
  return nodes;
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

/** Finds the schema at a JSON Pointer into a body, such as `/data/customers/0` or `/data/customers/*`. */
export function findSchema({ schema }: Pick<Operation, 'schema'>, pointer: JsonPointer): Schema | undefined {
  let schemaAtStep: Schema | undefined = schema;
  for (const step of pointer.split('/').slice(1)) {
    const isIndex = /^(\d+|\*)$/.test(step);
    schemaAtStep = isIndex ? schemaAtStep?.items : findField(schemaAtStep, step);
  }
  return schemaAtStep;
}

/** Formats the address of a schema node: `getCard/data/card/id` for a field, `getCard/body` for the body. */
export const formatAddress = (operation: string, pointer: JsonPointer): RequirementAddress =>
  pointer === '' ? `${operation}/body` : operation + pointer;

export const listKnownValues = (schema: Schema): unknown[] =>
  schema.enum ?? schema['x-values-that-occur'] ?? [];

/** Replaces each number in a JSON Pointer by `*`: `/data/customers/0` becomes `/data/customers/*`. */
export const generalizePointer = (pointer: JsonPointer): JsonPointer =>
  pointer.replace(/\/\d+(?=\/|$)/g, '/*');

/** Formats the key under which a documented value is counted: `getCard/data/card/physical_status = Active`. */
export const formatValueState = (address: RequirementAddress, value: unknown): string =>
  `${address} = ${value}`;

/** Keys under which the documented values of a schema node, and the presence and absence of a field, are counted. */
interface CoverageStates {
  /** Key for each documented value: `'Active' => 'getCard/data/card/physical_status = Active'`. */
  stateByValue: Map<unknown, string>;
  /** Keys such as `getCustomer/data/customer/email present`; only for optional fields. */
  presence: { presentState: string; absentState: string } | undefined;
}

export function getCoverageStates({ operation, pointer, kind, required, schema }: Node): CoverageStates {
  const address = formatAddress(operation, pointer);
  const stateByValue = new Map<unknown, string>();
  for (const value of listKnownValues(schema)) stateByValue.set(value, formatValueState(address, value));
  const isOptionalField = kind === 'field' && !required;
  if (!isOptionalField) return { stateByValue, presence: undefined };
  return {
    stateByValue,
    presence: { presentState: `${address} present`, absentState: `${address} absent` },
  };
}
