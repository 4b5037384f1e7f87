import { renameSync, rmSync, writeFileSync } from 'node:fs';

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
