import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { readTraffic } from '../../../src/traffic/read-traffic.ts';
import { bytesWith, runs, seed } from '../soak.ts';
import { harEntry, harOf, list, readBytes, summaryOf, temporaryFolder } from './reading.ts';

const { readFile } = temporaryFolder();

const withText = (text: string) => harEntry({ content: { size: Buffer.byteLength(text), text } });
const awkward = [
  ...['{"a":"\\"}]","b":"\\\\"}', '"\\', '€😀\u2028', '[{"log":{"entries":[1]}}]', '\\"', ''].map(withText),
  harEntry({}, { _log: [{ startedDateTime: '' }, { startedDateTime: '' }] }),
];
const [compact, indented, marked] = [harOf(awkward), harOf(awkward, 2), `\ufeff${harOf(awkward, 1)}\n`].map(
  (text) => Buffer.from(text),
) as [Buffer, Buffer, Buffer];
const lines = Buffer.from(
  awkward
    .map((_, index) => `{"method":"GET","url":"${list}?offset=${index}","status":200,"body":"\\"€"}\r\n`)
    .join(''),
);

// Each `expect` is a step that is reported: here they would cost far more than the reading.

test('entries come out the same however the stream is cut into pieces', async () => {
  const wrong: string[] = [];
  for (const text of [compact, indented, marked, lines]) {
    const whole = await readBytes(text);
    expect(whole.map(summaryOf)).toEqual(awkward.map(() => '200 text'));
    for (let length = 1; length < 64; length++)
      if (!isDeepStrictEqual(await readBytes(text, {}, length), whole))
        wrong.push(`pieces of ${length} bytes`);
  }
  expect(wrong).toEqual([]);
});

// At each third byte in the gate, at all of them in soak.
test('a HAR that is cut at any byte is read up to there', async () => {
  const whole = await readBytes(compact);
  let before = 0;
  const wrong: number[] = [];
  for (let cut = 39 + (compact.length % 3); cut < compact.length - 2; cut += runs(1) > 1 ? 1 : 3) {
    const read = await readBytes(compact.subarray(0, cut));
    const broken = { kind: 'broken', reason: 'ends early', source: '-', number: '1', byte: cut };
    const expected = [...whole.slice(0, read.length - 1), broken];
    if (!isDeepStrictEqual(read, expected) || read.length < before) wrong.push(cut);
    before = read.length;
  }
  expect({ wrong, before }).toEqual({ wrong: [], before: whole.length + 1 });
});

/** What recordings are made of, and what they are not. */
const known = [
  '{"log":{"entries":[',
  ...'{}[]",:\\\n',
  '{"request":',
  '"method":"GET"',
  '1e9',
  'null',
  '\ufeff',
  '€',
];
const wholes = [compact, lines, gzipSync(compact).subarray(0, 200)];

test('whatever bytes a file holds, each reader ends, and says what is wrong in words of its own', async () => {
  const told = /^(200 \w+|skipped: [\w ()]+|broken: [\w .,-]+)$/;
  const holds = fc.asyncProperty(
    bytesWith([...known, ...wholes, ...wholes]),
    fc.constantFrom('a.har', 'a.ndjson', 'a.zip'),
    async (content, name) => (await readFile(name, content)).every((summary) => told.test(summary)),
  );
  await fc.assert(holds, { seed, numRuns: runs(300) });
});

test('a compressed recording is read as it is', async () => {
  const whole = await readBytes(indented);
  for (const compress of [gzipSync, deflateSync]) {
    expect(await readBytes(compress(indented))).toEqual(whole);
    const cut = await readBytes(compress(indented).subarray(0, -30));
    expect(cut.at(-1)).toMatchObject({ kind: 'broken', reason: 'its compression is broken or cut' });
  }
});

test('whoever stops reading lets go of the stream', async () => {
  const input = Readable.from([compact], { objectMode: false });
  for await (const _ of readTraffic(['-'], { operations: [], input })) break;
  expect(input.destroyed).toBe(true);
});
