import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { toBrokenText } from '../../../src/traffic/sources.ts';
import { TrafficCounts } from '../../../src/traffic/traffic-summary.ts';
import { body, harEntry, harOf, list, readAll, readBytes, summaryOf, temporaryFolder } from './reading.ts';

const { folder, readFile } = temporaryFolder();

const malformed = Array(5).fill('skipped: malformed entry');
const good = harOf([harEntry()]);
/** All but the brackets that close it. */
const open = good.slice(0, -3);
const nested = '['.repeat(10_000) + ']'.repeat(10_000);
const colon = good.indexOf('"text":') + 6;
const [tooMany, tooLarge] = ['too many objects and arrays', 'more than 8000 bytes'].map(
  (what) => `broken: holds a value of ${what}`,
);
const withText = (length: number) => harEntry({ content: { text: 'x'.repeat(length) } });
const line = `{"method":"GET","url":"${list}","status":200}`;

/** What Playwright has recorded, with its `har.har` by another name of that length. */
const zipped = readFileSync(new URL('recordings/playwright-attach-faulty.zip', import.meta.url));
const renamed = (name: string) =>
  Buffer.from(zipped.toString('latin1').replaceAll('har.har', name), 'latin1');

const limits = { maxEntryBytes: 2_000 };

const files: [name: string, content: string | Uint8Array, summaries: string[]][] = [
  ['nothing.har', '', ['broken: ends early']],
  ['nothing.ndjson', ' \r\n\r\n', []],
  ['text.txt', 'hello\n'.repeat(1_000), ['broken: is not JSON']],
  ['binary.har', Buffer.from([0, 159, 255, 0]), ['broken: is not JSON']],
  ['latin1.har', Buffer.from(good.replace('success', 'é'), 'latin1'), [`broken: is not UTF-8 at ${colon}`]],
  ['utf-16.har', Buffer.from(`\ufeff${good}`, 'utf16le'), ['broken: is UTF-16, not UTF-8']],
  ['null.har', ' null', ['broken: holds no log.entries at 5']],
  ['empty.har', '{"log":{"entries":[]}}', []],
  ['object.har', '{"log":{"entries":{"a":{}}}}', ['skipped: malformed entry']],
  ['comma.har', `${open},]}}`, ['200 text', `broken: is not JSON at ${open.length + 1}`]],
  ['trailing.har', `${good}]`, ['200 text', `broken: goes on after its end at ${good.length}`]],
  ['twice.har', `${good.slice(0, -1)},${good.slice(1)}`, ['200 text', '200 text']],
  ['cut.har', good.slice(0, -3), ['200 text', `broken: ends early at ${open.length}`]],
  ['brackets.har', `${open},{"a":[}]}]}}`, ['200 text', `broken: is not JSON at ${open.length + 7}`]],
  ['values.har', harOf([null, 7, 'x', [], {}, harEntry()]), [...malformed, '200 text']],
  ['values.ndjson', 'null\n7\n"x"\n[]\n{}\n', malformed],
  ['deep.har', `${open},${nested}]}}`, ['200 text', `${tooMany} at ${open.length}`]],
  ['many.har', harOf(Array(30).fill(harEntry({ cookies: Array(300).fill(1) }))), Array(30).fill('200 text')],
  ['large.har', harOf([withText(3_000), harEntry()]), ['skipped: entry too large', '200 text']],
  ['first-larger.har', harOf([withText(300_000), harEntry()]), [tooLarge]],
  ['larger.har', harOf([harEntry(), withText(300_000)]), ['200 text', `${tooLarge} at ${open.length}`]],
  ['large.ndjson', `${'x'.repeat(300_000)}\n${line}`, ['skipped: entry too large', '200 nothing']],
  ['not-gzip.har', gzipSync(good).fill(7, 12), ['broken: its compression is broken or cut']],
  ['spoiled.zip', Buffer.from(zipped).fill(7, 900, 1000), ['broken: is a broken zip']],
  ['cut.zip', zipped.subarray(0, -30), ['broken: is a broken zip']],
  ['no-har.zip', renamed('har.txt'), ['broken: is a zip that holds no .har']],
  ['outside.zip', renamed('../.har'), ['broken: is a broken zip']],
];

for (const [name, content, summaries] of files)
  test(`${name} comes to ${summaries.length} entries: ${summaries.at(-1) ?? 'none'}`, async () => {
    expect(await readFile(name, content, limits)).toEqual(summaries);
  });

test('a folder and a file that is gone are reported', async () => {
  const none = (name: string) => path.join(folder, name);
  for (const [source, summary] of [
    [folder, 'broken: is a directory'],
    [none('none.har'), 'broken: no such file'],
    [none('none-*.har'), 'broken: no such file'],
  ] as const)
    expect((await readAll(source)).map(summaryOf)).toEqual([summary]);
});

test('an entry with members of any type is read or skipped, and what it inherits is not what it says', async () => {
  const values: unknown[] = [null, true, 7, -1, 1e99, 'x', '__proto__', [], [[]], [null], {}];
  values.push({ name: 7, value: [] }, { constructor: 1 });
  const members = ['request', 'response', 'startedDateTime', 'cache', '_error', '_fromCache', '__proto__'];
  const ofResponse = ['status', 'headers', 'content', '__proto__'];
  const ofContent = ['size', 'text', 'encoding', 'compression', '_file', '__proto__'];
  const set = (name: string, value: unknown) =>
    JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
  const entries = values.flatMap((value) => [
    ...members.map((name) => ({ ...harEntry(), ...set(name, value) })),
    ...ofResponse.map((name) => harEntry(set(name, value))),
    ...ofContent.map((name) => harEntry({ content: { text: body, ...set(name, value) } })),
  ]);
  const read = await readBytes(harOf(entries));
  expect(read.length).toBe(entries.length);
  expect(read.filter(({ kind }) => kind === 'broken')).toEqual([]);
  const inherited = [set('__proto__', harEntry()), harEntry({ content: set('__proto__', { text: '{}' }) })];
  expect((await readBytes(harOf(inherited))).map(summaryOf)).toEqual([
    'skipped: malformed entry',
    '200 nothing',
  ]);
});

test('a body in a file comes from the folder of its recording, and from nowhere else', async () => {
  writeFileSync(path.join(folder, 'outside.json'), body);
  const beside = path.join(folder, 'beside');
  mkdirSync(path.join(beside, 'sub'), { recursive: true });
  symlinkSync('../outside.json', path.join(beside, 'link.json'));
  writeFileSync(path.join(beside, 'sub', 'in.json'), body);
  writeFileSync(path.join(beside, 'bytes.dat'), Buffer.from([0xff]));
  writeFileSync(path.join(beside, 'large.json'), 'x'.repeat(3_000));
  const outside = ['../outside.json', path.join(folder, 'outside.json'), 'link.json', 'sub', '..'];
  const names = ['sub/in.json', 'bytes.dat', ...outside, 'none', 'large.json', '\0'];
  const entries = names.map((_file) => harEntry({ content: { _file } }));
  const summaries = await readFile('beside/session.har', harOf(entries), limits);
  expect(summaries).toEqual(['200 text', '200 text', ...Array(8).fill('200 nothing')]);
});

test('a mistake of the suite is no broken recording', () => {
  expect(() => toBrokenText(new TypeError('mistake'), 0)).toThrow('mistake');
});

test('of sources that are broken five are named', () => {
  const counts = new TrafficCounts(['a.har.gz']);
  const take = (byte: number) =>
    counts.take({ kind: 'broken', reason: 'is not JSON', source: 'a.har.gz', number: '1', byte });
  [1, 2, 3, 4, 5].forEach(take);
  expect(counts.traffic().broken.at(-1)).toBe(
    '[1] ….har.gz: is not JSON at byte 5; only what can be read was judged',
  );
  [6, 7].forEach(take);
  expect(counts.traffic().broken.slice(5)).toEqual(['and 2 more broken places']);
});
