import { counted } from '../counted.ts';
import type { Schema } from './contract.ts';

/** What a keyword demands beyond the type, in words, and of a number, what is said of one that breaks it. */
type Bound = [
  keyword: keyof Schema,
  demand: (limit: number) => string,
  breach?: (value: number, limit: number) => string | false,
];

const bounds: Bound[] = [
  ['minimum', (limit) => `at least ${limit}`, (value, limit) => value < limit && `less than ${limit}`],
  [
    'exclusiveMinimum',
    (limit) => `more than ${limit}`,
    (value, limit) => value <= limit && `not more than ${limit}`,
  ],
  ['maximum', (limit) => `at most ${limit}`, (value, limit) => value > limit && `more than ${limit}`],
  [
    'exclusiveMaximum',
    (limit) => `less than ${limit}`,
    (value, limit) => value >= limit && `not less than ${limit}`,
  ],
  [
    'multipleOf',
    (limit) => `a multiple of ${limit}`,
    (value, limit) => !Number.isInteger(value / limit) && `no multiple of ${limit}`,
  ],
  ['minLength', (limit) => `at least ${counted(limit, 'character')}`],
  ['maxLength', (limit) => `at most ${counted(limit, 'character')}`],
  ['minItems', (limit) => `at least ${counted(limit, 'element')}`],
  ['maxItems', (limit) => `at most ${counted(limit, 'element')}`],
  ['minProperties', (limit) => `at least ${counted(limit, 'field')}`],
  ['maxProperties', (limit) => `at most ${counted(limit, 'field')}`],
  ['uniqueItems', () => 'no two elements alike'],
];

/** `uniqueItems: false` demands nothing. */
const boundsOf = (schema: Schema) =>
  bounds.filter(([keyword]) => schema[keyword] !== undefined && schema[keyword] !== false);

/** Where a number stands to the bounds of its schema that it breaks: `less than 1`. */
export const breachesOf = (value: number, schema: Schema): string[] =>
  boundsOf(schema).flatMap(([keyword, , breach]) => breach?.(value, Number(schema[keyword])) || []);

/** What a value is expected to be, in the words of its schema: "one of Active, Inactive", "an integer, at least 1". */
export function expectation(schema: Schema): string {
  if (schema.const !== undefined) return `the ${schema.type} ${schema.const}`;
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  const demands = boundsOf(schema).map(([keyword, demand]) => demand(Number(schema[keyword])));
  return [schema.title ?? typeText(schema), ...demands].join(', ');
}

/** A title says what a format or a pattern means; without one they speak for themselves. */
function typeText({ type, format, pattern: form }: Schema): string {
  const name = `${/^[aeiou]/.test(type ?? '') ? 'an' : 'a'} ${type}`;
  if (format) return `${name} in the format ${format}`;
  return form ? `${name} that matches ${form.length > 40 ? 'the pattern of its schema' : form}` : name;
}
