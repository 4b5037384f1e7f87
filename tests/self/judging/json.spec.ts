import { isUtf8 } from 'node:buffer';
import { inspect } from 'node:util';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { getValue, maxListedViolations, readJson } from '../../../schemas/json.ts';
import { runs, seed } from '../soak.ts';

const createBytes = (...numbers: number[]) => Uint8Array.from(numbers);
const readText = (text: string) => readJson(Buffer.from(text));

function readDocument(text: string) {
  const document = readText(text);
  if (!('value' in document)) throw new Error(document.problem);
  const { value, repeatedKeys, infiniteNumbers } = document;
  return { value, repeated: repeatedKeys.firstPointers, infinite: infiniteNumbers.firstPointers };
}

const unreadable: [body: Uint8Array | string, problem: string][] = [
  [createBytes(), 'empty'],
  [' \r\n\t', 'empty'],
  [createBytes(0xef, 0xbb, 0xbf), 'empty'],
  [Buffer.from('\ufeff{"a":1}', 'utf16le'), 'not UTF-8'],
  [Buffer.from('{"a":1}', 'utf16le'), 'not JSON'],
  [Buffer.from('{"a":"é"}', 'latin1'), 'not UTF-8'],
  [createBytes(0x22, 0xc0, 0xaf, 0x22), 'not UTF-8'],
  [createBytes(0x22, 0xe2, 0x82, 0x22), 'not UTF-8'],
  ['\ufeff\ufeff{}', 'not JSON'],
  ['{"a":1,}', 'not JSON'],
  ['{"a":1} // note', 'not JSON'],
  ['\u00a0{}', 'not JSON'],
  [")]}',\n{}", 'not JSON'],
  [']'.repeat(250_000), 'not JSON'],
  ['['.repeat(250_000) + ']'.repeat(250_000), 'nested too deeply'],
  [`[${'{"a":['.repeat(500)}${']}'.repeat(500)}]`, 'nested too deeply'],
  // `JSON.parse` drops the first value of a repeated key.
  [`{"a":${'['.repeat(1000)}${']'.repeat(1000)},"a":1}`, 'nested too deeply'],
  [`{"b":${'['.repeat(20_000)}${']'.repeat(20_000)},"b":1}`, 'nested too deeply'],
];

for (const [body, problem] of unreadable)
  test(`${Buffer.from(body).subarray(0, 40).toString('hex')} is ${problem}`, () => {
    expect(readJson(Buffer.from(body))).toEqual({ problem });
  });

const unchangedTexts = [
  ' \n[1,2]\r\n',
  'null',
  '"text"',
  '-0',
  '{"a":"\\u0000\\ud83d\\ude00é","b":"\\ud800"}',
  '{"":{"":1}}',
  '{"__proto__":{"a":1},"constructor":2,"toString":3}',
  JSON.stringify({ 'a"{[': `"]}\\"${'['.repeat(5000)}`, b: '"a":1,"a":', 'c\\': '\\' }),
  '[{"a":1},{"a":{"a":{"a":1}}}]',
  '[1e308, 1.7976931348623157e308, 1e-300, 0.1234567890123456789, "1e400"]',
  `[1${'0'.repeat(300)}, 5.${'0'.repeat(300)}, 200.0, 2E+2, 20.5e1, 200e-2, -200.000, 2000e-1, 0.02e4, 2.00e+0002, -0.0e-7]`,
  '{"a":['.repeat(500) + ']}'.repeat(500),
];

for (const text of unchangedTexts)
  test(`${text.slice(0, 60)} is read as by JSON.parse`, () => {
    expect(readDocument(text)).toEqual({ value: JSON.parse(text), repeated: [], infinite: [] });
    expect(readDocument(`\ufeff${text}`).value).toEqual(JSON.parse(text));
  });

const duplicateKeys: [text: string, ...pointers: string[]][] = [
  ['{"a":1,"\\u0061":2}', '/a'],
  ['{"a":1,"a":2,"a":3}', '/a', '/a'],
  ['{"a":{"b":[{},{"c":1,"d":{},"c":2}]}}', '/a/b/1/c'],
  ['{"a":{"a":1,"a":2},"a":3}', '/a/a', '/a'],
  ['{"~/":1,"~/":2}', '/~0~1'],
  ['{"__proto__":{"a":1},"a":{"__proto__":1,"__proto__":2}}', '/a/__proto__'],
  ['{"a":{"b":{"c":1.00000000000000000001}},"a":null}', '/a'],
  ['{"x":{"__proto__":{"needs":1.00000000000000000001}},"x":{}}', '/x'],
];

for (const [text, ...pointers] of duplicateKeys)
  test(`${text} repeats ${pointers.join(' and ')}`, () => {
    expect(readDocument(text)).toEqual({ value: JSON.parse(text), repeated: pointers, infinite: [] });
    expect(Object.hasOwn(Object.prototype, 'needs')).toBe(false);
  });

const infiniteNumbers: [text: string, pointer: string][] = [
  ['1e400', ''],
  ['{"a":[1,-1e999]}', '/a/1'],
  [`[${'9'.repeat(400)}]`, '/0'],
];

for (const [text, pointer] of infiniteNumbers)
  test(`${text.slice(0, 20)} has an infinite number`, () => {
    expect(readDocument(text)).toMatchObject({ infinite: [pointer] });
  });

const fractions: [text: string, value: number][] = [
  ['200.00000000000000001', 200.00000000000006],
  ['-199.99999999999999999', -200.00000000000006],
  ['20.05e1', 200.5],
  ['25e-2', 0.25],
  ['5.0e-1', 0.5],
  ['200.00000000000000001e0', 200.00000000000006],
  ['2.0000000000000000001E+2', 200.00000000000006],
  ['20000000000000000000001e-20', 200.00000000000006],
];

for (const [text, expectedNumber] of fractions)
  test(`${text} is no integer in any place`, () => {
    const { value } = readDocument(`{"a":[1,{"b":${text}}],"c":${text}}`);
    for (const pointer of ['/a/1/b', '/c']) expect(getValue(value, pointer)).toBe(expectedNumber);
    expect(readDocument(text).value).toBe(expectedNumber);
  });

test('places are counted, and the first ones are listed', () => {
  const document = readText(`{${'"a":1,'.repeat(1000)}"b":[${'1e999,'.repeat(500)}1]}`);
  expect(document).toMatchObject({ repeatedKeys: { count: 999 }, infiniteNumbers: { count: 500 } });
  if ('value' in document) expect(document.infiniteNumbers.firstPointers).toHaveLength(maxListedViolations);
});

test('a pointer leads only to own members of a value', () => {
  expect(getValue({ 'a/b': [{ '~1': 'found' }] }, '/a~1b/0/~01')).toBe('found');
  expect(getValue({ a: 1 }, '')).toEqual({ a: 1 });
  expect(getValue({}, '/constructor/name')).toBeUndefined();
});

const largeTexts: [name: string, text: string][] = [
  ['a number of zeros', `{"a":1${'0'.repeat(4_000_000)}}`],
  ['a fraction of zeros', `{"a":1.${'0'.repeat(4_000_000)}1}`],
  ['a string of escapes', `{"a":"${'\\"'.repeat(2_000_000)}","a":1}`],
  [
    'duplicate keys at many depths',
    `${'{"a":'.repeat(900)}{${'"a":1,'.repeat(600_000)}"a":1}${'}'.repeat(900)}`,
  ],
  ['rounded numbers', `[${'1.00000000000000000001,'.repeat(170_000)}1]`],
];

for (const [name, text] of largeTexts)
  test(`four megabytes of ${name} are read within the time limit`, () => {
    expect(() => readDocument(text)).not.toThrow();
  });

test('arbitrary bytes are read, or rejected with a reason', () => {
  const characters = fc.constantFrom(...'{}[]":,\\u0e.-7 aé€𝄞\u0000\ufeff\u{10ffff}');
  const texts = fc.oneof(fc.json(), fc.string(), fc.string({ unit: characters }));
  const bodies = fc
    .tuple(fc.constantFrom('', '\ufeff', ' '), texts)
    .map((parts) => Buffer.from(parts.join('')));
  const bodyParts = fc
    .tuple(bodies, fc.nat(3), fc.nat())
    .map(([body, start, end]) => body.subarray(start, end));
  const isReadAsParsed = (body: Uint8Array) => {
    const document = readJson(body);
    if (!('value' in document)) return document.problem === 'not UTF-8' ? !isUtf8(body) : true;
    expect(document.value).toEqual(JSON.parse(new TextDecoder().decode(body)));
    const isInfinite = inspect(document.value, { depth: null }).includes('Infinity');
    return document.repeatedKeys.count === 0 && (isInfinite || document.infiniteNumbers.count === 0);
  };
  fc.assert(fc.property(fc.oneof(bodies, bodyParts, fc.uint8Array()), isReadAsParsed), {
    seed,
    numRuns: runs(300),
  });
});
