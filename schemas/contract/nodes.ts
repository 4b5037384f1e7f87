import { expectation } from './expectations.ts';
import type { Operation, Schema } from './types.ts';

/** One place in a response schema; `*` in the pointer stands for every element of an array. */
export interface Node {
  operation: string;
  /** JSON Pointer into the body: `` for the body itself, `/data/<list>/*`. */
  pointer: string;
  name: string;
  /** The body itself, a field of an object, or every element of an array. */
  kind: 'body' | 'field' | 'element';
  schema: Schema;
  /** Of a field. */
  required?: boolean;
  source: string;
}

/** Every schema node of an operation, parents first, in the order of the document. */
export function nodesOf(operation: Operation): Node[] {
  const { id, schema } = operation;
  const body = { operation: id, pointer: '', name: 'body', kind: 'body' } as const;
  return walk(schema, body, '');
}

function walk(schema: Schema, place: Omit<Node, 'schema' | 'source'>, inherited: string): Node[] {
  const source = schema['x-source'] ?? inherited;
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const required = schema.required?.includes(name) ?? false;
    const pointer = `${place.pointer}/${name}`;
    return walk(child, { ...place, pointer, name, kind: 'field', required }, source);
  });
  const [pointer, name] = [`${place.pointer}/*`, `${place.name}[]`];
  const element = { ...place, pointer, name, kind: 'element' } as const;
  return [
    { ...place, schema, source },
    ...fields,
    ...(schema.items ? walk(schema.items, element, source) : []),
  ];
}

/** What a node promises, as a sentence. */
export function sentenceOf({ kind, name, schema, required }: Node): string {
  const what = expectation(schema);
  if (kind === 'body') return `the body is ${what}`;
  if (kind === 'element') return `each element of \`${name.replace('[]', '')}\` is ${what}`;
  return `\`${name}\`${required ? '' : ', when present,'} is ${what}`;
}

/** The schema of a field, where an object has one of that name. */
export function fieldOf(schema: Schema | undefined, name: string): Schema | undefined {
  const properties = schema?.properties;
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema that describes the place of a pointer, if the contract describes it; indices may be `*`. */
export const schemaAt = ({ schema }: Pick<Operation, 'schema'>, pointer: string): Schema | undefined =>
  pointer
    .split('/')
    .slice(1)
    .reduce<Schema | undefined>(
      (at, step) => (/^(\d+|\*)$/.test(step) ? at?.items : fieldOf(at, step)),
      schema,
    );

/** Stable address of a node's requirement, such as `getCard/data/card/expiration_date`. */
export const addressOf = (operation: string, pointer: string): string =>
  pointer === '' ? `${operation}/body` : operation + pointer;

/** Values that a schema lists: those that are allowed, or those that occur. */
export const knownValues = (schema: Schema): unknown[] => schema.enum ?? schema['x-values-that-occur'] ?? [];

/** Pointer with every array index replaced by `*`. */
export const pattern = (pointer: string): string => pointer.replace(/\/\d+(?=\/|$)/g, '/*');

/** Name of the state that a value was met at an address. */
export const valueState = (address: string, value: unknown): string => `${address} = ${value}`;

/** Names of the states of coverage that a node has: each known value, and presence where the field is optional. */
export function statesOf({ operation, pointer, kind, required, schema }: Node) {
  const address = addressOf(operation, pointer);
  const isOptional = kind === 'field' && !required;
  return {
    values: new Map(knownValues(schema).map((value) => [value, valueState(address, value)])),
    presence: isOptional ? { present: `${address} present`, absent: `${address} absent` } : undefined,
  };
}
