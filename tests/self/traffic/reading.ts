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

/** Summarizes an entry: `200 text` (status, recorded part of the body), `skipped: redirect` or `broken: ends early at 135` (byte offset). */
export function summarizeEntry(entry: TrafficEntry | undefined): string {
  if (!entry) return 'nothing';
  if (entry.kind === 'exchange') {
    const { response, recorded: recordedParts } = entry.exchange;
    return `${response.status} ${recordedParts?.body}`;
  }
  const offsetText = entry.kind === 'broken' && entry.byteOffset > 0 ? ` at ${entry.byteOffset}` : '';
  return `${entry.kind}: ${entry.reason}${offsetText}`;
}

export const decodeBody = ({ exchange }: RecordedExchange) => Buffer.from(exchange.response.body).toString();

export const isExchange = (entry: TrafficEntry): entry is RecordedExchange => entry.kind === 'exchange';

/** Creates a temporary folder for the recordings of the calling spec file. Removes it after the last test of the file. */
export function useTempFolder() {
  const folder = path.join(os.tmpdir(), `traffic-${randomUUID()}`);
  // Hooks, because this code also runs when tests are only listed.
  test.beforeAll(() => void mkdirSync(folder));
  test.afterAll(() => rmSync(folder, { recursive: true, force: true }));
  async function summarizeRecording(name: string, content: string | Uint8Array, options?: Options) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    return (await readAll(file, options)).map(summarizeEntry);
  }
  return { folder, summarizeRecording };
}
