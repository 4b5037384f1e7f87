import { pipeline, Readable } from 'node:stream';
import { createUnzip } from 'node:zlib';
import { BrokenText } from './broken-text.ts';
import type { Budget } from './limits.ts';

/** How much of a source is read to detect its format. */
const headBytes = 1024;

/** The first bytes of a source, and all of it. */
export interface Sniffed {
  head: Buffer;
  chunks: AsyncIterable<Buffer>;
}

/** Looks at the first bytes of a stream without losing them. */
export async function sniff(chunks: AsyncIterable<Buffer>): Promise<Sniffed> {
  const iterator = chunks[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  for (let length = 0; length < headBytes; ) {
    const { done, value } = await iterator.next();
    if (done) break;
    parts.push(value);
    length += value.length;
  }
  const first = Buffer.concat(parts);
  return { head: first.subarray(0, headBytes), chunks: withFirst(first, iterator) };
}

async function* withFirst(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Undoes gzip or zlib (mitmproxy's `.zhar`), which the first bytes show; other text passes unchanged. */
export function inflate({ head, chunks }: Sniffed, budget: Budget): AsyncIterable<Buffer> {
  const zlib = head[0] === 0x78 && head.length > 1 && head.readUInt16BE(0) % 31 === 0;
  const gzip = head[0] === 0x1f && head[1] === 0x8b;
  if (!zlib && !gzip) return chunks;
  const unzip = createUnzip();
  pipeline(Readable.from(chunks), unzip, () => undefined);
  return budget.limit(unzip);
}

/** Whether a source is a HAR, by its name or by how it begins; otherwise it holds one exchange a line. */
export function isHar(source: string, head: Buffer): boolean {
  if ([0xfeff, 0xfffe].includes(head.length > 1 ? head.readUInt16BE(0) : 0)) {
    throw new BrokenText('is UTF-16, not UTF-8', 0);
  }
  return /\.z?har(\.gz)?$/i.test(source) || /^\ufeff?\s*\{\s*"log"\s*:/.test(head.toString());
}
