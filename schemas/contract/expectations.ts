import { formatCount } from '../counted.ts';
import type { Schema } from './types.ts';

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

function describeLimits(schema: Schema): string[] {
  const descriptions: string[] = [];
  for (const [keyword, formatLimit] of limitFormats) {
    const limit = schema[keyword];
    // `uniqueItems: false` limits nothing.
    const isLimited = limit !== undefined && limit !== false;
    if (isLimited) descriptions.push(formatLimit(Number(limit)));
  }
  return descriptions;
}

/** Describes the values that a schema allows. For example, `{ type: 'integer', minimum: 1 }` becomes "an integer, at least 1". */
export function describeExpectation(schema: Schema): string {
  if (schema.const !== undefined) return `the ${schema.type} ${schema.const}`;
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  const typeDescription = schema.title ?? describeSchemaType(schema);
  return [typeDescription, ...describeLimits(schema)].join(', ');
}

function describeSchemaType({ type, format, pattern }: Schema): string {
  const startsWithVowel = /^[aeiou]/.test(type ?? '');
  const typeWithArticle = startsWithVowel ? `an ${type}` : `a ${type}`;
  if (format) return `${typeWithArticle} in the format ${format}`;
  if (pattern) return `${typeWithArticle} that matches ${pattern}`;
  return typeWithArticle;
}
