import { expect, test } from '@playwright/test';
import type { Schema } from '../../../schemas/contract/contract.ts';
import { exactValueAt } from '../../../schemas/json/read.ts';
import { found, read } from './json-reading.ts';

const infinite: [text: string, pointers: string[]][] = [
  ['1e400', ['']],
  ['{"a":[1,-1e999]}', ['/a/1']],
  ['[1e308, 1.7976931348623157e308]', []],
  ['[1e309]', ['/0']],
  [`[${'9'.repeat(400)}]`, ['/0']],
  ['["1e400"]', []],
  ['[1e-400]', []],
];

for (const [text, pointers] of infinite) {
  test(`${text.slice(0, 40)} has ${pointers.length} numbers that are not finite`, () => {
    expect(found(text)).toMatchObject({ infiniteNumbers: pointers });
  });
}

const integers = [
  `1${'0'.repeat(300)}`,
  `5.${'0'.repeat(300)}`,
  '200',
  '200.0',
  '2e2',
  '2E+2',
  '2.00e2',
  '20.5e1',
  '200e-2',
  '-200.000',
  '0.0',
  '0e5',
  '-0.0e-7',
];
const others = [
  `5.${'0'.repeat(300)}1`,
  '200.00000000000000001',
  '199.99999999999999999',
  '1e-400',
  '0.9999999999999999999',
  '20.05e1',
  '25e-2',
];

const integer: Schema = { type: 'integer' };
const places: [before: string, after: string, pointer: string, schema: Schema][] = [
  ['', '', '', integer],
  ['[', ']', '/0', { type: 'array', items: integer }],
  ['{"a":', '}', '/a', { type: 'object', properties: { a: integer } }],
];

for (const [text, isInteger] of [
  ...integers.map((text) => [text, true] as const),
  ...others.map((text) => [text, false] as const),
]) {
  test(`${text.slice(0, 30)} ${isInteger ? 'is an integer' : 'is no integer'}`, () => {
    for (const [before, after, pointer, schema] of places) {
      const body = before + text + after;
      const document = read(body, schema);
      if (!('value' in document)) throw new Error('not read');
      const number = exactValueAt(document, pointer);
      expect(Number.isInteger(number), body).toBe(isInteger);
      expect(number).toBeCloseTo(Number(text), 9);
      // The value is as JSON.parse made it.
      expect(document.value).toEqual(JSON.parse(body));
    }
  });
}

test('a number that only looks like an integer is recorded where an integer is promised, and nowhere else', () => {
  const schema: Schema = { type: 'object', properties: { a: integer, b: { type: 'number' } } };
  const text =
    '{"a":5.00000000000000000001,"b":5.00000000000000000001,"__proto__":{"a":5.00000000000000000001}}';
  const document = read(text, schema);
  expect('value' in document && [...document.inexactNumbers].map(([pointer]) => pointer)).toEqual(['/a']);
});

test('nothing is written along the path of a number, with any key on that path', () => {
  const number = '1.00000000000000000001';
  for (const key of ['__proto__', 'constructor', 'toString']) {
    const text = `{"x":{"${key}":{"needs":${number},"prototype":{"map":${number}}}},"x":{}}`;
    expect(found(text)).toMatchObject({ value: { x: {} }, repeatedKeys: ['/x'] });
    for (const name of ['needs', 'prototype']) expect(Object.hasOwn(Object.prototype, name)).toBe(false);
  }
});
