import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { member } from '../../traffic/members.ts';
import { body, harEntry, harOf, readAll, readBytes, summaryOf, temporaryFolder } from './reading.ts';
import { zipOf } from './zip-writer.ts';

const { folder, readFile } = temporaryFolder();

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
  ['array.har', '[]', ['broken: is no HAR: its value is no object']],
  ['null.har', ' null', ['broken: is no HAR: its value is no object']],
  ['other.har', '{"a":[{"log":{"entries":[]}}]}', ['broken: holds no log.entries']],
  ['inherited.har', '{"__proto__":{"log":{"entries":[]}}}', ['broken: holds no log.entries']],
  ['null-log.har', '{"log":null}', ['broken: is no HAR: log is no object']],
  ['object.har', '{"log":{"entries":{}}}', ['broken: is no HAR: log.entries is no list']],
  ['comma.har', good.replace(']}}', ',]}}'), ['200 text', 'broken: is not JSON']],
  ['no-comma.har', good.replace(']}}', '{}]}}'), ['200 text', 'broken: is not JSON']],
  ['semicolon.har', good.replace(']}}', ';7]}}'), ['200 text', 'broken: is not JSON']],
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

test('a folder or nothing in place of a file is reported', async () => {
  expect((await readAll(folder)).map(summaryOf)).toEqual(['broken: is a directory']);
  expect((await readAll(path.join(folder, 'none.har'))).map(summaryOf)).toEqual(['broken: no such file']);
});

test('a device or a pipe, which may have no end or no writer, is not opened', async () => {
  const pipe = path.join(folder, 'pipe.ndjson');
  execFileSync('mkfifo', [pipe]);
  for (const source of ['/dev/zero', pipe])
    expect((await readAll(source)).map(summaryOf)).toEqual([
      'broken: is no regular file: pass it through standard input, as -',
    ]);
});

test('an entry with members of any type is read or skipped', async () => {
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
  for (const name of ['constructor', 'toString', '__proto__']) expect(member({}, name)).toBeUndefined();
});

test('what is broken is reported without quoting it', async () => {
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
