import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

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

/** Writes a file beside its place and moves it there: whoever reads it finds all of it, or what was there before. */
export function writeWhole(file: string, text: string): void {
  const beside = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, text);
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EDQUOT: 'the quota is used up',
  EFBIG: 'the file is too large',
  EISDIR: 'a folder is in the way',
  EEXIST: 'a file is in the way',
  ERR_FS_EISDIR: 'a folder is in the way',
  ENOENT: 'nothing can be made there',
  ENOSPC: 'no space is left on the disk',
  ENOTDIR: 'a file is in the way',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
};

/** Why a file could not be written, in words. */
export function writeFailure(error: unknown): string {
  const code = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'unknown';
  return reasons[code] ?? code;
}

/** Whether an error is one of the disk, rather than of this suite. */
export const isDiskError = (error: unknown): boolean =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

/** That the disk takes no more, in words; undefined for any other error. */
export function diskFailure(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code && /^(EDQUOT|ENOSPC|EROFS)$/.test(code) ? reasons[code] : undefined;
}

/** Makes a folder with its parents, one by one: `recursive` never returns below a folder that accepts none, as /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder);
}

/** Whether a folder takes files, or can be made, as far as its parents tell. */
export function canHold(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) return canHold(path.dirname(path.resolve(folder)));
  return found.isDirectory() && reasonOf(() => accessSync(folder, constants.W_OK)) === undefined;
}

/** Finds out whether a folder takes files. @throws the error of the disk. */
export function tryWriting(folder: string): void {
  const file = path.join(folder, 'observations.probe');
  writeWhole(file, '1'.repeat(4096));
  rmSync(file);
}
