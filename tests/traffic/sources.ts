import { createReadStream } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { glob, isDynamicPattern } from 'tinyglobby';
import { BrokenText } from './broken-text.ts';
import { collect } from './limits.ts';
import type { ReadAttachment } from './recorded-entry.ts';
import type { NumberedSource } from './shown-source.ts';
import { standardInput } from './source-name.ts';

const chunkBytes = 512 * 1024;

/** How a zip begins: with its first file, or with its end when it is empty. */
const zipSignatures = [Buffer.from('PK\x03\x04'), Buffer.from('PK\x05\x06')];

/** The files that sources stand for, each once: patterns in the order of names, all else as it was given. */
export const expandSources = async (sources: readonly string[]): Promise<string[]> =>
  (await numberedSources(sources)).map(({ source }) => source);

/** The files that sources stand for, with their numbers. */
export async function numberedSources(sources: readonly string[]): Promise<NumberedSource[]> {
  const files = await Promise.all(
    sources.map(async (source, index) => {
      const number = String(index + 1);
      if (!isDynamicPattern(source) || (await isFile(source))) return [{ source, number }];
      const found = (await glob(source, { expandDirectories: false })).sort();
      const numbered = found.map((file, at) => ({ source: file, number: `${number}.${at + 1}` }));
      return numbered.length === 0 ? [{ source, number }] : numbered;
    }),
  );
  return onceEach(files.flat());
}

/** Each file where it is named first. */
async function onceEach(named: NumberedSource[]): Promise<NumberedSource[]> {
  const files = await Promise.all(named.map(({ source }) => realpath(source).catch(() => source)));
  const first = new Map<string, NumberedSource>();
  for (const [index, file] of files.entries()) {
    const one = named[index];
    if (one && !first.has(file)) first.set(file, one);
  }
  return [...first.values()];
}

/** A file, or standard input, as a stream. @throws {BrokenText} for a device or a pipe, which may have no end or no writer. */
export async function openSource(source: string, input: Readable): Promise<AsyncIterable<Buffer>> {
  if (source === standardInput) return input;
  const found = await stat(source).catch(() => undefined);
  // What else cannot be read says so itself.
  if (found && !found.isFile() && !found.isDirectory())
    throw new BrokenText('is no regular file: pass it through standard input, as -', 0);
  return createReadStream(source, { highWaterMark: chunkBytes });
}

/** How many bytes a source has, when that is known beforehand. */
export async function sizeOf(source: string): Promise<number | undefined> {
  if (source === standardInput) return undefined;
  const found = await stat(source).catch(() => undefined);
  return found?.isFile() ? found.size : undefined;
}

/** Whether a file is a zip, by its first bytes. */
export async function isZip(source: string): Promise<boolean> {
  if ((await sizeOf(source)) === undefined) return false;
  const file = await open(source);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return zipSignatures.some((signature) => buffer.equals(signature));
  } finally {
    await file.close();
  }
}

/** Reads bodies that stand beside a HAR: only files in its own folder, also where the HAR names others. */
export function attachmentsBeside(har: string, maxBytes: number): ReadAttachment {
  return async (name) => {
    try {
      const folder = await realpath(path.dirname(har));
      const file = await realpath(path.resolve(folder, name));
      if (!file.startsWith(folder + path.sep) || !(await isFile(file))) return undefined;
      return await collect(createReadStream(file), maxBytes);
    } catch {
      return undefined;
    }
  };
}

async function isFile(name: string): Promise<boolean> {
  const found = await stat(name).catch(() => undefined);
  return found?.isFile() ?? false;
}
