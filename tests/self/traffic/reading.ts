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
  const completeOptions = { operations: loadContract().operations, ...options };
  const entries: TrafficEntry[] = [];
  for await (const entry of readTraffic([source], completeOptions)) entries.push(entry);
  return entries;
}

/** Returns the entries of a recording, such as a HAR, read as if standard input supplied it in chunks of `chunkLength` bytes. */
export function readBytes(
  recording: string | Uint8Array,
  options: Options = {},
  chunkLength = 65_536,
): Promise<TrafficEntry[]> {
  const chunks = splitBytes(Buffer.from(recording), chunkLength);
  const input = Readable.from(chunks, { objectMode: false });
  return readAll('-', { ...options, input });
}

function* splitBytes(bytes: Buffer, length: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

export function createHar(entries: unknown[], indent?: number): string {
  const log = { version: '1.2', creator: { name: 'test', version: '1' }, pages: [], entries };
  return JSON.stringify({ log }, null, indent);
}

export const body = '{"code":200,"message":"success","data":{"customers":[]}}';

export const listUrl = 'https://api.example/svc/payment/api/v1/openapi/customers';

/**
 * Creates a HAR entry of `listCustomers` with HTTP 200 and an empty list.
 * @param response fields of the response to replace or add, such as `{ status: 404 }`
 * @param entry fields of the entry to replace or add, such as `{ startedDateTime: '' }`
 */
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
  const [singleEntry] = await readBytes(createHar([entry]), options);
  return singleEntry;
}

/**
 * Summarizes a recorded entry.
 * @returns HTTP status and form of the recorded body: `200 text`, `200 value` (parsed or converted by the recorder) or `200 nothing`.
 * Without an exchange, the reason: `skipped: redirect`, or `broken: ends early at 135` (byte offset, if known). `nothing` if `entry` is
 * undefined
 */
export function summarizeEntry(entry: TrafficEntry | undefined): string {
  if (!entry) return 'nothing';
  if (entry.kind === 'exchange') {
    const { response, recorded: recordedParts } = entry.exchange;
    return `${response.status} ${recordedParts?.body}`;
  }
  if (entry.kind === 'broken' && entry.byteOffset > 0)
    return `broken: ${entry.reason} at ${entry.byteOffset}`;
  return `${entry.kind}: ${entry.reason}`;
}

export const decodeBody = ({ exchange }: RecordedExchange) => Buffer.from(exchange.response.body).toString();

export const isExchange = (entry: TrafficEntry): entry is RecordedExchange => entry.kind === 'exchange';

/**
 * Registers hooks that create and delete a temporary folder for recordings.
 * @returns path of the `folder`; `summarizeRecording` writes `content` to the file `name` in it, reads this recording and returns the
 * `summarizeEntry` of each entry
 */
export function useTempFolder(): {
  folder: string;
  summarizeRecording(name: string, content: string | Uint8Array, options?: Options): Promise<string[]>;
} {
  const folder = path.join(os.tmpdir(), `traffic-${randomUUID()}`);
  // A hook creates the folder, because Playwright calls this function also if it only lists the tests.
  test.beforeAll(() => void mkdirSync(folder));
  test.afterAll(() => rmSync(folder, { recursive: true, force: true }));
  async function summarizeRecording(name: string, content: string | Uint8Array, options?: Options) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    const entries = await readAll(file, options);
    return entries.map(summarizeEntry);
  }
  return { folder, summarizeRecording };
}
