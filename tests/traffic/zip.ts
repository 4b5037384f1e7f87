import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { BrokenText } from './broken-text.ts';
import { Budget, collect, LimitExceeded, type Limits } from './limits.ts';
import type { ReadAttachment } from './recorded-entry.ts';

/** A HAR in a zip, as Playwright writes it: bodies may stand in files beside it. */
export interface ZippedHar {
  bytes: number;
  chunks: AsyncIterable<Buffer>;
  readAttachment: ReadAttachment;
}

/** The HARs of a zip, one after the other. @throws BrokenText if it is no zip, or grows beyond all bounds. */
export async function* zippedHars(file: string, limits: Limits): AsyncGenerator<ZippedHar> {
  const zip = await attempt(() => openPromise(file, { lazyEntries: true, autoClose: false }));
  // Each use of it handles errors in its own way; a late one must not end the process.
  zip.on('error', () => undefined);
  try {
    const { entries, broken } = await entriesByName(zip, limits);
    const budget = new Budget(limits.maxInflatedBytes);
    const read = (entry: Entry) => budget.limit(contentOf(zip, entry));
    const readAttachment: ReadAttachment = async (name) => {
      const entry = entries.get(name);
      return entry && unlessBroken(collect(read(entry), limits.maxEntryBytes));
    };
    const hars = [...entries.values()].filter(({ fileName }) => /\.har$/i.test(fileName));
    if (hars.length === 0 && !broken) throw new BrokenText('is a zip that holds no .har', 0);
    for (const har of hars) yield { bytes: har.uncompressedSize, chunks: read(har), readAttachment };
    if (broken) throw broken;
  } finally {
    zip.close();
  }
}

interface ZipEntries {
  entries: Map<string, Entry>;
  /** Set when there may be more, which cannot be read. */
  broken?: BrokenText;
}

async function entriesByName(zip: ZipFile, { maxZipEntries }: Limits): Promise<ZipEntries> {
  if (zip.entryCount > maxZipEntries) throw new LimitExceeded(`is a zip of more than ${maxZipEntries} files`);
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry);
    }
  } catch {
    return { entries, broken: new BrokenText('is a broken zip', 0) };
  }
  return { entries };
}

/** A body that cannot be read is none; the recording itself may be whole. */
async function unlessBroken(body: Promise<Buffer | undefined>): Promise<Buffer | undefined> {
  try {
    return await body;
  } catch (error) {
    if (error instanceof BrokenText && !(error instanceof LimitExceeded)) return undefined;
    throw error;
  }
}

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const stream = await attempt(() => zip.openReadStreamPromise(entry));
  try {
    for await (const chunk of stream) yield chunk;
  } catch {
    throw new BrokenText('is a broken zip', 0);
  }
}

/** The messages of yauzl may name what is in the file. */
async function attempt<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch {
    throw new BrokenText('is a broken zip', 0);
  }
}
