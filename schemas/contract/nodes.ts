import type { JsonPointer } from '../json.ts';
import { describeExpectation } from './expectations.ts';
import type { ContractSection, Operation, RequirementAddress, Schema } from './types.ts';

/** Place in the response schema of an operation. A node is the whole body, a field at any depth, or all elements of a list. */
export interface Node {
  operation: string;
  /** JSON Pointer with `*` for every list element, such as `/data/customers/*`. The pointer of the body is ''. */
  pointer: JsonPointer;
  /** Name in messages, such as `email` for a field and `customers[]` for list elements. The body is called `body`. */
  name: string;
  kind: 'body' | 'field' | 'element';
  schema: Schema;
  /** Whether the parent object must have the field. Undefined for the body and for list elements. */
  required?: boolean;
  /** Contract section in `x-source` of the schema, or of the nearest enclosing schema that has one. Otherwise ''. */
  source: ContractSection;
}

/** Lists all schema nodes of an operation's response, beginning with the body. A parent comes before its fields or elements. */
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

/** Describes in a sentence what a schema node requires, such as "`status`, when present, is one of Active, Inactive". */
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

/** Finds the schema at a JSON Pointer into a body. `/data/customers/0` and `/data/customers/*` have the same schema. */
export function findSchema({ schema }: Pick<Operation, 'schema'>, pointer: JsonPointer): Schema | undefined {
  let schemaAtStep: Schema | undefined = schema;
  for (const step of pointer.split('/').slice(1)) {
    const isIndex = /^(\d+|\*)$/.test(step);
    schemaAtStep = isIndex ? schemaAtStep?.items : findField(schemaAtStep, step);
  }
  return schemaAtStep;
}

/** Formats the requirement address of a schema node, such as `getCard/data/card/id`. The address of the body is `getCard/body`. */
export const formatAddress = (operation: string, pointer: JsonPointer): RequirementAddress =>
  pointer === '' ? `${operation}/body` : operation + pointer;

export const listKnownValues = (schema: Schema): unknown[] =>
  schema.enum ?? schema['x-values-that-occur'] ?? [];

/** Replaces each number in a JSON Pointer by `*`: `/data/customers/0` becomes `/data/customers/*`. */
export const generalizePointer = (pointer: JsonPointer): JsonPointer =>
  pointer.replace(/\/\d+(?=\/|$)/g, '/*');

/** Formats the key for counting a documented value, such as `getCard/data/card/physical_status = Active`. */
export const formatValueState = (address: RequirementAddress, value: unknown): string =>
  `${address} = ${value}`;

/** Keys for counting the states of a schema node: each documented value, and the presence and absence of an optional field. */
interface CoverageStates {
  /** Key of each documented value, such as `getCard/data/card/physical_status = Active` for the value `Active`. */
  stateByValue: Map<unknown, string>;
  /** Keys such as `getCustomer/data/customer/email present`. Undefined for a required field, the body and list elements. */
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
