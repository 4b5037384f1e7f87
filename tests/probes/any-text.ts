import fc from 'fast-check';

const halfPairs = { from: 0xd800, count: 0x800 };

const characterAt = (index: number) =>
  String.fromCodePoint(index < halfPairs.from ? index : index + halfPairs.count);

/** @throws when the text is not one character. */
function indexOf(text: unknown): number {
  const code = typeof text === 'string' ? (text.codePointAt(0) ?? 0) : 0;
  const index = code < halfPairs.from ? code : code - halfPairs.count;
  if (text !== characterAt(index)) throw new Error('no character');
  return index;
}

/**
 * Any character of Unicode, as the unit `binary` of fast-check, which makes a table of them all: that takes half a second of
 * a processor in each process.
 */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - halfPairs.count }).map(characterAt, indexOf);

/** Arbitrary texts of at most so many characters. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: anyCharacter, maxLength });
