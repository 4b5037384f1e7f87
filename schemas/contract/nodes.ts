import { describeExpectation } from './expectations.ts';
import type { Operation, Schema } from './types.ts';

/** Schema node: a place in a response schema, with `*` in its pointer for every element of an array. */
export interface Node {
  operation: string;
  /** JSON Pointer into the body: empty for the body itself, or such as `/data/<list>/*`. */
  pointer: string;
  name: string;
  kind: 'body' | 'field' | 'element';
  schema: Schema;
  /** Defined for a field only. */
  required?: boolean;
  source: string;
}

/** Lists the schema nodes of an operation, parents first, in the order of the document. */
export function listNodes(operation: Operation): Node[] {
  const { id, schema } = operation;
  const body = { operation: id, pointer: '', name: 'body', kind: 'body' } as const;
  return walkSchema(schema, body, '');
}

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

/** Formats the promise of a node as a sentence. */
export function describeNode({ kind, name, schema, required }: Node): string {
  const expected = describeExpectation(schema);
  if (kind === 'body') return `the body is ${expected}`;
  if (kind === 'element') return `each element of \`${name.replace('[]', '')}\` is ${expected}`;
  return `\`${name}\`${required ? '' : ', when present,'} is ${expected}`;
}

/** Finds the schema of a property in an object schema. */
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

/** Formats the stable address of a node's requirement, such as `getCard/data/card/expiration_date`. */
export const formatAddress = (operation: string, pointer: string): string =>
  pointer === '' ? `${operation}/body` : operation + pointer;

/** Lists the values in a schema: the allowed ones (`enum`), or those that occur (`x-values-that-occur`). */
export const listKnownValues = (schema: Schema): unknown[] =>
  schema.enum ?? schema['x-values-that-occur'] ?? [];

/** Replaces each array index in a pointer by `*`. */
export const generalizePointer = (pointer: string): string => pointer.replace(/\/\d+(?=\/|$)/g, '/*');

/** Formats the coverage state of a value at an address, such as `…/status = Active`. */
export const formatValueState = (address: string, value: unknown): string => `${address} = ${value}`;

/** Lists the coverage states of a node: each listed value, and presence and absence of an optional field. */
export function listCoverageStates({ operation, pointer, kind, required, schema }: Node) {
  const address = formatAddress(operation, pointer);
  const isOptional = kind === 'field' && !required;
  return {
    values: new Map(listKnownValues(schema).map((value) => [value, formatValueState(address, value)])),
    presence: isOptional ? { present: `${address} present`, absent: `${address} absent` } : undefined,
  };
}
