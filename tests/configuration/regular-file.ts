import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';

/** More than anything configured has by far; another file was named. */
const usualMaxBytes = 64 * 1024 * 1024;

/** A file cannot be read; the message continues "the variable names". */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';
}

/**
 * Reads a file whose path was configured. A device or a pipe, which may have no end or no writer, is not opened.
 * @throws {UnreadableFile} when there is no such file, or none that can be read.
 */
export function readRegularFile(file: string, maxBytes = usualMaxBytes): Buffer {
  try {
    assertRegular(file, maxBytes);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UnreadableFile(
      code === 'ENOENT' ? 'a file that does not exist' : `a file that cannot be read (${code})`,
    );
  }
}

function assertRegular(file: string, maxBytes: number): void {
  const found = statSync(file);
  if (found.isDirectory()) throw new UnreadableFile('a folder: give the path of a file');
  if (!found.isFile()) throw new UnreadableFile('no regular file');
  if (found.size > maxBytes) throw new UnreadableFile(`a file of more than ${maxBytes / 1024 / 1024} MiB`);
}

/** Why a file cannot be read, as a continuation of "the variable names"; undefined when it can. */
export const unreadableReason = (file: string): string | undefined => reasonOf(() => readRegularFile(file));

/** The same for a file of any size, which is not read. */
export const irregularReason = (file: string): string | undefined =>
  reasonOf(() => {
    if (!existsSync(file)) throw new UnreadableFile('a file that does not exist');
    assertRegular(file, Number.POSITIVE_INFINITY);
    accessSync(file, constants.R_OK);
  });

function reasonOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof UnreadableFile ? error.message : 'a file that cannot be read';
  }
}
