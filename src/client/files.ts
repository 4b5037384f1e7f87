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

/**
 * Error of a file that the configuration names and that cannot be read. Its message is the end of a sentence that begins with
 * "CLIENT_CERT names ": `a folder: give the path of a file`.
 */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';
}

/**
 * Returns the reason why a file cannot be read, such as `a file that does not exist`; undefined if the file can be read. The reason
 * is the end of a sentence that begins with "CLIENT_CERT names ". Does not open the file, because opening a named pipe would wait
 * for a writer.
 */
export function explainUnreadable(file: string): string | undefined {
  try {
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
 * Reads a whole file, such as the one that `CLIENT_CERT` names.
 * @throws {UnreadableFile} if the file does not exist, is a folder or device, or cannot be read
 */
export function readRegularFile(file: string): Buffer {
  const reason = explainUnreadable(file);
  if (reason) throw new UnreadableFile(reason);
  return readFileSync(file);
}

/** Reads a whole stream into one buffer. If the stream has more than `maxBytes`, stops reading and returns undefined. */
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

/** Writes a file atomically: temporary file, then rename. Creates the folder if needed. */
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

/** Describes the error of a write to a file, such as `permission denied`, without the path of the file. */
export function describeWriteFailure(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException;
  const code = readErrorCode(error);
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'a file stands where a folder must be';
  const [, description = code] = getSystemErrorMap().get(Number(errno)) ?? [];
  return description;
}

const readErrorCode = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'unknown';

/** Returns whether an error comes from a failed system call, such as a full disk, and not from a fault of this suite. */
export const isDiskError = (error: unknown): boolean =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

/**
 * Returns the reason why no file can be written to a folder, such as `permission denied`; undefined if the folder is writable. If
 * the folder does not exist yet, checks its nearest existing parent.
 */
export function explainUnwritable(folder: string): string | undefined {
  try {
    // The slash makes a regular file fail with ENOTDIR.
    accessSync(`${folder}/`, constants.W_OK);
    return undefined;
  } catch (error) {
    return readErrorCode(error) === 'ENOENT'
      ? explainUnwritable(path.dirname(folder))
      : describeWriteFailure(error);
  }
}
