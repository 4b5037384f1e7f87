import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { readTraffic } from '../../traffic/read-traffic.ts';
import type { RecordedEntry } from '../../traffic/recorded-entry.ts';
import { runs, seed } from '../soak.ts';
import { costOfReading, writeSession } from './generated.ts';
import { harEntry, harOf, readBytes, summaryOf } from './reading.ts';

const withText = (text: string) => harEntry({ content: { size: Buffer.byteLength(text), text } });
/** What separates entries stands inside this one, too. */
const likeTwo = harEntry({}, { _log: [{ startedDateTime: '' }, { startedDateTime: '' }] });
const awkward = [
  ...['{"a":"\\"}]","b":"\\\\"}', '"\\', '€😀\u2028', '[{"log":{"entries":[1]}}]', '\\"'].map(withText),
  likeTwo,
  withText(''),
];
const hars = [harOf(awkward), harOf(awkward, 2), `\ufeff${harOf(awkward, 1)}\n`].map((text) =>
  Buffer.from(text),
);
const lines = Buffer.from(
  awkward
    .map((_, index) => `{"method":"GET","url":"http://a.example/${index}","status":200,"body":"\\"€"}\r\n`)
    .join(''),
);

const cutAt = { kind: 'broken', reason: 'ends early', source: '-', number: '1' };

// Each `expect` is a step that is reported: here they would cost far more than the reading.

test('entries come out the same however the stream is cut into pieces', async () => {
  const wrong: string[] = [];
  for (const text of [...hars, lines]) {
    const whole = await readBytes(text);
    expect(whole.map(summaryOf)).toEqual(awkward.map(() => '200 text'));
    for (let length = 1; length < 64; length++) {
      if (!isDeepStrictEqual(await readBytes(text, {}, length), whole))
        wrong.push(`pieces of ${length} bytes`);
    }
  }
  expect(wrong).toEqual([]);
});

/** How many entries stand wholly before a byte: the last of them ends somewhere before the next one begins. */
const endedBefore = (whole: RecordedEntry[], byte: number) =>
  whole.filter((_, index) => {
    const next = whole[index + 1];
    return next?.kind === 'exchange' && next.position.byte <= byte;
  });

/** Amid blanks of an indentation one cut is like another. */
const isAmidBlanks = (text: Buffer, at: number) => text[at - 1] === blank && text[at] === blank;
const [blank] = Buffer.from(' ');

test('a HAR that is cut at any byte is read up to there', async () => {
  const wrong: string[] = [];
  for (const text of hars) {
    const whole = await readBytes(text);
    const end = text.lastIndexOf('}') + 1;
    for (let cut = 40; cut < end; cut++) {
      if (isAmidBlanks(text, cut)) continue;
      const read = await readBytes(text.subarray(0, cut));
      const expected = [...whole.slice(0, read.length - 1), { ...cutAt, byte: cut }];
      if (!isDeepStrictEqual(read, expected)) wrong.push(`cut at ${cut}`);
      if (read.length <= endedBefore(whole, cut).length) wrong.push(`lost before ${cut}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('when any byte is changed, what stands before it is read, and nothing is thrown', async () => {
  const texts = [...hars, lines];
  const wholes = new Map(
    await Promise.all(texts.map(async (text) => [text, await readBytes(text)] as const)),
  );
  const change = fc.record({
    text: fc.constantFrom(...texts),
    place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    byte: fc.integer({ min: 0, max: 255 }),
    length: fc.integer({ min: 1, max: 4_000 }),
  });
  const holds = fc.asyncProperty(change, async ({ text, place, byte, length }) => {
    const at = Math.floor(text.length * place);
    const changed = Buffer.from(text);
    changed[at] = byte;
    const [whole = [], read] = [wholes.get(text), await readBytes(changed, {}, length)];
    const before = endedBefore(whole, at);
    return isDeepStrictEqual(read.slice(0, before.length), before) && read.length <= whole.length + 2;
  });
  await fc.assert(holds, { seed, numRuns: runs(500) });
});

test('a compressed recording is read as it is', async () => {
  const [, text = Buffer.alloc(0)] = hars;
  const whole = await readBytes(text);
  for (const compress of [gzipSync, deflateSync]) {
    expect(await readBytes(compress(text))).toEqual(whole);
    const cut = await readBytes(compress(text).subarray(0, -30));
    expect(cut.at(-1)).toMatchObject({ kind: 'broken', reason: 'its compression is broken or cut' });
  }
});

test('whoever stops reading lets go of the stream', async () => {
  const input = Readable.from([hars[0]]);
  for await (const _ of readTraffic(['-'], { input })) break;
  expect(input.destroyed).toBe(true);
});

test('a session of 30 MiB takes no more memory than a small one', async () => {
  const [small, large] = [test.info().outputPath('small.har'), test.info().outputPath('large.har')];
  writeSession(small, 3, 'repeating');
  const entries = writeSession(large, 30, 'repeating');
  const little = await costOfReading(small);
  const cost = await costOfReading(large);
  expect(cost.entries).toBe(entries);
  expect(cost.peakBytes - little.peakBytes).toBeLessThan(150e6);
});
