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

/** All that a source holds. */
export async function readAll(source: string, options: Options = {}): Promise<TrafficEntry[]> {
  const entries: TrafficEntry[] = [];
  for await (const entry of readTraffic([source], { operations: loadContract().operations, ...options }))
    entries.push(entry);
  return entries;
}

/** All that some text holds, which comes through standard input in pieces of so many bytes. */
export function readBytes(
  text: string | Uint8Array,
  options: Options = {},
  pieceBytes = 65_536,
): Promise<TrafficEntry[]> {
  const input = Readable.from(pieces(Buffer.from(text), pieceBytes), { objectMode: false });
  return readAll('-', { ...options, input });
}

function* pieces(bytes: Buffer, length: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** The text of a HAR with these entries, in one of the ways in which recorders write it. */
export const harOf = (entries: unknown[], indent?: number): string =>
  JSON.stringify(
    { log: { version: '1.2', creator: { name: 'test', version: '1' }, pages: [], entries } },
    null,
    indent,
  );

export const body = '{"code":200,"message":"success","data":{"customers":[]}}';

/** The list of customers: of it each response is judged. */
export const list = 'https://api.example/svc/payment/api/v1/openapi/customers';

/** An entry of a HAR as the format requires it, with changes to its response or to itself. */
export const harEntry = (response: object = {}, entry: object = {}) => ({
  startedDateTime: '2026-01-02T03:04:05.678+01:00',
  request: { method: 'GET', url: list, headers: [] },
  response: {
    status: 200,
    headers: [{ name: 'Content-Type', value: 'application/json' }],
    content: { size: body.length, mimeType: 'application/json', text: body },
    ...response,
  },
  ...entry,
});

/** The exchange that a HAR with this one entry holds. */
export async function readOne(entry: unknown, options?: Options): Promise<TrafficEntry | undefined> {
  const [first] = await readBytes(harOf([entry]), options);
  return first;
}

/** The result for an entry, in one line, with the byte where a text breaks behind its first. */
export function summaryOf(entry: TrafficEntry | undefined): string {
  if (entry?.kind === 'exchange') return `${entry.exchange.answer.status} ${entry.exchange.recorded?.body}`;
  const at = entry?.kind === 'broken' && entry.byte > 0 ? ` at ${entry.byte}` : '';
  return entry ? `${entry.kind}: ${entry.reason}${at}` : 'nothing';
}

export const textOf = ({ exchange }: RecordedExchange) => Buffer.from(exchange.answer.body).toString();

export const isExchange = (entry: TrafficEntry): entry is RecordedExchange => entry.kind === 'exchange';

/** A folder for the recordings of the tests of a file. */
export function temporaryFolder() {
  const folder = path.join(os.tmpdir(), `traffic-${randomUUID()}`);
  // Whoever only lists the tests reads the file too, and removes nothing.
  test.beforeAll(() => void mkdirSync(folder));
  test.afterAll(() => rmSync(folder, { recursive: true, force: true }));
  /** What a file of this name and content comes to. */
  async function readFile(name: string, content: string | Uint8Array, options?: Options): Promise<string[]> {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    return (await readAll(file, options)).map(summaryOf);
  }
  return { folder, readFile };
}
