import { expect, test } from '@playwright/test';
import type { Schema } from '../../../schemas/contract/contract.ts';
import { describeExpectation } from '../../../schemas/contract/expectations.ts';
import { collectErrors, compileValidator } from '../../../schemas/contract/validators.ts';
import { describeValue } from '../../../src/redact/describe-value.ts';
import { rejectEveryWord } from '../../../src/redact/disclosure.ts';

const digitsText = 'a string of 2 characters, shaped "00"';
const floorSchema: Schema = { type: 'integer', title: 'a floor', minimum: 1, maximum: 4, multipleOf: 2 };
const objectSchema: Schema = { type: 'object' };
const pairSchema: Schema = { ...objectSchema, properties: { a: {}, b: {} }, required: ['a', 'b'] };
const letterSchema: Schema = { type: 'string', 'x-values-that-occur': ['a'] };
const objectWithField = { a: 1 };

const rows: [
  schema: Schema,
  validValue: unknown,
  invalidValue: unknown,
  expected: string,
  actual: string,
  errorCount?: number,
][] = [
  [{ type: 'integer', minimum: 1 }, 1, 0, 'an integer, at least 1', 'a number'],
  [{ type: 'integer', exclusiveMinimum: 1 }, 2, 1, 'an integer, more than 1', 'a number'],
  [{ type: 'number', maximum: 9 }, 9, 10, 'a number, at most 9', 'a number'],
  [{ type: 'number', exclusiveMaximum: 9 }, 8, 9, 'a number, less than 9', 'a number'],
  [{ type: 'integer', multipleOf: 5 }, 10, 7, 'an integer, a multiple of 5', 'a number'],
  [floorSchema, 2, 7, 'a floor, at least 1, at most 4, a multiple of 2', 'a number'],
  [{ type: 'string', minLength: 3 }, 'abc', '12', 'a string, at least 3 characters', digitsText],
  [{ ...letterSchema, maxLength: 1 }, 'a', '12', 'a string, at most 1 character', digitsText, 2],
  [{ type: 'array', minItems: 1 }, [1], [], 'an array, at least 1 element', 'an array of 0'],
  [{ type: 'array', maxItems: 1 }, [1], [1, 2], 'an array, at most 1 element', 'an array of 2'],
  [{ type: 'array', uniqueItems: true }, [1, 2], [1, 1], 'an array, no two elements alike', 'an array of 2'],
  [{ type: 'array', uniqueItems: false }, [1, 1], 1, 'an array', 'a number'],
  [
    { ...objectSchema, minProperties: 1 },
    objectWithField,
    {},
    'an object, at least 1 field',
    'an object with 0 fields',
  ],
  [pairSchema, { a: 1, b: 1 }, {}, 'an object', 'an object with 0 fields', 2],
  [
    { ...objectSchema, maxProperties: 0 },
    {},
    objectWithField,
    'an object, at most 0 fields',
    'an object with 1 field',
  ],
  [{ type: 'string', format: 'date' }, '2026-11-22', '12', 'a string in the format date', digitsText],
  [{ type: 'string', pattern: '^[A-Z]$' }, 'A', '12', 'a string that matches ^[A-Z]$', digitsText],
  [{ type: 'string', title: 'a letter', pattern: '^[A-Z]$' }, 'A', '12', 'a letter', digitsText],
];

for (const [schema, validValue, invalidValue, expected, actual, errorCount = 1] of rows)
  test(`${JSON.stringify(schema)} expects ${expected}; ${JSON.stringify(invalidValue)} is ${actual}`, () => {
    const errors = [validValue, invalidValue].map(
      (value) => collectErrors(compileValidator(schema), value).length,
    );
    expect(errors).toEqual([0, errorCount]);
    expect(describeExpectation(schema)).toBe(expected);
    expect(describeValue(invalidValue, schema, rejectEveryWord)).toBe(actual);
  });
