import { describeExpectation } from './expectations.ts';
import type { Operation, Schema } from './types.ts';

/** Schema node: a place in the response schema of an operation, such as `/data/customers/*` for the elements of a list. */
export interface Node {
  operation: string;
  /** JSON Pointer into the body, with `*` for every element of an array; empty for the body itself. */
  pointer: string;
  /** Name of the field, `body`, or for an element the name of its array and brackets: `customers[]`. */
  name: string;
  kind: 'body' | 'field' | 'element';
  schema: Schema;
  /** True if the object that contains the field must have it; undefined for the body and for elements. */
  required?: boolean;
  /** Section of the contract: `x-source` of the schema, or of the nearest schema above it. */
  source: string;
}

/** Lists the schema nodes of an operation, parents first, in the order of the document. */
export function listNodes(operation: Operation): Node[] {
  const { id, schema } = operation;
  const body = { operation: id, pointer: '', name: 'body', kind: 'body' } as const;
  return walkSchema(schema, body, '');
}

/** Lists the node of a schema and all nodes below it. @param inherited section of the contract if the schema has no `x-source` */
function walkSchema(schema: Schema, place: Omit<Node, 'schema' | 'source'>, inherited: string): Node[] {
  const source = schema['x-source'] ?? inherited;
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const required = schema.required?.includes(name) ?? false;
    const pointer = `${place.pointer}/${name}`;
    return walkSchema(child, { ...place, pointer, name, kind: 'field', required }, source);
  });
  const [pointer, name] = [`${place.pointer}/*`, `${place.name}[]`];
  const element = { ...place, pointer, name, kind: 'element' } as const;
  return [
    { ...place, schema, source },
    ...fields,
    ...(schema.items ? walkSchema(schema.items, element, source) : []),
  ];
}

/** Formats what the contract promises of a node: "`status` is one of Active, Inactive". */
export function describeNode({ kind, name, schema, required }: Node): string {
  const expected = describeExpectation(schema);
  if (kind === 'body') return `the body is ${expected}`;
  if (kind === 'element') return `each element of \`${name.replace('[]', '')}\` is ${expected}`;
  return `\`${name}\`${required ? '' : ', when present,'} is ${expected}`;
}

/** Finds the schema of a property in an object schema; undefined if the schema does not name it. */
export function findField(schema: Schema | undefined, name: string): Schema | undefined {
  const properties = schema?.properties;
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/**
 * Finds the schema of the place to which a pointer leads; indices may be `*`. Undefined if the contract does not describe that
 * place.
 */
export const findSchema = ({ schema }: Pick<Operation, 'schema'>, pointer: string): Schema | undefined =>
  pointer
    .split('/')
    .slice(1)
    .reduce<Schema | undefined>(
      (schemaAtStep, step) => (/^(\d+|\*)$/.test(step) ? schemaAtStep?.items : findField(schemaAtStep, step)),
      schema,
    );

/** Formats the address of the requirement of a node: `getCard/data/card/expiration_date`, or `getCard/body` for the body. */
export const formatAddress = (operation: string, pointer: string): string =>
  pointer === '' ? `${operation}/body` : operation + pointer;

/** Lists the allowed values of a schema (`enum`), or those that the contract reports as seen (`x-values-that-occur`). */
export const listKnownValues = (schema: Schema): unknown[] =>
  schema.enum ?? schema['x-values-that-occur'] ?? [];

/** Replaces each array index in a pointer by `*`: `/data/customers/0` becomes `/data/customers/*`. */
export const generalizePointer = (pointer: string): string => pointer.replace(/\/\d+(?=\/|$)/g, '/*');

/** Formats the coverage state of a value at an address, such as `…/status = Active`. */
export const formatValueState = (address: string, value: unknown): string => `${address} = ${value}`;

/**
 * Lists the coverage states of a node, which the suite counts in responses: `ADDRESS = Active` for each listed value, and for an
 * optional field `ADDRESS present` and `ADDRESS absent`.
 */
export function listCoverageStates({ operation, pointer, kind, required, schema }: Node) {
  const address = formatAddress(operation, pointer);
  const isOptional = kind === 'field' && !required;
  return {
    values: new Map(listKnownValues(schema).map((value) => [value, formatValueState(address, value)])),
    presence: isOptional ? { present: `${address} present`, absent: `${address} absent` } : undefined,
  };
}
