import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createUnzip } from 'node:zlib';
import { glob, isDynamicPattern } from 'tinyglobby';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { collected } from '../client/files.ts';
import type { NumberedSource, ReadAttachment } from './recorded.ts';
import { standardInput } from './shown-source.ts';

/** The place from which a source cannot be read. The message is ours: nothing of the source is in it. */
export class BrokenText extends Error {
  /** Undefined for as far as it was read. */
  readonly byte: number | undefined;

  constructor(reason: string, byte?: number) {
    super(reason);
    this.byte = byte;
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'no such file',
  EISDIR: 'is a directory',
  EACCES: 'may not be read',
};

/** Whether a source is not there, or is none that may be read: what names it is wrong. */
export const isNoSource = (reason: string) => Object.values(reasons).includes(reason);

/** What is wrong with a source, and where, unless that is its start or the source itself. */
export const brokenSentence = ({ reason, byte }: { reason: string; byte: number }): string =>
  byte > 0 ? `${reason} at byte ${byte}` : reason;

/** What an error of Node means for a source that was read so far. @throws any other error, since it is a mistake of this suite. */
export function asBrokenText(error: unknown, byte: number): BrokenText {
  if (error instanceof BrokenText) return new BrokenText(error.message, error.byte ?? byte);
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  const reason = code.startsWith('Z_') ? 'its compression is broken or cut' : reasons[code];
  return new BrokenText(reason ?? `could not be read (${code})`, byte);
}

/** A recording as plain bytes: a file, standard input, or a file of a zip. */
export interface Recording {
  isHar: boolean;
  chunks: AsyncIterable<Buffer>;
  readAttachment: ReadAttachment;
}

/** The files that sources stand for, each once where it is named first: patterns in the order of names, all else as it was given. */
export async function numberedSources(sources: readonly string[]): Promise<NumberedSource[]> {
  const files = await Promise.all(sources.map((source, index) => (source ? filesOf(source, index) : [])));
  const first = new Map<string, NumberedSource>();
  for (const one of files.flat()) {
    const file = await realpath(one.source).catch(() => one.source);
    if (!first.has(file)) first.set(file, one);
  }
  return [...first.values()];
}

async function filesOf(source: string, index: number): Promise<NumberedSource[]> {
  const number = String(index + 1);
  if (!isDynamicPattern(source) || (await isFile(source))) return [{ source, number }];
  const found = (await glob(source, { expandDirectories: false })).sort();
  const numbered = found.map((file, at) => ({ source: file, number: `${number}.${at + 1}` }));
  return numbered.length === 0 ? [{ source, number }] : numbered;
}

const isFile = (name: string) =>
  stat(name).then(
    (found) => found.isFile(),
    () => false,
  );

/**
 * The recordings of a source: one, or the HARs of a zip.
 * @param maxBytes of a body that stands beside a HAR
 * @throws {BrokenText} for what is no file, and a zip that is broken; also while chunks are read.
 */
export async function* recordingsIn(
  source: string,
  input: Readable,
  maxBytes: number,
): AsyncGenerator<Recording> {
  const isInput = source === standardInput;
  const file = isInput ? input : createReadStream(source);
  const begin = await headOf(file);
  if (!isInput && begins(begin, 'PK\x03\x04', 'PK\x05\x06')) {
    file.destroy();
    return yield* zippedHars(source, maxBytes);
  }
  // gzip, or zlib (mitmproxy's `.zhar`).
  const isDeflated = begins(begin, '\x1f\x8b', '\x78\x01', '\x78\x5e', '\x78\x9c', '\x78\xda');
  const chunks = isDeflated ? pipeline(file, createUnzip(), () => undefined) : file;
  const head = isDeflated ? await headOf(chunks) : begin;
  if (begins(head, '\xff\xfe', '\xfe\xff')) throw new BrokenText('is UTF-16, not UTF-8');
  // Otherwise it holds one exchange a line.
  const isHar = /\.z?har(\.gz)?$/i.test(source) || /^(\xef\xbb\xbf)?\s*\{\s*"log"\s*:/.test(head);
  yield { isHar, chunks, readAttachment: attachmentsBeside(source, maxBytes) };
}

const begins = (head: string, ...marks: string[]) => marks.some((mark) => head.startsWith(mark));

/** How much of a source is read to detect its format. */
const headBytes = 64;

/** How a stream begins, in Latin-1. It still holds these bytes. */
const headOf = (stream: Readable): Promise<string> =>
  new Promise((resolve, reject) => {
    const look = () => {
      // Null until there are so many, or it has ended.
      const head: Buffer | null = stream.read(headBytes);
      if (!head) return;
      stream.off('readable', look);
      stream.unshift(head);
      resolve(head.toString('latin1'));
    };
    stream.on('readable', look);
    stream.once('end', () => resolve(''));
    stream.once('error', reject);
  });

/** Reads bodies that stand beside a HAR: only files in its own folder, also where the HAR names others. */
const attachmentsBeside =
  (har: string, maxBytes: number): ReadAttachment =>
  async (name) => {
    try {
      const folder = await realpath(path.dirname(har));
      const file = await realpath(path.resolve(folder, name));
      const isInside = file.startsWith(folder + path.sep) && (await isFile(file));
      return isInside ? await collected(createReadStream(file), maxBytes) : undefined;
    } catch {
      return undefined;
    }
  };

/** The HARs of a zip, as Playwright writes it: bodies may stand in files beside them. */
async function* zippedHars(file: string, maxBytes: number): AsyncGenerator<Recording> {
  const zip = await openPromise(file, { autoClose: false }).catch(brokenZip);
  try {
    const entries = await entriesByName(zip).catch(brokenZip);
    const readAttachment: ReadAttachment = async (name) => {
      const entry = entries.get(name);
      // A body that cannot be read is none; the recording itself may be whole.
      return entry && collected(contentOf(zip, entry), maxBytes).catch(() => undefined);
    };
    const hars = [...entries.values()].filter(({ fileName }) => /\.har$/i.test(fileName));
    if (hars.length === 0) throw new BrokenText('is a zip that holds no .har');
    for (const har of hars) yield { isHar: true, chunks: contentOf(zip, har), readAttachment };
  } finally {
    zip.close();
  }
}

/** The messages of yauzl may name what is in the file. */
function brokenZip(): never {
  throw new BrokenText('is a broken zip');
}

async function entriesByName(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  return entries;
}

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
  } catch {
    brokenZip();
  }
}
