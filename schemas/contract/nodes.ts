import { demandsOf } from './bounds.ts';
import type { Operation, Schema } from './contract.ts';

/** One place in a response schema; `*` in the pointer stands for every element of an array. */
export interface Node {
  operation: string;
  /** JSON Pointer into the body: `` for the body itself, `/data/<list>/*`. */
  pointer: string;
  name: string;
  /** The body itself, a field of an object, or every element of an array. */
  kind: 'body' | 'field' | 'element';
  schema: Schema;
  required: boolean;
  source: string;
}

const walked = new WeakMap<Operation, Node[]>();

/** Every schema node of an operation, parents first, in the order of the document. */
export function nodesOf(operation: Operation): Node[] {
  const { id, schema } = operation;
  const nodes =
    walked.get(operation) ??
    walk(schema, { operation: id, pointer: '', name: 'body', kind: 'body', required: true }, '');
  walked.set(operation, nodes);
  return nodes;
}

type Place = Omit<Node, 'schema' | 'source'>;

function walk(schema: Schema, place: Place, inherited: string): Node[] {
  const source = schema['x-source'] ?? inherited;
  const node = { ...place, schema, source };
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const required = schema.required?.includes(name) ?? false;
    const pointer = `${place.pointer}/${name}`;
    return walk(child, { ...place, pointer, name, kind: 'field', required }, source);
  });
  const [pointer, name] = [`${place.pointer}/*`, `${place.name}[]`];
  const element = { ...place, pointer, name, kind: 'element', required: false } as const;
  return [node, ...fields, ...(schema.items ? walk(schema.items, element, source) : [])];
}

/** The schema of a field, where an object has one of that name. */
export function fieldOf(schema: Schema | undefined, name: string): Schema | undefined {
  const properties = schema?.properties;
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Stable address of a node's requirement, such as `getCard/data/card/expiration_date`. */
export function addressOf(operation: string, pointer: string): string {
  return pointer === '' ? `${operation}/body` : operation + pointer;
}

/** Values that a schema lists: those that are allowed, or those that occur. */
export const knownValues = (schema: Schema): unknown[] => schema.enum ?? schema['x-values-that-occur'] ?? [];

/** Pointer with every array index replaced by `*`. */
export function pattern(pointer: string): string {
  return pointer.replace(/\/\d+(?=\/|$)/g, '/*');
}

/** What a value is expected to be, in the words of its schema: "one of Active, Inactive", "an integer, at least 1". */
export function expectation(schema: Schema): string {
  if (schema.const !== undefined) return `the ${schema.type} ${schema.const}`;
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  return [schema.title ?? typeText(schema), ...demandsOf(schema)].join(', ');
}

/** A title says what a format or a pattern means; without one they speak for themselves. */
function typeText({ type, format, pattern: form }: Schema): string {
  const name = `${/^[aeiou]/.test(type ?? '') ? 'an' : 'a'} ${type}`;
  if (format) return `${name} in the format ${format}`;
  return form ? `${name} that matches ${form.length > 40 ? 'the pattern of its schema' : form}` : name;
}
