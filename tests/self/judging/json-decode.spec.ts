import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { decode, markLength } from '../../../schemas/json/decode.ts';
import { runs, seed } from '../soak.ts';

const texts = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
const encoded = texts.map((text) => Buffer.from(text));
const cut = fc
  .tuple(encoded, fc.nat(), fc.nat())
  .map(([bytes, start, length]) => bytes.subarray(start % 5, length));
const marked = encoded.map((bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes]));
const bodies = fc.oneof(encoded, cut, marked, fc.uint8Array());

test('a body becomes the text that TextDecoder makes of it', () => {
  const isSame = (body: Uint8Array) => decode(body) === new TextDecoder().decode(body);
  fc.assert(fc.property(bodies, isSame), {
    seed,
    numRuns: runs(500),
    examples: [
      [Buffer.from('€'.repeat(400_000))],
      [Buffer.from('é')],
      [Buffer.from('\ufeff\ufeff')],
      [new Uint8Array()],
    ],
  });
});

test('a byte order mark is three bytes, and no other character that begins like it', () => {
  const marks = ['\ufeff{}', '\ufefc', '\ufec0', '{}', ''].map((text) => markLength(Buffer.from(text)));
  expect(marks).toEqual([3, 0, 0, 0, 0]);
});
