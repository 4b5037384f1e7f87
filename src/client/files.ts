import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { getSystemErrorMap } from 'node:util';

/** Error of `readRegularFile`. The message describes the file: `a file that does not exist`. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError';
}

/** Returns the `Stats` of a file or folder. Returns undefined if the path does not exist or cannot be accessed. */
export function findStats(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/** Explains why a file cannot be read: `a file that does not exist`. Returns undefined for a readable regular file. */
export function explainUnreadable(file: string): string | undefined {
  try {
    // The file is not opened, because opening a named pipe would wait for a writer.
    const stats = statSync(file);
    if (stats.isDirectory()) return 'a folder: give the path of a file';
    if (!stats.isFile()) return 'no regular file';
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'a file that does not exist' : `a file that cannot be read (${code})`;
  }
}

/**
 * Reads a regular file.
 * @throws {UnreadableFileError} if the file does not exist, is no regular file, or may not be read
 */
export function readRegularFile(file: string): Buffer {
  const reason = explainUnreadable(file);
  if (reason) throw new UnreadableFileError(reason);
  return readFileSync(file);
}

/** Joins the chunks of a stream. If the chunks exceed `maxBytes` bytes, stops reading and returns undefined. */
export async function collectBytes(
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

/** Writes a file atomically, by renaming a temporary file. Creates the folder of the file if needed. */
export function writeAtomically(file: string, text: string): void {
  const temporaryFile = `${file}.${process.pid}.tmp`;
  mkdirSync(path.dirname(file), { recursive: true });
  try {
    writeFileSync(temporaryFile, text);
    renameSync(temporaryFile, file);
  } catch (error) {
    rmSync(temporaryFile, { force: true });
    throw error;
  }
}

/** Describes a write error: `permission denied`. The description leaves out the path of the file. */
export function describeWriteFailure(error: unknown): string {
  const { name, code = name, errno } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'a file stands where a folder must be';
  // For example `['EACCES', 'permission denied']`.
  const codeAndMessage = getSystemErrorMap().get(Number(errno));
  return codeAndMessage?.[1] ?? code;
}

/** Returns whether an error comes from a failed system call, such as a write to a full disk. */
export const isSystemError = (error: unknown): boolean =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

/**
 * Explains why a folder is not writable: `permission denied`. Returns undefined if the folder is writable. A missing folder is
 * writable if its nearest existing parent is writable.
 */
export function explainUnwritable(folder: string): string | undefined {
  try {
    // The slash makes a regular file fail with ENOTDIR.
    accessSync(`${folder}/`, constants.W_OK);
    return undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    // A missing folder would be created in its nearest existing parent.
    return isMissing ? explainUnwritable(path.dirname(folder)) : describeWriteFailure(error);
  }
}
