import { formatCount } from '../counted.ts';
import type { Schema } from './types.ts';

/**
 * Row of `bounds`: a JSON Schema keyword, the words for it, and the noun that its number counts, as in "at least 3 characters" for
 * `minLength: 3`. With an empty noun, the number stands alone ("at least 3"). Without a noun, no number is shown ("no two elements
 * alike").
 */
type BoundKeyword = [keyword: keyof Schema, demand: string, noun?: string];

const bounds: BoundKeyword[] = [
  ['minimum', 'at least', ''],
  ['exclusiveMinimum', 'more than', ''],
  ['maximum', 'at most', ''],
  ['exclusiveMaximum', 'less than', ''],
  ['multipleOf', 'a multiple of', ''],
  ['minLength', 'at least', 'character'],
  ['maxLength', 'at most', 'character'],
  ['minItems', 'at least', 'element'],
  ['maxItems', 'at most', 'element'],
  ['minProperties', 'at least', 'field'],
  ['maxProperties', 'at most', 'field'],
  ['uniqueItems', 'no two elements alike'],
];

/** Returns the rows of `bounds` whose keyword a schema uses. Leaves out `uniqueItems: false`, which restricts nothing. */
const selectBounds = (schema: Schema) =>
  bounds.filter(([keyword]) => schema[keyword] !== undefined && schema[keyword] !== false);

const describeBound = ([keyword, demand, noun]: BoundKeyword, schema: Schema): string => {
  if (noun === undefined) return demand;
  const bound = schema[keyword];
  return noun === '' ? `${demand} ${bound}` : `${demand} ${formatCount(Number(bound), noun)}`;
};

/**
 * Describes the value that a schema expects: "one of Active, Inactive", or "an integer, at least 1". Shows the `title` of the
 * schema, if it has one, instead of its type.
 */
export function describeExpectation(schema: Schema): string {
  if (schema.const !== undefined) return `the ${schema.type} ${schema.const}`;
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  const demands = selectBounds(schema).map((bound) => describeBound(bound, schema));
  return [schema.title ?? describeSchemaType(schema), ...demands].join(', ');
}

function describeSchemaType({ type, format, pattern: regex }: Schema): string {
  const article = /^[aeiou]/.test(type ?? '') ? 'an' : 'a';
  const name = `${article} ${type}`;
  if (format) return `${name} in the format ${format}`;
  return regex ? `${name} that matches ${regex}` : name;
}
