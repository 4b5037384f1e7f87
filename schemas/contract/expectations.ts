import { formatCount } from '../counted.ts';
import type { Schema } from './types.ts';

/** Functions that format the limits of a schema, in the order of a description: "at least 3 characters" for `minLength: 3`. */
const limitFormats: [keyword: keyof Schema, formatLimit: (limit: number) => string][] = [
  ['minimum', (limit) => `at least ${limit}`],
  ['exclusiveMinimum', (limit) => `more than ${limit}`],
  ['maximum', (limit) => `at most ${limit}`],
  ['exclusiveMaximum', (limit) => `less than ${limit}`],
  ['multipleOf', (limit) => `a multiple of ${limit}`],
  ['minLength', (limit) => `at least ${formatCount(limit, 'character')}`],
  ['maxLength', (limit) => `at most ${formatCount(limit, 'character')}`],
  ['minItems', (limit) => `at least ${formatCount(limit, 'element')}`],
  ['maxItems', (limit) => `at most ${formatCount(limit, 'element')}`],
  ['minProperties', (limit) => `at least ${formatCount(limit, 'field')}`],
  ['maxProperties', (limit) => `at most ${formatCount(limit, 'field')}`],
  ['uniqueItems', () => 'no two elements alike'],
];

const describeLimits = (schema: Schema): string[] =>
  limitFormats.flatMap(([keyword, formatLimit]) => {
    const limit = schema[keyword];
    // `uniqueItems: false` limits nothing. `uniqueItems: true` becomes 1: its `formatLimit` ignores the number.
    return limit === undefined || limit === false ? [] : [formatLimit(Number(limit))];
  });

/** Describes the allowed values: "one of Active, Inactive" for an `enum`; otherwise type and limits: "an integer, at least 1". */
export function describeExpectation(schema: Schema): string {
  if (schema.const !== undefined) return `the ${schema.type} ${schema.const}`;
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  return [schema.title ?? describeSchemaType(schema), ...describeLimits(schema)].join(', ');
}

function describeSchemaType({ type, format, pattern: regex }: Schema): string {
  const article = /^[aeiou]/.test(type ?? '') ? 'an' : 'a';
  const name = `${article} ${type}`;
  if (format) return `${name} in the format ${format}`;
  return regex ? `${name} that matches ${regex}` : name;
}
