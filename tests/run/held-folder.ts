import path from 'node:path';
import type { Lock } from './lock-file.ts';

/** Locks of `REPORTS_DIR` that this process has taken. */
const locks = new Map<string, Lock>();

/** Remembers by which lock this process owns a folder of reports. */
export function holdFolder(folder: string, lock: Lock): void {
  locks.set(path.resolve(folder), lock);
}

/** Why this process may no longer write to a folder of reports, in one sentence; undefined while it may. */
export function lostFolder(folder: string): string | undefined {
  const lock = locks.get(path.resolve(folder));
  return !lock || lock.isHeld()
    ? undefined
    : 'another run has taken over REPORTS_DIR while this one was suspended: nothing was written';
}

/** @throws an error for people when another run has taken over a folder of reports. */
export function assertFolderHeld(folder: string): void {
  const lost = lostFolder(folder);
  if (lost) throw new Error(lost);
}
