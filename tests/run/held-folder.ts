import path from 'node:path';
import { holderOf, type Lock } from './lock-file.ts';
import { currentRun } from './run-id.ts';

/** The lock of a folder of reports. */
export const lockOf = (folder: string): string => path.join(folder, 'run.lock');

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

/** Whether another run holds a folder of reports: asked by a worker, which holds no lock itself. */
export function isHeldByOther(folder: string): boolean {
  const holder = holderOf(lockOf(folder));
  return holder !== undefined && holder !== currentRun();
}
