import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { convertReadError } from '../../../src/traffic/sources.ts';
import { TrafficCounts } from '../../../src/traffic/traffic-summary.ts';
import {
  body,
  createHar,
  createHarEntry,
  listUrl,
  readAll,
  readBytes,
  summarizeEntry,
  useTempFolder,
} from './reading.ts';

const { folder, summarizeRecording } = useTempFolder();

const malformedSummaries = Array(5).fill('skipped: malformed entry');
const goodHar = createHar([createHarEntry()]);
const openHar = goodHar.slice(0, -3);
const nestedArrays = '['.repeat(10_000) + ']'.repeat(10_000);
const colonByte = goodHar.indexOf('"text":') + 6;
const [tooMany, tooLarge] = ['too many objects and arrays', 'more than 8000 bytes'].map(
  (subject) => `broken: holds a value of ${subject}`,
);
const createEntryWithText = (length: number) => createHarEntry({ content: { text: 'x'.repeat(length) } });
const line = `{"method":"GET","url":"${listUrl}","status":200}`;

const playwrightZip = readFileSync(new URL('recordings/playwright-attach-faulty.zip', import.meta.url));
const renameHarInZip = (name: string) =>
  Buffer.from(playwrightZip.toString('latin1').replaceAll('har.har', name), 'latin1');

const limits = { maxEntryBytes: 2_000 };

const files: [name: string, content: string | Uint8Array, summaries: string[]][] = [
  ['nothing.har', '', ['broken: ends early']],
  ['nothing.ndjson', ' \r\n\r\n', []],
  ['text.txt', 'hello\n'.repeat(1_000), ['broken: is not JSON']],
  ['binary.har', Buffer.from([0, 159, 255, 0]), ['broken: is not JSON']],
  [
    'latin1.har',
    Buffer.from(goodHar.replace('success', 'é'), 'latin1'),
    [`broken: is not UTF-8 at ${colonByte}`],
  ],
  ['utf-16.har', Buffer.from(`\ufeff${goodHar}`, 'utf16le'), ['broken: is UTF-16, not UTF-8']],
  ['null.har', ' null', ['broken: holds no log.entries at 5']],
  ['comment.har', '{"log":{"comment":"entries"}}', ['broken: holds no log.entries at 29']],
  ['empty.har', '{"log":{"entries":[]}}', []],
  ['object.har', '{"log":{"entries":{"a":{}}}}', ['skipped: malformed entry']],
  ['comma.har', `${openHar},]}}`, ['200 text', `broken: is not JSON at ${openHar.length + 1}`]],
  ['trailing.har', `${goodHar}]`, ['200 text', `broken: continues after its end at ${goodHar.length}`]],
  ['twice.har', `${goodHar.slice(0, -1)},${goodHar.slice(1)}`, ['200 text', '200 text']],
  ['cut.har', goodHar.slice(0, -3), ['200 text', `broken: ends early at ${openHar.length}`]],
  ['brackets.har', `${openHar},{"a":[}]}]}}`, ['200 text', `broken: is not JSON at ${openHar.length + 7}`]],
  ['values.har', createHar([null, 7, 'x', [], {}, createHarEntry()]), [...malformedSummaries, '200 text']],
  ['values.ndjson', 'null\n7\n"x"\n[]\n{}\n', malformedSummaries],
  ['deep.har', `${openHar},${nestedArrays}]}}`, ['200 text', `${tooMany} at ${openHar.length}`]],
  [
    'many.har',
    createHar(Array(30).fill(createHarEntry({ cookies: Array(300).fill(1) }))),
    Array(30).fill('200 text'),
  ],
  [
    'large.har',
    createHar([createEntryWithText(3_000), createHarEntry()]),
    ['skipped: entry too large', '200 text'],
  ],
  ['first-larger.har', createHar([createEntryWithText(300_000), createHarEntry()]), [tooLarge]],
  [
    'larger.har',
    createHar([createHarEntry(), createEntryWithText(300_000)]),
    ['200 text', `${tooLarge} at ${openHar.length}`],
  ],
  ['large.ndjson', `${'x'.repeat(300_000)}\n${line}`, ['skipped: entry too large', '200 nothing']],
  [
    'broken-on-both-sides.ndjson',
    `x\n${'x'.repeat(300_000)}\nx\n${line}`,
    ['broken: is not JSON', 'skipped: entry too large', 'broken: is not JSON at 300003', '200 nothing'],
  ],
  ['not-gzip.har', gzipSync(goodHar).fill(7, 12), ['broken: its compression is broken or cut']],
  ['spoiled.zip', Buffer.from(playwrightZip).fill(7, 900, 1000), ['broken: is a broken zip']],
  ['cut.zip', playwrightZip.subarray(0, -30), ['broken: is a broken zip']],
  ['no-har.zip', renameHarInZip('har.txt'), ['broken: is a zip that holds no .har']],
  ['outside.zip', renameHarInZip('../.har'), ['broken: is a broken zip']],
];

for (const [name, content, summaries] of files)
  test(`${name} has ${summaries.length} entries: ${summaries.at(-1) ?? 'none'}`, async () => {
    expect(await summarizeRecording(name, content, limits)).toEqual(summaries);
  });

test('a folder and a missing file are reported', async () => {
  const joinMissing = (name: string) => path.join(folder, name);
  for (const [source, summary] of [
    [folder, 'broken: is a directory'],
    [joinMissing('none.har'), 'broken: no such file'],
    [joinMissing('none-*.har'), 'broken: no such file'],
  ] as const)
    expect((await readAll(source)).map(summarizeEntry)).toEqual([summary]);
});

test('an entry with members of any type is read or skipped, and inherited members do not count', async () => {
  const values: unknown[] = [null, true, 7, -1, 1e99, 'x', '__proto__', [], [[]], [null], {}];
  values.push({ name: 7, value: [] }, { constructor: 1 });
  const members = ['request', 'response', 'startedDateTime', 'cache', '_error', '_fromCache', '__proto__'];
  const responseMembers = ['status', 'headers', 'content', '__proto__'];
  const contentMembers = ['size', 'text', 'encoding', 'compression', '_file', '__proto__'];
  const createMember = (name: string, value: unknown) =>
    JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
  const entries = values.flatMap((value) => [
    ...members.map((name) => ({ ...createHarEntry(), ...createMember(name, value) })),
    ...responseMembers.map((name) => createHarEntry(createMember(name, value))),
    ...contentMembers.map((name) =>
      createHarEntry({ content: { text: body, ...createMember(name, value) } }),
    ),
  ]);
  const read = await readBytes(createHar(entries));
  expect(read.length).toBe(entries.length);
  expect(read.filter(({ kind }) => kind === 'broken')).toEqual([]);
  const inheritingEntries = [
    createMember('__proto__', createHarEntry()),
    createHarEntry({ content: createMember('__proto__', { text: '{}' }) }),
  ];
  expect((await readBytes(createHar(inheritingEntries))).map(summarizeEntry)).toEqual([
    'skipped: malformed entry',
    '200 nothing',
  ]);
});

test('a body in a file is read only from the folder of its recording', async () => {
  writeFileSync(path.join(folder, 'outside.json'), body);
  const recordingFolder = path.join(folder, 'beside');
  mkdirSync(path.join(recordingFolder, 'sub'), { recursive: true });
  symlinkSync('../outside.json', path.join(recordingFolder, 'link.json'));
  writeFileSync(path.join(recordingFolder, 'sub', 'in.json'), body);
  writeFileSync(path.join(recordingFolder, 'bytes.dat'), Buffer.from([0xff]));
  writeFileSync(path.join(recordingFolder, 'large.json'), 'x'.repeat(3_000));
  const outsidePaths = ['../outside.json', path.join(folder, 'outside.json'), 'link.json', 'sub', '..'];
  const names = ['sub/in.json', 'bytes.dat', ...outsidePaths, 'none', 'large.json', '\0'];
  const entries = names.map((_file) => createHarEntry({ content: { _file } }));
  const summaries = await summarizeRecording('beside/session.har', createHar(entries), limits);
  expect(summaries).toEqual(['200 text', '200 text', ...Array(8).fill('200 nothing')]);
});

test('a mistake of the suite is not reported as a broken recording', () => {
  expect(() => convertReadError(new TypeError('mistake'), 0)).toThrow('mistake');
});

test('the first five broken places are listed and the others are counted', () => {
  const counts = new TrafficCounts(['a.har.gz']);
  const countBroken = (byteOffset: number) =>
    counts.add({ kind: 'broken', reason: 'is not JSON', source: 'a.har.gz', number: '1', byteOffset });
  [1, 2, 3, 4, 5].forEach(countBroken);
  expect(counts.summarize().broken.at(-1)).toBe(
    '[1] ….har.gz: is not JSON at byte 5; only what can be read was judged',
  );
  [6, 7].forEach(countBroken);
  expect(counts.summarize().broken.slice(5)).toEqual(['and 2 more broken places']);
});
