import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { readTraffic } from '../../../src/traffic/read-traffic.ts';
import { fuzzBytes, runs, seed } from '../soak.ts';
import { createHar, createHarEntry, listUrl, readBytes, summarizeEntry, useTempFolder } from './reading.ts';

const { summarizeRecording } = useTempFolder();

const createEntryWithText = (text: string) =>
  createHarEntry({ content: { size: Buffer.byteLength(text), text } });
const awkwardEntries = [
  ...['{"a":"\\"}]","b":"\\\\"}', '"\\', '€😀\u2028', '[{"log":{"entries":[1]}}]', '\\"', ''].map(
    createEntryWithText,
  ),
  createHarEntry({}, { _log: [{ startedDateTime: '' }, { startedDateTime: '' }] }),
];
const compact = Buffer.from(createHar(awkwardEntries));
const indented = Buffer.from(createHar(awkwardEntries, 2));
const withByteOrderMark = Buffer.from(`\ufeff${createHar(awkwardEntries, 1)}\n`);
const lines = Buffer.from(
  awkwardEntries
    .map((_, index) => `{"method":"GET","url":"${listUrl}?offset=${index}","status":200,"body":"\\"€"}\r\n`)
    .join(''),
);

// No `expect` in loops: each is reported as a step, which would take longer than reading.

test('entries are identical for every chunk size of the stream', async () => {
  const wrongLengths: string[] = [];
  for (const text of [compact, indented, withByteOrderMark, lines]) {
    const wholeEntries = await readBytes(text);
    expect(wholeEntries.map(summarizeEntry)).toEqual(awkwardEntries.map(() => '200 text'));
    for (let length = 1; length < 64; length++)
      if (!isDeepStrictEqual(await readBytes(text, {}, length), wholeEntries))
        wrongLengths.push(`pieces of ${length} bytes`);
  }
  expect(wrongLengths).toEqual([]);
});

// Every third byte in the gate, every byte in soak.
test('a HAR that is truncated at any byte is read up to that byte', async () => {
  const wholeEntries = await readBytes(compact);
  let entryCount = 0;
  const wrongCuts: number[] = [];
  for (let cut = 39 + (compact.length % 3); cut < compact.length - 2; cut += runs(1) > 1 ? 1 : 3) {
    const read = await readBytes(compact.subarray(0, cut));
    const broken = { kind: 'broken', reason: 'ends early', source: '-', number: '1', byteOffset: cut };
    const expected = [...wholeEntries.slice(0, read.length - 1), broken];
    if (!isDeepStrictEqual(read, expected) || read.length < entryCount) wrongCuts.push(cut);
    entryCount = read.length;
  }
  expect({ wrong: wrongCuts, before: entryCount }).toEqual({ wrong: [], before: wholeEntries.length + 1 });
});

const fragments = [
  '{"log":{"entries":[',
  ...'{}[]",:\\\n',
  '{"request":',
  '"method":"GET"',
  '1e9',
  'null',
  '\ufeff',
  '€',
];
const completeRecordings = [compact, lines, gzipSync(compact).subarray(0, 200)];

test('each reader ends on arbitrary bytes, and reports the fault in fixed words', async () => {
  const summaryPattern = /^(200 \w+|skipped: [\w ()]+|broken: [\w .,-]+)$/;
  const isSummarized = fc.asyncProperty(
    fuzzBytes([...fragments, ...completeRecordings, ...completeRecordings]),
    fc.constantFrom('a.har', 'a.ndjson', 'a.zip'),
    async (content, name) =>
      (await summarizeRecording(name, content)).every((summary) => summaryPattern.test(summary)),
  );
  await fc.assert(isSummarized, { seed, numRuns: runs(300) });
});

test('a compressed recording is read like an uncompressed one', async () => {
  const wholeEntries = await readBytes(indented);
  for (const compress of [gzipSync, deflateSync]) {
    expect(await readBytes(compress(indented))).toEqual(wholeEntries);
    const cutEntries = await readBytes(compress(indented).subarray(0, -30));
    expect(cutEntries.at(-1)).toMatchObject({ kind: 'broken', reason: 'its compression is broken or cut' });
  }
});

test('a reader that stops early releases the stream', async () => {
  const input = Readable.from([compact], { objectMode: false });
  for await (const _ of readTraffic(['-'], { operations: [], input })) break;
  expect(input.destroyed).toBe(true);
});
