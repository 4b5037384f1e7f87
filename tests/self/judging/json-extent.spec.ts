import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { extentOf } from '../../../schemas/json/extent.ts';
import { scanJson } from '../../../schemas/json/scan.ts';
import { anyText } from '../../probes/any-text.ts';

const numbers = ['0', '-0', '1e3', '1000', '2e2', '0.01', '1e-2', '5e-3', '12.50', '1e400', '-7', '20.5e1'];
const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,20})?([eE][+-]?\d{1,3})?$/);
const texts = fc.letrec<{ value: string }>((tie) => {
  const value = tie('value');
  const text = anyText(4).map((one) => JSON.stringify(one));
  const member = fc
    .tuple(fc.constantFrom('"a"', '"b"', '"__proto__"', '"0"'), value)
    .map((pair) => pair.join(':'));
  const list = (of: fc.Arbitrary<string>) => fc.array(of, { maxLength: 4 }).map((parts) => parts.join());
  return {
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('true', 'false', 'null', '"\\u0041"', ' 1', ...numbers),
      digits,
      text,
      list(value).map((inside) => `[${inside}]`),
      list(member).map((inside) => `{${inside}}`),
    ),
  };
}).value;

test('a text as short as its value allows hides nothing, and none is shorter', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { members, shortest } = extentOf(JSON.parse(text));
      if (Number.isNaN(shortest) || text.length > shortest) return true;
      const plain = { members, infiniteNumbers: 0, inexactNumbers: 0 };
      return text.length === shortest && isDeepStrictEqual({ ...scanJson(Buffer.from(text)) }, plain);
    }),
    { numRuns: 1000 },
  );
});

test('most texts are as short as their values allow', () => {
  for (const value of [
    null,
    true,
    false,
    '',
    'Zoë 😀',
    [],
    {},
    -12.5,
    [1, [], { a: { '': 0.25 }, b: [{}] }],
  ]) {
    const text = JSON.stringify(value);
    expect(extentOf(value).shortest, text).toBe(text.length);
  }
});
