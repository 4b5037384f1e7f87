import { expect, test } from '@playwright/test';
import { valueAt } from '../../schemas/json.ts';
import { below, isCut, longest, root, whole } from '../../schemas/pointer.ts';
import { found, read } from './json-reading.ts';

test('what is too deep or too much for this suite is distinguished from what is not JSON', () => {
  const nested = (depth: number) => read('['.repeat(depth) + ']'.repeat(depth));
  expect(nested(3500)).toHaveProperty('value');
  for (const depth of [3501, 200_000])
    expect(nested(depth)).toEqual({ limit: expect.stringMatching(/nested deeper.*more than 3500 levels/) });
  expect(read('['.repeat(200_000))).toEqual({ problem: 'not JSON' });
  const many = (count: number) => read(`[${'{},'.repeat(count)}{}]`);
  expect(many(2_000_000)).toHaveProperty('value');
  expect(many(2_500_000)).toEqual({ limit: expect.stringMatching(/more than 200 MB/) });
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
