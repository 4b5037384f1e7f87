import { pipeline } from 'node:stream';
import { createInflate, createInflateRaw, type ZlibOptions } from 'node:zlib';
import { ClientError } from './reasons.ts';

/**
 * Decompresses `deflate`: with the head of zlib (RFC 9110, 8.4.1.2), or without, as some servers send it and clients
 * read it. Without head and checksum almost any text begins like deflate, so that then all bytes must belong to it.
 * @param options of the form with a head
 * @throws {ClientError} when bytes without head are more or less than deflate.
 */
export async function* inflate(source: AsyncIterable<Buffer>, options: ZlibOptions): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  let received = 0;
  async function* all(): AsyncGenerator<Buffer> {
    for (let one = first; !one.done; one = await chunks.next()) {
      received += one.value.length;
      yield one.value;
    }
  }
  const hasHead = hasZlibHead(first.value);
  const decoder = hasHead ? createInflate(options) : createInflateRaw({ chunkSize: options.chunkSize });
  yield* pipeline(all, decoder, () => {});
  if (!hasHead && decoder.bytesWritten < received) throw new ClientError('undecodable');
}

/** Its first half byte names the method, 8; deflate itself begins so only where a bit that says nothing is set. */
const hasZlibHead = ([byte = 0]: Buffer) => byte % 16 === 8;
