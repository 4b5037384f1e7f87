import { describeExpectation } from './expectations.ts';
import type { Operation, Schema } from './types.ts';

/** Schema node: a place in the response schema of an operation, such as `/data/customers/*` for the elements of a list. */
export interface Node {
  operation: string;
  /** JSON Pointer into the body, with `*` for every array element, such as `/data/customers/*`; empty for the body itself. */
  pointer: string;
  /** Name of the field such as `uuid`, `customers[]` for an element of the array `customers`, or `body`. */
  name: string;
  kind: 'body' | 'field' | 'element';
  schema: Schema;
  /** True if the contract requires the field in its object; undefined for the body and for elements. */
  required?: boolean;
  /** Section of the contract, such as `2.4`: `x-source` of the schema, or of the nearest schema above it. */
  source: string;
}

/** Lists the schema nodes of an operation's response, parents before children, in the order of `spec/openapi.yaml`. */
export function listNodes(operation: Operation): Node[] {
  const { id, schema } = operation;
  const body = { operation: id, pointer: '', name: 'body', kind: 'body' } as const;
  return walkSchema(schema, body, '');
}

/** Lists the node of a schema and all nodes below it. @param inherited section of the contract, for a schema without `x-source` */
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

/** Formats the requirement of a schema node as a sentence: "`status`, when present, is one of Active, Inactive". */
export function describeNode({ kind, name, schema, required }: Node): string {
  const expected = describeExpectation(schema);
  if (kind === 'body') return `the body is ${expected}`;
  if (kind === 'element') return `each element of \`${name.replace('[]', '')}\` is ${expected}`;
  return `\`${name}\`${required ? '' : ', when present,'} is ${expected}`;
}

/** Finds the schema of a field in an object schema; undefined if there is no such field, or no object schema. */
export function findField(schema: Schema | undefined, name: string): Schema | undefined {
  const properties = schema?.properties;
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/**
 * Finds the schema at a JSON Pointer into the response body of an operation, such as `/data/customers/0/uuid`. An index may also be
 * `*`. Undefined if the contract does not describe that place.
 */
export const findSchema = ({ schema }: Pick<Operation, 'schema'>, pointer: string): Schema | undefined =>
  pointer
    .split('/')
    .slice(1)
    .reduce<Schema | undefined>((schemaAtStep, step) => {
      const isIndex = /^(\d+|\*)$/.test(step);
      return isIndex ? schemaAtStep?.items : findField(schemaAtStep, step);
    }, schema);

/** Formats the address of the requirement at a pointer: `getCard/data/card/id`, or `getCard/body` for the body itself. */
export const formatAddress = (operation: string, pointer: string): string =>
  pointer === '' ? `${operation}/body` : operation + pointer;

/** Lists the documented values of a schema: `enum`, or else `x-values-that-occur`; empty if it has neither. */
export const listKnownValues = (schema: Schema): unknown[] =>
  schema.enum ?? schema['x-values-that-occur'] ?? [];

/** Replaces each array index in a pointer by `*`: `/data/customers/0` becomes `/data/customers/*`. */
export const generalizePointer = (pointer: string): string => pointer.replace(/\/\d+(?=\/|$)/g, '/*');

/** Formats the key that counts a documented value in responses: `getCard/data/card/physical_status = Active`. */
export const formatValueState = (address: string, value: unknown): string => `${address} = ${value}`;

/**
 * Lists the coverage states of a schema node: keys under which the suite counts what responses contained. `values` maps each
 * documented value to its key, such as `ADDRESS = Active`. `presence` has the keys `ADDRESS present` and `ADDRESS absent`, for an
 * optional field only.
 */
export function listCoverageStates({ operation, pointer, kind, required, schema }: Node) {
  const address = formatAddress(operation, pointer);
  const isOptional = kind === 'field' && !required;
  return {
    values: new Map(listKnownValues(schema).map((value) => [value, formatValueState(address, value)])),
    presence: isOptional ? { present: `${address} present`, absent: `${address} absent` } : undefined,
  };
}
