import { counted } from '../counted.ts';
import type { Schema } from './types.ts';

/** What a keyword demands beyond the type, of how many of what. */
type Bound = [keyword: keyof Schema, demand: string, noun?: string];

const bounds: Bound[] = [
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

/** `uniqueItems: false` demands nothing. */
const boundsOf = (schema: Schema) =>
  bounds.filter(([keyword]) => schema[keyword] !== undefined && schema[keyword] !== false);

const demandOf = ([keyword, demand, noun]: Bound, schema: Schema): string => {
  if (noun === undefined) return demand;
  return `${demand} ${noun ? counted(Number(schema[keyword]), noun) : schema[keyword]}`;
};

/** What a value is expected to be, in the words of its schema: "one of Active, Inactive", "an integer, at least 1". */
export function expectation(schema: Schema): string {
  if (schema.const !== undefined) return `the ${schema.type} ${schema.const}`;
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  const demands = boundsOf(schema).map((bound) => demandOf(bound, schema));
  return [schema.title ?? typeText(schema), ...demands].join(', ');
}

/** A title says what a format or a pattern means; without one they speak for themselves. */
function typeText({ type, format, pattern: form }: Schema): string {
  const name = `${/^[aeiou]/.test(type ?? '') ? 'an' : 'a'} ${type}`;
  if (format) return `${name} in the format ${format}`;
  return form ? `${name} that matches ${form}` : name;
}
