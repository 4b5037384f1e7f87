import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import type { TrafficOptions } from '../traffic/read-traffic.ts';
import { body, harEntry, harOf, readAll, readBytes, summaryOf } from './traffic/reading.ts';
import { type ZippedFile, zipOf } from './traffic/zip-writer.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'traffic-'));
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a file of this name and content comes to. */
async function readFile(
  name: string,
  content: string | Uint8Array,
  options?: TrafficOptions,
): Promise<string[]> {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return (await readAll(file, options)).map(summaryOf);
}

const good = harOf([harEntry()]);
const nested = '['.repeat(10_000) + ']'.repeat(10_000);
const nestedEntry = JSON.stringify(harEntry()).replace('{', `{"deep":${nested},`);

const files: [name: string, content: string | Uint8Array, summaries: string[]][] = [
  ['nothing.har', '', ['broken: ends early']],
  ['blank.har', ' \n', ['broken: ends early']],
  ['nothing.ndjson', '', []],
  ['text.har', 'hello', ['broken: is not JSON']],
  ['text.txt', 'hello\n'.repeat(1_000), ['broken: is not JSON']],
  ['binary.har', Buffer.from([0, 159, 255, 0]), ['broken: is not JSON']],
  ['utf-16.har', Buffer.from(`\ufeff${good}`, 'utf16le'), ['broken: is UTF-16, not UTF-8']],
  ['array.har', '[]', ['broken: is not JSON']],
  ['other.har', '{"a":[{"log":{"entries":[]}}]}', ['broken: holds no log.entries']],
  ['inherited.har', '{"__proto__":{"log":{"entries":[]}}}', ['broken: holds no log.entries']],
  ['null.har', '{"log":null}', ['broken: is not JSON']],
  ['object.har', '{"log":{"entries":{}}}', ['broken: is not JSON']],
  ['comma.har', good.replace(']}}', ',]}}'), ['200 text', 'broken: is not JSON']],
  ['no-comma.har', good.replace(']}}', '{}]}}'), ['200 text', 'broken: is not JSON']],
  ['trailing.har', `${good}]`, ['200 text', 'broken: goes on after its end']],
  ['twice.har', `${good.slice(0, -1)},${good.slice(1)}`, ['200 text', '200 text']],
  ['cut.har', good.slice(0, -3), ['200 text', 'broken: ends early']],
  ['brackets.har', good.replace(']}}', ',{"a":[}]}]}}'), ['200 text', 'broken: is not JSON']],
  [
    'values.har',
    harOf([null, 7, 'x', [], {}, harEntry()]),
    [...Array(5).fill('skipped: malformed entry'), '200 text'],
  ],
  ['values.ndjson', 'null\n7\n"x"\n[]\n{}\n', Array(5).fill('skipped: malformed entry')],
  ['deep.har', harOf(['ENTRY', harEntry()]).replace('"ENTRY"', nestedEntry), ['200 text', '200 text']],
  ['deep-beside.har', good.replace('{"log":{', `{"a":${nested},"log":{"b":${nested},`), ['200 text']],
  ['deep-open.har', `{"log":{"entries":[${'['.repeat(10_000)}`, ['broken: ends early']],
  ['not-gzip.har', gzipSync(good).fill(7, 12), ['broken: its compression is broken or cut']],
  ['no-zip.zip', Buffer.from('PK\x03\x04 and so on'), ['broken: is a broken zip']],
  ['no-har.zip', zipOf([{ name: 'a.txt', bytes: 'a' }]), ['broken: is a zip that holds no .har']],
  ['empty.zip', zipOf([]), ['broken: is a zip that holds no .har']],
  [
    'outside.zip',
    zipOf([
      { name: 'a.har', bytes: good },
      { name: '../b.har', bytes: good },
    ]),
    ['200 text', 'broken: is a broken zip'],
  ],
  [
    'liar.zip',
    zipOf([{ name: 'a.har', bytes: good, claimedSize: 9_000 }]),
    ['200 text', 'broken: is a broken zip'],
  ],
];

for (const [name, content, summaries] of files) {
  test(`${name} comes to ${summaries.length} entries: ${summaries.at(-1) ?? 'none'}`, async () => {
    expect(await readFile(name, content)).toEqual(summaries);
  });
}

test('a folder or nothing in place of a file is told', async () => {
  expect((await readAll(folder)).map(summaryOf)).toEqual(['broken: is a directory']);
  expect((await readAll(path.join(folder, 'none.har'))).map(summaryOf)).toEqual(['broken: no such file']);
});

test('whatever type a member has, an entry is read or skipped', async () => {
  const values: unknown[] = [
    null,
    true,
    7,
    -1,
    1e99,
    'x',
    '__proto__',
    [],
    [[]],
    [null],
    {},
    { name: 7, value: [] },
    { constructor: 1 },
  ];
  const members = ['request', 'response', 'startedDateTime', 'cache', '_error', '_fromCache', '__proto__'];
  const ofResponse = ['status', 'headers', 'content', '_charlesStatus', '__proto__'];
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
});

test('what an object inherits is not what an entry says', async () => {
  const inherited = JSON.stringify(harEntry());
  const entry = `{"__proto__":${inherited}}`;
  const response = harEntry({ content: JSON.parse(`{"__proto__":{"text":"{}"}}`) });
  const read = await readBytes(harOf(['ENTRY', response]).replace('"ENTRY"', entry));
  expect(read.map(summaryOf)).toEqual(['skipped: malformed entry', '200 missing']);
});

const limits = { maxEntryBytes: 2_000, maxInflatedBytes: 1_000_000, maxZipEntries: 10 };
const large = harEntry({ content: { text: 'x'.repeat(3_000) } });

test('an entry that is too large is skipped, and the next one counts', async () => {
  const read = await readBytes(harOf([large, harEntry()]), limits, 100);
  expect(read.map(summaryOf)).toEqual(['skipped: entry too large', '200 text']);
  const lines = ['x'.repeat(3_000), '{"method":"GET","url":"http://a.example","status":200}'];
  expect((await readBytes(lines.join('\n'), limits, 100)).map(summaryOf)).toEqual([
    'skipped: entry too large',
    '200 missing',
  ]);
});

const tooMuch = 'broken: inflates to more than 1000000 bytes';

test('what inflates without end is given up', async () => {
  expect(await readFile('bomb.har', gzipSync(good.padEnd(9e6)), limits)).toEqual(['200 text', tooMuch]);
  expect(await readFile('bomb.zip', zipOf([{ name: 'a.har', bytes: good.padEnd(9e6) }]), limits)).toEqual([
    '200 text',
    tooMuch,
  ]);
});

test('a zip whose files all share the same bytes is given up', async () => {
  const shared: ZippedFile = { name: '0.json', bytes: ' '.repeat(1_900) };
  const copies = Array.from(
    { length: 8 },
    (_, index): ZippedFile => ({ name: `${index + 1}.json`, sameAs: '0.json' }),
  );
  const entries = Array.from({ length: 900 }, (_, index) =>
    harEntry({ content: { _file: `${index % 9}.json` } }),
  );
  const read = await readFile(
    'shared.zip',
    zipOf([{ name: 'a.har', bytes: harOf(entries) }, shared, ...copies]),
    limits,
  );
  expect(read.at(-1)).toBe(tooMuch);
  expect(read.length).toBeGreaterThan(100);
  const many = Array.from({ length: 11 }, (_, index) => ({ name: `${index}.har`, bytes: good }));
  expect(await readFile('many.zip', zipOf(many), limits)).toEqual(['broken: is a zip of more than 10 files']);
});

test('a body in a file comes from the folder of its recording, and from nowhere else', async () => {
  writeFileSync(path.join(folder, 'outside.json'), body);
  const beside = path.join(folder, 'beside');
  mkdirSync(path.join(beside, 'sub'), { recursive: true });
  symlinkSync('../outside.json', path.join(beside, 'link.json'));
  writeFileSync(path.join(beside, 'sub', 'in.json'), body);
  writeFileSync(path.join(beside, 'bytes.dat'), Buffer.from([0xff]));
  writeFileSync(path.join(beside, 'large.json'), 'x'.repeat(3_000));
  const names = [
    'sub/in.json',
    'bytes.dat',
    '../outside.json',
    path.join(folder, 'outside.json'),
    'link.json',
    'sub',
    'none',
    'large.json',
    '\0',
    '..',
  ];
  const entries = names.map((_file) => harEntry({ content: { _file } }));
  const summaries = await readFile('beside/session.har', harOf(entries), limits);
  expect(summaries).toEqual(['200 text', '200 raw', ...Array(8).fill('200 missing')]);
});

test('a file of a zip that is broken takes only its own body with it', async () => {
  const entries = ['broken.json', 'whole.json'].map((_file) => harEntry({ content: { _file } }));
  const zip = zipOf([
    { name: 'a.har', bytes: harOf(entries) },
    { name: 'broken.json', bytes: body, claimedSize: 7 },
    { name: 'whole.json', bytes: body },
  ]);
  expect(await readFile('half.zip', zip)).toEqual(['200 missing', '200 text']);
});

test('what is broken is told without a word of it', async () => {
  const secret = 'canary-7f3a';
  const sources = [
    `{"log":{"entries":[{"a":${secret}}]}}`,
    `{"${secret}":1}`,
    secret,
    `{"log":{"entries":[{"${secret}`,
  ];
  for (const text of sources) expect(JSON.stringify(await readBytes(text))).not.toContain(secret);
  expect(await readFile('secret.zip', zipOf([{ name: `${secret}\\..\\..`, bytes: '' }]))).toEqual([
    'broken: is a broken zip',
  ]);
});
