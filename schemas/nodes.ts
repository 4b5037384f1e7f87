import type { Operation, Schema } from './contract.ts';

/** One place in a response schema; `*` in the pointer stands for every element of an array. */
export interface Node {
  operation: string;
  /** JSON Pointer into the body: `` for the body itself, `/data/<list>/*`. */
  pointer: string;
  name: string;
  schema: Schema;
  required: boolean;
  source: string;
}

const walked = new WeakMap<Operation, Node[]>();

/** Every schema node of an operation, parents first, in the order of the document. */
export function nodesOf(operation: Operation): Node[] {
  const { id, schema } = operation;
  const nodes =
    walked.get(operation) ?? walk(schema, { operation: id, pointer: '', name: 'body', required: true }, '');
  walked.set(operation, nodes);
  return nodes;
}

type Place = Pick<Node, 'operation' | 'pointer' | 'name' | 'required'>;

function walk(schema: Schema, place: Place, inherited: string): Node[] {
  const source = schema['x-source'] ?? inherited;
  const node = { ...place, schema, source };
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const required = schema.required?.includes(name) ?? false;
    return walk(child, { ...place, pointer: `${place.pointer}/${name}`, name, required }, source);
  });
  const element = { ...place, pointer: `${place.pointer}/*`, name: `${place.name}[]`, required: false };
  return [node, ...fields, ...(schema.items ? walk(schema.items, element, source) : [])];
}

/** Stable address of a node's requirement, such as `getCard/data/card/expiration_date`. */
export function addressOf(operation: string, pointer: string): string {
  return pointer === '' ? `${operation}/body` : operation + pointer;
}

/** Pointer with every array index replaced by `*`. */
export function pattern(pointer: string): string {
  return pointer.replace(/\/\d+(?=\/|$)/g, '/*');
}

/** What a value is expected to be, in the words of its schema: "one of Active, Inactive". */
export function expectation(schema: Schema): string {
  const article = /^[aeiou]/.test(schema.type ?? '') ? 'an' : 'a';
  if (schema.const !== undefined) return `the ${schema.type} ${schema.const}`;
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  return schema.title ?? `${article} ${schema.type}`;
}
