import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { body, harEntry, harOf, readAll, readBytes, summaryOf, temporaryFolder } from './reading.ts';
import { type ZippedFile, zipOf } from './zip-writer.ts';

const { folder, readFile } = temporaryFolder();

const good = harOf([harEntry()]);
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

test('of an entry that is too large no more is kept than one piece', async () => {
  let peak = 0;
  function* endless(): Generator<Buffer> {
    yield Buffer.from('{"log":{"entries":["');
    for (let count = 0; count < 260; count++) {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers);
      yield Buffer.alloc(2 ** 20, 'x');
    }
  }
  const read = await readAll('-', { ...limits, input: Readable.from(endless()) });
  expect(read.map(summaryOf)).toEqual(['broken: ends early']);
  expect(peak).toBeLessThan(200 * 2 ** 20);
});

test('memory is freed every 128 MiB, in a HAR as in lines', async () => {
  let forced = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as (PerformanceEntry & { detail: { flags: number } })[])
      if (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) forced += 1;
  });
  observer.observe({ entryTypes: ['gc'] });
  const piece = Buffer.alloc(2 ** 20, 'x');
  for (const head of ['{"log":{"entries":["', '"'])
    await readAll('-', { ...limits, input: Readable.from([Buffer.from(head), ...Array(129).fill(piece)]) });
  await expect.poll(() => forced).toBeGreaterThanOrEqual(2);
  observer.disconnect();
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
