import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { textOf } from '../../../schemas/json/read.ts';
import { isWorthThread, readInThread } from '../../traffic/read-in-thread.ts';
import { readTraffic } from '../../traffic/read-traffic.ts';
import type { RecordedEntry } from '../../traffic/recorded-entry.ts';
import { routeFinder } from '../../traffic/recorded-route.ts';
import { line } from './judging.ts';
import { temporaryFolder } from './reading.ts';

const { folder } = temporaryFolder();

const { operations } = loadContract();
const recordings = fileURLToPath(new URL('recordings', import.meta.url));
const below = (name: string) => path.join(folder, name);

/** What can be compared of an entry: a body is another kind of array on the other side. */
const comparable = (entry: RecordedEntry) =>
  entry.kind === 'exchange' && entry.body
    ? { ...entry, body: Buffer.from(entry.body).toString('base64'), text: textOf(entry.body) }
    : entry;

async function all(entries: AsyncIterable<RecordedEntry>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const entry of entries) found.push(comparable(entry));
  return found;
}

const inThread = (sources: string[], baseUrl?: string) =>
  readInThread({ sources, operations, baseUrl }, undefined);

test('a thread reads the same, of each dialect and of what is broken', async () => {
  writeFileSync(below('cut.har'), '{"log":{"entries":[{"request":');
  writeFileSync(
    below('bytes.jsonl'),
    line({ body: undefined, bodyBase64: '/w==' }) + line() + line().slice(20),
  );
  const recorded = readdirSync(recordings).map((name) => path.join(recordings, name));
  const sources = [...recorded, ...['cut.har', 'bytes.jsonl', 'none.har'].map(below)];
  const expected = await all(readTraffic(sources, { findRoute: routeFinder(operations) }));
  expect(await all(inThread(sources))).toStrictEqual(expected);
  expect(expected.length).toBeGreaterThan(sources.length);
});

test('a thread that fails ends as an error that names nothing of what was read', async () => {
  await expect(all(inThread([], 'no address'))).rejects.toThrow(
    /^recorded traffic could not be read: the thread that reads it has failed \(ERR_INVALID_URL\)$/,
  );
});

test('a thread reads no further ahead than some batches, however slow the judge is', async () => {
  const [file, count] = [below('long.jsonl'), 400];
  writeFileSync(file, line({ body: 'x'.repeat(40_000) }).repeat(count));
  let read = 0;
  for await (const _ of inThread([file])) {
    if (read++ > 0) continue;
    await new Promise((resolve) => setTimeout(resolve, 300));
    truncateSync(file);
  }
  expect(read).toBeGreaterThan(10);
  expect(read).toBeLessThan(count / 2);
});

test('only recordings that are large in all are worth a thread', async () => {
  const [file, other] = [below('small.jsonl'), below('other.jsonl')];
  for (const each of [file, other]) writeFileSync(each, line());
  expect([await isWorthThread([file]), await isWorthThread([file], 10)]).toEqual([false, true]);
  const moreThanOne = line().length + 1;
  expect([await isWorthThread([file], moreThanOne), await isWorthThread([file, other], moreThanOne)]).toEqual(
    [false, true],
  );
  expect(await isWorthThread([file, '-'], 10)).toBe(false);
});
