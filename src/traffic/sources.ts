import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createUnzip } from 'node:zlib';
import { glob, hasMagic } from 'glob';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { collectBytes } from '../client/files.ts';
import type { NumberedSource, ReadAttachment, UnreadablePart } from './recorded.ts';
import { standardInput } from './shown-source.ts';

/** Error for a recording that cannot be read. The message, such as `is not JSON`, must not quote the recording. */
export class UnreadableRecording extends Error {
  readonly byteOffset: number | undefined;

  constructor(reason: string, byteOffset?: number) {
    super(reason);
    this.byteOffset = byteOffset;
  }
}

const reasonsByCode: Record<string, string> = {
  ENOENT: 'no such file',
  EISDIR: 'is a directory',
  EACCES: 'may not be read',
};

/** Returns whether a reason, such as `no such file`, says that a file could not be opened. */
export const isOpeningFailure = (reason: string): boolean => Object.values(reasonsByCode).includes(reason);

/** Formats why and where reading failed: "is not JSON at byte 512". */
export const describeBroken = ({
  reason,
  byteOffset,
}: Pick<UnreadablePart, 'reason' | 'byteOffset'>): string =>
  // 0 may stand for an unknown offset.
  byteOffset > 0 ? `${reason} at byte ${byteOffset}` : reason;

/**
 * Converts a read or decompression error to an `UnreadableRecording`.
 * @param byteOffset offset to use if the error has none
 * @throws `error` itself if it comes from a bug of this suite. An error from a bug, such as a `TypeError`, has no `code`.
 */
export function convertReadError(error: unknown, byteOffset: number): UnreadableRecording {
  if (error instanceof UnreadableRecording)
    return new UnreadableRecording(error.message, error.byteOffset ?? byteOffset);
  const { code } = error as NodeJS.ErrnoException;
  // An error without a code comes from a bug of this suite.
  if (code === undefined) throw error;
  // Errors of zlib have codes such as `Z_DATA_ERROR`.
  const reason = code.startsWith('Z_') ? 'its compression is broken or cut' : reasonsByCode[code];
  return new UnreadableRecording(reason ?? `could not be read (${code})`, byteOffset);
}

/** Recording that is open for reading. Each HAR in a zip is a recording of its own. */
export interface Recording {
  /** False for newline-delimited JSON. */
  isHar: boolean;
  chunks: AsyncIterable<Buffer>;
  readAttachment: ReadAttachment;
}

/**
 * Lists the files that `TRAFFIC` names, each file once. A pattern without matches is listed like a file, so that reading it fails.
 * Empty values are skipped.
 */
export async function numberSources(sources: readonly string[]): Promise<NumberedSource[]> {
  const fileLists = await Promise.all(
    sources.map((source, index) => (source ? listMatchingFiles(source, index) : [])),
  );
  const fileByRealPath = new Map<string, NumberedSource>();
  for (const file of fileLists.flat()) {
    // Standard input and a missing file have no real path.
    const realPath = await realpath(file.source).catch(() => file.source);
    if (!fileByRealPath.has(realPath)) fileByRealPath.set(realPath, file);
  }
  return [...fileByRealPath.values()];
}

async function listMatchingFiles(source: string, index: number): Promise<NumberedSource[]> {
  const number = String(index + 1);
  const hasWildcards = hasMagic(source, { magicalBraces: true });
  // The name of a file may contain wildcard characters.
  if (!hasWildcards || (await isFile(source))) return [{ source, number }];
  const files = (await glob(source, { nodir: true })).sort();
  // Reading the file then fails with the reason `no such file`.
  if (files.length === 0) return [{ source, number }];
  return files.map((file, fileIndex) => ({ source: file, number: `${number}.${fileIndex + 1}` }));
}

const isFile = (name: string) =>
  stat(name).then(
    (stats) => stats.isFile(),
    () => false,
  );

/**
 * Opens a file and yields its recording. For a zip, yields a recording for each HAR in it.
 * @param source path of a file, or `-` for standard input
 * @param input stream to read for `-`. The stream must not hold a zip.
 * @param maxBytes maximum size of a response body in a separate file. A larger body counts as missing.
 * @throws {UnreadableRecording} for UTF-16, a broken zip, or a zip without a HAR
 * @throws an error of Node.js if a file cannot be opened or decompressed
 */
export async function* openRecordings(
  source: string,
  input: Readable,
  maxBytes: number,
): AsyncGenerator<Recording> {
  const isStandardInput = source === standardInput;
  const file = isStandardInput ? input : createReadStream(source);
  const fileHead = await peekHead(file);
  // The zip reader needs a file, because the index of a zip is at its end.
  const isZipFile = !isStandardInput && startsWithAny(fileHead, zipSignatures);
  if (isZipFile) {
    file.destroy();
    yield* openZippedHars(source, maxBytes);
    return;
  }
  // mitmproxy compresses `.zhar` with zlib.
  const isCompressed = startsWithAny(fileHead, gzipAndZlibSignatures);
  // `pipeline` requires a callback, which need not handle errors: the reader of `chunks` gets them, too.
  const chunks = isCompressed ? pipeline(file, createUnzip(), () => undefined) : file;
  const textHead = isCompressed ? await peekHead(chunks) : fileHead;
  if (startsWithAny(textHead, utf16ByteOrderMarks)) throw new UnreadableRecording('is UTF-16, not UTF-8');
  const isHar = harNamePattern.test(source) || harHeadPattern.test(textHead);
  yield { isHar, chunks, readAttachment: createAttachmentReader(source, maxBytes) };
}

const harNamePattern = /\.z?har(\.gz)?$/i;

/** Matches the beginning of a HAR: `{ "log":`. A byte order mark may stand before the brace. */
const harHeadPattern = /^(\xef\xbb\xbf)?\s*\{\s*"log"\s*:/;

/** First bytes of a zip with entries, and of a zip without entries. */
const zipSignatures = ['PK\x03\x04', 'PK\x05\x06'];

/** First bytes of data in the format gzip (RFC 1952, section 2.3.1) or zlib (RFC 1950, section 2.2). */
const gzipAndZlibSignatures = ['\x1f\x8b', '\x78\x01', '\x78\x5e', '\x78\x9c', '\x78\xda'];

const utf16ByteOrderMarks = ['\xff\xfe', '\xfe\xff'];

const startsWithAny = (head: string, signatures: string[]) =>
  signatures.some((signature) => head.startsWith(signature));

const headBytes = 64;

/**
 * Reads the first bytes of a stream without consuming them. In the returned text (Latin-1), each character stands for one byte. The
 * text is empty if the stream is empty.
 */
const peekHead = (stream: Readable): Promise<string> =>
  new Promise((resolve, reject) => {
    const resolveWithHead = () => {
      const head: Buffer | null = stream.read(headBytes);
      // `read` returns null until `headBytes` bytes are buffered or the stream has ended. Then `readable` is emitted again.
      if (!head) return;
      stream.off('readable', resolveWithHead);
      // Puts the bytes back.
      stream.unshift(head);
      resolve(head.toString('latin1'));
    };
    stream.on('readable', resolveWithHead);
    stream.once('end', () => resolve(''));
    stream.once('error', reject);
  });

const createAttachmentReader =
  (har: string, maxBytes: number): ReadAttachment =>
  async (name) => {
    try {
      // The HAR may come from a stranger: no symbolic link may lead out of its folder.
      const folder = await realpath(path.dirname(har));
      const file = await realpath(path.resolve(folder, name));
      const isInside = file.startsWith(folder + path.sep) && (await isFile(file));
      // Undefined also for a file of more than `maxBytes`.
      return isInside ? await collectBytes(createReadStream(file), maxBytes) : undefined;
    } catch {
      return undefined;
    }
  };

async function* openZippedHars(file: string, maxBytes: number): AsyncGenerator<Recording> {
  const zip = await openPromise(file, { autoClose: false }).catch(throwBrokenZip);
  try {
    const entries = await mapEntriesByName(zip).catch(throwBrokenZip);
    const readAttachment: ReadAttachment = async (name) => {
      const entry = entries.get(name);
      if (!entry) return undefined;
      // A body that cannot be read counts as missing; the recording itself may be intact.
      return collectBytes(readContent(zip, entry), maxBytes).catch(() => undefined);
    };
    const hars = [...entries.values()].filter(({ fileName }) => /\.har$/i.test(fileName));
    if (hars.length === 0) throw new UnreadableRecording('is a zip that holds no .har');
    for (const har of hars) yield { isHar: true, chunks: readContent(zip, har), readAttachment };
  } finally {
    zip.close();
  }
}

function throwBrokenZip(): never {
  // Withholds the message of yauzl (zip reader), which may quote names of files in the zip.
  throw new UnreadableRecording('is a broken zip');
}

async function mapEntriesByName(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  return entries;
}

async function* readContent(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
  } catch {
    throwBrokenZip();
  }
}
