import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { getSystemErrorMap } from 'node:util';

/** A file cannot be read; the message continues "the variable names". */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';
}

/**
 * Why a file cannot be read, as a continuation of "the variable names"; undefined when it can. Nothing is opened: a device
 * or a pipe may have no end or no writer.
 */
export function unreadableReason(file: string): string | undefined {
  try {
    const found = statSync(file);
    if (found.isDirectory()) return 'a folder: give the path of a file';
    if (!found.isFile()) return 'no regular file';
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'a file that does not exist' : `a file that cannot be read (${code})`;
  }
}

/**
 * Reads a file whose path was configured.
 * @throws {UnreadableFile} when there is no such file, or none that can be read.
 */
export function readRegularFile(file: string): Buffer {
  const reason = unreadableReason(file);
  if (reason) throw new UnreadableFile(reason);
  return readFileSync(file);
}

/** All of a stream, or undefined if it has more bytes than that. */
export async function collected(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/**
 * Writes a file beside its place, in a folder that is made where there is none, and moves it there: whoever reads it finds all
 * of it, or what was there before.
 */
export function writeWhole(file: string, text: string): void {
  const beside = `${file}.${process.pid}.tmp`;
  mkdirSync(path.dirname(file), { recursive: true });
  try {
    writeFileSync(beside, text);
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** Why a file could not be written, in the words of the system, without its path. */
export function writeFailure(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException;
  if (/^(EEXIST|ENOTDIR)$/.test(codeOf(error))) return 'a file stands where a folder must be';
  return getSystemErrorMap().get(Number(errno))?.[1] ?? codeOf(error);
}

const codeOf = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'unknown';

/** Whether an error is one of the disk, rather than of this suite. */
export const isDiskError = (error: unknown): boolean =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

/** Why a folder takes no files, or cannot be made, as far as its parents tell; undefined when it can. */
export function unwritableReason(folder: string): string | undefined {
  try {
    // Behind a slash, a file is none that can be written either.
    accessSync(`${folder}/`, constants.W_OK);
    return undefined;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? unwritableReason(path.dirname(folder)) : writeFailure(error);
  }
}
