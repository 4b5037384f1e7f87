import { expect, test } from '@playwright/test';
import { below, isCut, longest, root, whole } from '../../../schemas/json/pointer.ts';
import { valueAt } from '../../../schemas/json/read.ts';
import { found, read } from './json-reading.ts';

test('no text is too deep or too much: what is not JSON is known from what is', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  for (const depth of [3, 200_000, 2_500_000]) {
    expect(found(nested(depth))).toMatchObject({ value: { length: 1 }, repeatedKeys: [] });
    expect(read(nested(depth).slice(1))).toEqual({ problem: 'not JSON' });
    expect(read(nested(depth).slice(0, -1))).toEqual({ problem: 'not JSON' });
  }
  const many = `[${'{},'.repeat(2_500_000)}{}]`;
  expect(read(many)).toMatchObject({ value: { length: 2_500_001 } });
});

const megabyte = 1_000_000;
const long: [name: string, text: string][] = [
  ['a number of zeros', `{"a":1${'0'.repeat(megabyte)}}`],
  ['a fraction of zeros', `{"a":1.${'0'.repeat(megabyte)}1}`],
  ['an exponent of digits', `{"a":1e${'9'.repeat(megabyte)}}`],
  [
    'a key a thousand deep, again and again',
    `${'{"a":'.repeat(1000)}{${'"a":1,'.repeat(megabyte / 6)}"a":1}${'}'.repeat(1000)}`,
  ],
  [
    'another key each time',
    `{${Array.from({ length: megabyte / 10 }, (_, at) => `"${at}":1`).join()},"1":1}`,
  ],
  ['a string of escapes', `{"a":"${'\\"'.repeat(megabyte / 3)}","a":1}`],
];

for (const [name, text] of long) {
  test(`${name}: a megabyte is read in time`, () => {
    const begin = process.cpuUsage();
    found(text);
    const { user } = process.cpuUsage(begin);
    expect(user / 1e6).toBeLessThan(5);
  });
}

test('pointers find what they were made for', () => {
  const value = { 'a/b': [{ '~1': 'found' }] };
  expect([...'a'].reduce(below, root)).toBe('/a');
  expect(below(below(below(root, 'a/b'), 0), '~1')).toBe('/a~1b/0/~01');
  expect(valueAt(value, '/a~1b/0/~01')).toBe('found');
  expect(valueAt(value, '')).toBe(value);
  expect(valueAt(value, '/a~1b/1/x')).toBeUndefined();
});

test('a pointer that grows too long is cut between two steps', () => {
  const deep = Array.from({ length: 1000 }, () => 'step').reduce(below, root);
  expect(isCut(deep)).toBe(true);
  expect(deep.length).toBeLessThanOrEqual(longest + 2);
  expect(whole(deep)).toMatch(/^(\/step)+$/);
  expect(below('/a', 'b'.repeat(longest))).toBe('/a/…');
});
