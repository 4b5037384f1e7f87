import type { IncomingMessage } from 'node:http';
import { finished, pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip } from 'node:zlib';
import { inflate } from './inflate.ts';
import { ClientError } from './reasons.ts';

/** The most bytes of a body that are read, after decompression. */
export const maxBodySize = 32 * 1024 * 1024;

/** A body of more bytes has to wait for its turn. */
const largeBodySize = 4 * 1024 * 1024;

const chunkSize = 64 * 1024;
// A stream that lacks its trailer is accepted, as browsers do.
const zlib = { chunkSize, flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotli = {
  chunkSize,
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

type Decode = (source: Readable) => Readable;

/** Errors reach the reader of the last stream; the callback is there since there must be one. */
const through =
  (decoder: () => Transform): Decode =>
  (source) =>
    pipeline(source, decoder(), () => {});

const decoders = new Map<string, Decode>([
  ['gzip', through(() => createGunzip(zlib))],
  ['x-gzip', through(() => createGunzip(zlib))],
  ['deflate', (source) => Readable.from(inflate(source, zlib))],
  ['br', through(() => createBrotliDecompress(brotli))],
]);

/** What `decoders` understands, as the header Accept-Encoding. */
export const acceptEncoding = 'gzip, deflate, br';

/** Nobody compresses more often than twice; each layer costs memory. */
const maxCodings = 4;

/**
 * Reads a body, decompressed on the way, and stops at the limit.
 * @param acquireSlot waited for once the body turns out to be large
 * @throws {ClientError} when it is too large, cut off, or not compressed as its header says.
 */
export async function readBody(
  response: IncomingMessage,
  contentEncoding = '',
  acquireSlot: () => Promise<void> = async () => {},
): Promise<Buffer> {
  const body = new GrowingBuffer(Number(response.headers['content-length'] ?? 0));
  try {
    let isLarge = false;
    await eachPiece(decoded(response, contentEncoding), (piece) => {
      body.append(piece);
      if (isLarge || body.length <= largeBodySize) return undefined;
      isLarge = true;
      return acquireSlot();
    });
    return body.contents();
  } catch (error) {
    throw error instanceof ClientError ? error : new ClientError(isDecoding(error) ? 'undecodable' : 'cut');
  } finally {
    response.destroy();
  }
}

/**
 * Hands over a stream piece by piece; what is returned for one is waited for. A page takes a tenth of a millisecond less than
 * with `for await`.
 * @throws what `take` throws, or what the stream ends with before its end
 */
function eachPiece(source: Readable, take: (piece: Buffer) => Promise<void> | undefined): Promise<void> {
  // Released at the end: listeners live as long as the stream, and this one holds the body.
  let taking: typeof take | undefined = take;
  return new Promise<void>((resolve, reject) => {
    finished(source, (error) => (error ? reject(error) : resolve()));
    source.on('data', (piece: Buffer) => {
      try {
        const pending = taking?.(piece);
        if (pending) source.pause();
        pending?.then(() => source.resume(), reject);
      } catch (error) {
        reject(error);
      }
    });
  }).finally(() => {
    taking = undefined;
    source.destroy();
  });
}

/** The body behind its decoders, last coding first. What is not known is left as it is, for the judge to see. */
function decoded(response: Readable, contentEncoding: string): Readable {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding && coding !== 'identity');
  if (codings.length > maxCodings) throw new ClientError('undecodable');
  const known = codings.reverse().flatMap((coding) => decoders.get(coding) ?? []);
  if (known.length < codings.length) return response;
  return known.reduce((source, decode) => decode(source), response);
}

/** Codes of zlib and of Brotli, such as `Z_DATA_ERROR` and `ERR__ERROR_FORMAT_PADDING_1`. */
const isDecoding = (error: unknown) =>
  error instanceof Error && /^(Z_|ERR_(_|BROTLI|PADDING))/.test((error as NodeJS.ErrnoException).code ?? '');

/** Collects pieces without keeping them: a body may come in pieces of one byte, which are large as objects. */
class GrowingBuffer {
  #bytes: Buffer;
  #length = 0;

  /** Memory that is not written to is not taken, so that an announced size may be reserved, up to the limit. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(maxBodySize, Math.max(expected || 0, chunkSize)));
  }

  get length(): number {
    return this.#length;
  }

  /** @throws {ClientError} beyond the limit. */
  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > maxBodySize) throw new ClientError('body too large');
    if (length > this.#bytes.length) this.#grow(length);
    this.#length += chunk.copy(this.#bytes, this.#length);
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(maxBodySize, Math.max(length, 2 * this.#bytes.length)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /** A copy where it saves memory. */
  contents(): Buffer {
    const whole = this.#bytes.subarray(0, this.#length);
    return 2 * this.#length < this.#bytes.length ? Buffer.from(whole) : whole;
  }
}
