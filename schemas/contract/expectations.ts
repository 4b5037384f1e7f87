import { formatCount } from '../counted.ts';
import type { Schema } from './types.ts';

type LimitWords = [keyword: keyof Schema, formatLimit: (limit: number) => string];

/**
 * Words for each JSON Schema keyword that limits a value: "at least 3 characters" for `minLength: 3`. Sentences list them in this
 * order.
 */
const limitWords: LimitWords[] = [
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

function describeLimits(schema: Schema): string[] {
  const isLimited = ([keyword]: LimitWords) => {
    // `uniqueItems: false` limits nothing.
    return schema[keyword] !== undefined && schema[keyword] !== false;
  };
  return limitWords.filter(isLimited).map(([keyword, formatLimit]) => formatLimit(Number(schema[keyword])));
}

/**
 * Describes the values that a schema allows, for reports: "one of Active, Inactive" for an `enum`, or "an integer, at least 1".
 * If the schema has a `title`, such as "a decimal number written as a string", the title replaces the type.
 */
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
