import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createUnzip } from 'node:zlib';
import { glob, hasMagic } from 'glob';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { collectBytes } from '../client/files.ts';
import type { NumberedSource, ReadAttachment } from './recorded.ts';
import { standardInput } from './shown-source.ts';

/** Error about the place where a source becomes unreadable. The message, such as `is not JSON`, quotes nothing of the source. */
export class BrokenText extends Error {
  /** Offset of the first unreadable byte; undefined if only the caller knows how many bytes were read. */
  readonly byte: number | undefined;

  constructor(reason: string, byte?: number) {
    super(reason);
    this.byte = byte;
  }
}

/** Reasons why a source cannot be opened, keyed by the code of the error of Node. */
const reasonsByCode: Record<string, string> = {
  ENOENT: 'no such file',
  EISDIR: 'is a directory',
  EACCES: 'may not be read',
};

/** Returns whether the reason of a broken source is that it cannot be opened, so that its name in `TRAFFIC` must be corrected. */
export const isMissingSource = (reason: string) => Object.values(reasonsByCode).includes(reason);

/** Formats why a source is broken: "is not JSON at byte 512"; without the byte if that is 0. */
export const describeBroken = ({ reason, byte }: { reason: string; byte: number }): string =>
  byte > 0 ? `${reason} at byte ${byte}` : reason;

/**
 * Converts an error of reading or decompressing a source to a `BrokenText`. @param byte offset to use if the error has none
 * @throws the error itself if it has no code, because it is a mistake of this suite
 */
export function toBrokenText(error: unknown, byte: number): BrokenText {
  if (error instanceof BrokenText) return new BrokenText(error.message, error.byte ?? byte);
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  const reason = code.startsWith('Z_') ? 'its compression is broken or cut' : reasonsByCode[code];
  return new BrokenText(reason ?? `could not be read (${code})`, byte);
}

/** Opened recording: a file, standard input, or a file in a zip. */
export interface Recording {
  /** True for HAR, false for newline-delimited JSON. */
  isHar: boolean;
  /** Content, decompressed. */
  chunks: AsyncIterable<Buffer>;
  readAttachment: ReadAttachment;
}

/**
 * Lists the files that the sources of `TRAFFIC` name, each with its number. Matches of a pattern such as `*.har` are sorted by name.
 * A file that several sources name is listed once. Empty sources, which are of other shards, are left out.
 */
export async function numberSources(sources: readonly string[]): Promise<NumberedSource[]> {
  const files = await Promise.all(
    sources.map((source, index) => (source ? resolveSource(source, index) : [])),
  );
  const sourcesByFile = new Map<string, NumberedSource>();
  for (const source of files.flat()) {
    const file = await realpath(source.source).catch(() => source.source);
    if (!sourcesByFile.has(file)) sourcesByFile.set(file, source);
  }
  return [...sourcesByFile.values()];
}

/** Lists the files that a source names. A pattern without a match counts as a file name, so that it is reported as missing. */
async function resolveSource(source: string, index: number): Promise<NumberedSource[]> {
  const number = String(index + 1);
  if (!hasMagic(source, { magicalBraces: true }) || (await isFile(source))) return [{ source, number }];
  const matches = (await glob(source, { nodir: true })).sort();
  const numberedMatches = matches.map((file, index) => ({ source: file, number: `${number}.${index + 1}` }));
  return numberedMatches.length === 0 ? [{ source, number }] : numberedMatches;
}

const isFile = (name: string) =>
  stat(name).then(
    (stats) => stats.isFile(),
    () => false,
  );

/**
 * Opens a source and detects its format by its first bytes. Yields one recording, or each HAR in a zip.
 * @param input stream for the source `-`
 * @param maxBytes maximum size in bytes of a body in a file beside a HAR
 * @throws an error of Node if the source cannot be opened, {BrokenText} for UTF-16 or a broken zip; also while chunks are read
 */
export async function* openRecordings(
  source: string,
  input: Readable,
  maxBytes: number,
): AsyncGenerator<Recording> {
  const isInput = source === standardInput;
  const file = isInput ? input : createReadStream(source);
  const rawHead = await peekHead(file);
  if (!isInput && startsWithAny(rawHead, 'PK\x03\x04', 'PK\x05\x06')) {
    file.destroy();
    return yield* openZippedHars(source, maxBytes);
  }
  // gzip or zlib (mitmproxy's `.zhar`), by their first two bytes (RFC 1952 and RFC 1950).
  const isDeflated = startsWithAny(rawHead, '\x1f\x8b', '\x78\x01', '\x78\x5e', '\x78\x9c', '\x78\xda');
  const chunks = isDeflated ? pipeline(file, createUnzip(), () => undefined) : file;
  const head = isDeflated ? await peekHead(chunks) : rawHead;
  if (startsWithAny(head, '\xff\xfe', '\xfe\xff')) throw new BrokenText('is UTF-16, not UTF-8');
  // All other content is newline-delimited JSON.
  const isHar = /\.z?har(\.gz)?$/i.test(source) || /^(\xef\xbb\xbf)?\s*\{\s*"log"\s*:/.test(head);
  yield { isHar, chunks, readAttachment: createAttachmentReader(source, maxBytes) };
}

const startsWithAny = (head: string, ...marks: string[]) => marks.some((mark) => head.startsWith(mark));

/** Number of bytes by which a format is detected. */
const headBytes = 64;

/** Reads the first bytes of a stream, as Latin-1 so that a character is a byte, and puts them back into the stream. */
const peekHead = (stream: Readable): Promise<string> =>
  new Promise((resolve, reject) => {
    const tryRead = () => {
      // `read` returns null until so many bytes are buffered or the stream has ended.
      const head: Buffer | null = stream.read(headBytes);
      if (!head) return;
      stream.off('readable', tryRead);
      stream.unshift(head);
      resolve(head.toString('latin1'));
    };
    stream.on('readable', tryRead);
    stream.once('end', () => resolve(''));
    stream.once('error', reject);
  });

/** Creates a reader of bodies in files beside a HAR. Reads no file outside the folder of the HAR, even if the HAR names it. */
const createAttachmentReader =
  (har: string, maxBytes: number): ReadAttachment =>
  async (name) => {
    try {
      const folder = await realpath(path.dirname(har));
      const file = await realpath(path.resolve(folder, name));
      const isInside = file.startsWith(folder + path.sep) && (await isFile(file));
      return isInside ? await collectBytes(createReadStream(file), maxBytes) : undefined;
    } catch {
      return undefined;
    }
  };

/** Opens the HARs in a zip as Playwright writes it, with bodies in files beside them. */
async function* openZippedHars(file: string, maxBytes: number): AsyncGenerator<Recording> {
  const zip = await openPromise(file, { autoClose: false }).catch(throwBrokenZip);
  try {
    const entries = await mapEntriesByName(zip).catch(throwBrokenZip);
    const readAttachment: ReadAttachment = async (name) => {
      const entry = entries.get(name);
      // A body that cannot be read counts as missing; the recording itself may be intact.
      return entry && collectBytes(readContent(zip, entry), maxBytes).catch(() => undefined);
    };
    const hars = [...entries.values()].filter(({ fileName }) => /\.har$/i.test(fileName));
    if (hars.length === 0) throw new BrokenText('is a zip that holds no .har');
    for (const har of hars) yield { isHar: true, chunks: readContent(zip, har), readAttachment };
  } finally {
    zip.close();
  }
}

/** Throws an error that replaces the one of yauzl, whose message may quote the zip. */
function throwBrokenZip(): never {
  throw new BrokenText('is a broken zip');
}

async function mapEntriesByName(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  return entries;
}

/** Reads a file in a zip. @throws {BrokenText} if it cannot be decompressed */
async function* readContent(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
  } catch {
    throwBrokenZip();
  }
}
