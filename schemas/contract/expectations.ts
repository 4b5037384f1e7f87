import { formatCount } from '../counted.ts';
import type { Schema } from './types.ts';

/**
 * Keyword that restricts a value beyond its type, the words for it, and the noun that its number counts: "at least 3 characters".
 * An empty noun shows the bare number ("at least 3"); without `noun`, the number is not shown ("no two elements alike").
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

/** Selects the rows of `bounds` whose keyword a schema uses. `uniqueItems: false` restricts nothing. */
const selectBounds = (schema: Schema) =>
  bounds.filter(([keyword]) => schema[keyword] !== undefined && schema[keyword] !== false);

const describeBound = ([keyword, demand, noun]: BoundKeyword, schema: Schema): string => {
  if (noun === undefined) return demand;
  return `${demand} ${noun ? formatCount(Number(schema[keyword]), noun) : schema[keyword]}`;
};

/** Describes the value that a schema expects: "one of Active, Inactive", "an integer, at least 1". Prefers `title` to the type. */
export function describeExpectation(schema: Schema): string {
  if (schema.const !== undefined) return `the ${schema.type} ${schema.const}`;
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  const demands = selectBounds(schema).map((bound) => describeBound(bound, schema));
  return [schema.title ?? describeSchemaType(schema), ...demands].join(', ');
}

/** Describes type and format or pattern of a schema without a title: "a string in the format date-time". */
function describeSchemaType({ type, format, pattern: regex }: Schema): string {
  const name = `${/^[aeiou]/.test(type ?? '') ? 'an' : 'a'} ${type}`;
  if (format) return `${name} in the format ${format}`;
  return regex ? `${name} that matches ${regex}` : name;
}
