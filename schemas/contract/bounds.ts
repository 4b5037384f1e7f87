import { counted } from '../counted.ts';
import type { Schema } from './contract.ts';

/** A keyword of a schema that bounds what its type allows. */
interface Bound {
  keyword: keyof Schema;
  /** What it demands, in words: "at least 1". */
  demand(limit: unknown): string;
  /** Of a number, what is said of one that breaks it: "less than 1". What breaks another bound shows in its description. */
  breach?: (value: number, limit: number) => string | undefined;
}

const ofNumbers = (
  keyword: keyof Schema,
  demand: string,
  breach: string,
  isBroken: (value: number, limit: number) => boolean,
): Bound => ({
  keyword,
  demand: (limit) => `${demand} ${limit}`,
  breach: (value, limit) => (isBroken(value, limit) ? `${breach} ${limit}` : undefined),
});

const ofSizes = (keyword: keyof Schema, demand: string, noun: string): Bound => ({
  keyword,
  demand: (limit) => `${demand} ${counted(Number(limit), noun)}`,
});

const bounds: Bound[] = [
  ofNumbers('minimum', 'at least', 'less than', (value, limit) => value < limit),
  ofNumbers('exclusiveMinimum', 'more than', 'not more than', (value, limit) => value <= limit),
  ofNumbers('maximum', 'at most', 'more than', (value, limit) => value > limit),
  ofNumbers('exclusiveMaximum', 'less than', 'not less than', (value, limit) => value >= limit),
  ofNumbers(
    'multipleOf',
    'a multiple of',
    'no multiple of',
    (value, limit) => !Number.isInteger(value / limit),
  ),
  ofSizes('minLength', 'at least', 'character'),
  ofSizes('maxLength', 'at most', 'character'),
  ofSizes('minItems', 'at least', 'element'),
  ofSizes('maxItems', 'at most', 'element'),
  ofSizes('minProperties', 'at least', 'field'),
  ofSizes('maxProperties', 'at most', 'field'),
  { keyword: 'uniqueItems', demand: () => 'no two elements alike' },
];

/** What a schema demands beyond its type, in words: `at least 1`, `at most 9`. */
export const demandsOf = (schema: Schema): string[] =>
  boundsOf(schema).map(({ keyword, demand }) => demand(schema[keyword]));

/** Where a number stands to the bounds of its schema that it breaks: `less than 1`. */
export const breachesOf = (value: number, schema: Schema): string[] =>
  boundsOf(schema).flatMap(({ keyword, breach }) => breach?.(value, Number(schema[keyword])) ?? []);

/** `uniqueItems: false` demands nothing. */
const boundsOf = (schema: Schema) =>
  bounds.filter(({ keyword }) => schema[keyword] !== undefined && schema[keyword] !== false);
