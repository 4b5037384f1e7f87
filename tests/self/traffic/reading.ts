import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readTraffic, type TrafficOptions } from '../../../src/traffic/read-traffic.ts';
import type { RecordedExchange, TrafficEntry } from '../../../src/traffic/recorded.ts';

type Options = Partial<TrafficOptions>;

export async function readAll(source: string, options: Options = {}): Promise<TrafficEntry[]> {
  const entries: TrafficEntry[] = [];
  for await (const entry of readTraffic([source], { operations: loadContract().operations, ...options }))
    entries.push(entry);
  return entries;
}

/** Reads all entries of recorded traffic as if it came from standard input, in chunks of `pieceBytes` bytes. */
export function readBytes(
  text: string | Uint8Array,
  options: Options = {},
  pieceBytes = 65_536,
): Promise<TrafficEntry[]> {
  const input = Readable.from(splitBytes(Buffer.from(text), pieceBytes), { objectMode: false });
  return readAll('-', { ...options, input });
}

function* splitBytes(bytes: Buffer, length: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

export const createHar = (entries: unknown[], indent?: number): string =>
  JSON.stringify(
    { log: { version: '1.2', creator: { name: 'test', version: '1' }, pages: [], entries } },
    null,
    indent,
  );

export const body = '{"code":200,"message":"success","data":{"customers":[]}}';

/** URL of the customers list. Its recorded responses are always judged, but those of lookups are not. */
export const listUrl = 'https://api.example/svc/payment/api/v1/openapi/customers';

export const createHarEntry = (response: object = {}, entry: object = {}) => ({
  startedDateTime: '2026-01-02T03:04:05.678+01:00',
  request: { method: 'GET', url: listUrl, headers: [] },
  response: {
    status: 200,
    headers: [{ name: 'Content-Type', value: 'application/json' }],
    content: { size: body.length, mimeType: 'application/json', text: body },
    ...response,
  },
  ...entry,
});

export async function readSingleEntry(entry: unknown, options?: Options): Promise<TrafficEntry | undefined> {
  const [first] = await readBytes(createHar([entry]), options);
  return first;
}

/** Summarizes an entry in one line. For an entry that breaks off after its first byte, shows the number of that byte. */
export function summarizeEntry(entry: TrafficEntry | undefined): string {
  if (!entry) return 'nothing';
  if (entry.kind === 'exchange') return `${entry.exchange.response.status} ${entry.exchange.recorded?.body}`;
  const place = entry.kind === 'broken' && entry.byteOffset > 0 ? ` at ${entry.byteOffset}` : '';
  return `${entry.kind}: ${entry.reason}${place}`;
}

export const decodeBody = ({ exchange }: RecordedExchange) => Buffer.from(exchange.response.body).toString();

export const isExchange = (entry: TrafficEntry): entry is RecordedExchange => entry.kind === 'exchange';

/** Creates a temporary folder for the recordings of the calling spec file. Removes it after the last test of the file. */
export function temporaryFolder() {
  const folder = path.join(os.tmpdir(), `traffic-${randomUUID()}`);
  // Hooks, because this code also runs when tests are only listed.
  test.beforeAll(() => void mkdirSync(folder));
  test.afterAll(() => rmSync(folder, { recursive: true, force: true }));
  async function readFile(name: string, content: string | Uint8Array, options?: Options): Promise<string[]> {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    return (await readAll(file, options)).map(summarizeEntry);
  }
  return { folder, readFile };
}
