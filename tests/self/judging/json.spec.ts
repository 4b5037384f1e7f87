import { expect, test } from '@playwright/test';
import { readJson, valueAt } from '../../../schemas/json/read.ts';
import { found, read } from './json-reading.ts';

const bytes = (...numbers: number[]) => Uint8Array.from(numbers);

const rejected: [name: string, body: Uint8Array, problem: string][] = [
  ['nothing', bytes(), 'empty'],
  ['blanks', Buffer.from(' \r\n\t'), 'empty'],
  ['a byte order mark alone', bytes(0xef, 0xbb, 0xbf), 'empty'],
  ['UTF-16 with a byte order mark', Buffer.from('\ufeff{"a":1}', 'utf16le'), 'not UTF-8'],
  ['UTF-16 without one', Buffer.from('{"a":1}', 'utf16le'), 'not JSON'],
  ['Latin 1', Buffer.from('{"a":"é"}', 'latin1'), 'not UTF-8'],
  ['an overlong form', bytes(0x22, 0xc0, 0xaf, 0x22), 'not UTF-8'],
  ['half a character', bytes(0x22, 0xe2, 0x82, 0x22), 'not UTF-8'],
  ['two byte order marks', Buffer.from('\ufeff\ufeff{}'), 'not JSON'],
];

for (const [name, body, problem] of rejected) {
  test(`a body of ${name} is ${problem}`, () => {
    expect(readJson(body)).toEqual({ problem });
  });
}

const malformed = [
  '{',
  '{}}',
  '[1,]',
  '{"a":1,}',
  '{a:1}',
  "{'a':1}",
  '{"a":1}{"a":1}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":undefined}',
  '{"a":01}',
  '{"a":.5}',
  '{"a":5.}',
  '{"a":+1}',
  '{"a":0x1F}',
  '{"a":1} // note',
  '/* note */ {}',
  '{"a":"\n"}',
  '{"a":"\u0000"}',
  '{"a":"\\x41"}',
  '{"a":"\\u12"}',
  '\u00a0{}',
  '<html></html>',
  'callback({})',
  ")]}',\n{}",
];

for (const text of malformed) {
  test(`${JSON.stringify(text)} is not JSON`, () => {
    expect(read(text)).toEqual({ problem: 'not JSON' });
  });
}

const valid: [text: string, value: unknown][] = [
  ['\ufeff{"a":1}', { a: 1 }],
  [' \n[1,2]\r\n', [1, 2]],
  ['null', null],
  ['"text"', 'text'],
  ['-0', -0],
  ['{"a":"\\u0000\\ud83d\\ude00é"}', { a: '\u0000😀é' }],
  ['{"a":"\\ud800"}', { a: '\ud800' }],
  ['{"":{"":1}}', { '': { '': 1 } }],
];

for (const [text, value] of valid) {
  test(`${JSON.stringify(text)} is read`, () => {
    expect(found(text)).toEqual({ value, repeatedKeys: [], infiniteNumbers: [] });
  });
}

const repeated: [text: string, pointers: string[]][] = [
  ['{"a":1,"b":2}', []],
  ['{"a":1,"a":1}', ['/a']],
  ['{"a":1,"\\u0061":2}', ['/a']],
  ['{"a":1,"a":2,"a":3}', ['/a', '/a']],
  ['{"a":{"b":[{},{"c":1,"d":{},"c":2}]}}', ['/a/b/1/c']],
  ['[{"a":1},{"a":1}]', []],
  ['{"a":{"a":{"a":1}}}', []],
  ['{"a":{"a":1,"a":2},"a":3}', ['/a/a', '/a']],
  ['{"~/":1,"~/":2}', ['/~0~1']],
  ['{"__proto__":1,"__proto__":2}', ['/__proto__']],
  ['{"__proto__":{"a":1},"a":{"__proto__":1,"__proto__":2}}', ['/a/__proto__']],
  ['{"a":{"b":{"c":{"d":1.00000000000000000001}}},"a":5}', ['/a']],
  ['{"a":{"b":{"c":1.00000000000000000001}},"a":null}', ['/a']],
];

for (const [text, pointers] of repeated) {
  test(`${text} repeats ${pointers.join(' and ') || 'no key'}`, () => {
    expect(found(text)).toMatchObject({ repeatedKeys: pointers });
  });
}

test('keys that objects inherit are nothing special', () => {
  const document = read('{"__proto__":{"a":1},"constructor":2,"toString":3}');
  const value = 'value' in document ? document.value : undefined;
  expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor', 'toString']);
  expect(valueAt(value, '/__proto__/a')).toBe(1);
  expect(valueAt({}, '/__proto__')).toBeUndefined();
  expect(valueAt({}, '/constructor/name')).toBeUndefined();
});

test('brackets and quotes in strings are no structure', () => {
  const text = JSON.stringify({ 'a"{[': `"]}\\"${'['.repeat(5000)}`, b: '"a":1,"a":' });
  expect(found(text)).toEqual({ value: JSON.parse(text), repeatedKeys: [], infiniteNumbers: [] });
});
