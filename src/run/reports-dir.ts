import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type LockOptions, lock } from 'proper-lockfile';
import { describeWriteFailure } from '../client/files.ts';
import type { Target } from '../client/target.ts';
import { formatCallerPath } from './caller-folder.ts';

/** Names of the files and folders in `REPORTS_DIR` that a run removes when it begins, separated by spaces. */
const reportNames =
  'observations conformance.json conformance.md contract.html badge.svg junit.xml allure-results allure-report playwright-report blob-report';

/** Returns the path of the lock that a run holds in its `REPORTS_DIR`. */
export const getLockFile = (folder: string): string => path.join(folder, 'run.lock');

/** Returns the options with which `proper-lockfile` locks a `REPORTS_DIR`. */
const lockOptions = (folder: string): LockOptions => ({
  lockfilePath: getLockFile(folder),
  // Milliseconds without an update after which the lock of a killed run counts as stale.
  stale: 5000,
  // Milliseconds between two updates.
  update: 1000,
  onCompromised: () => {
    isLost = true;
  },
});

/** Function of `proper-lockfile` that releases the lock of `REPORTS_DIR`; undefined while this process does not hold it. */
let release: (() => Promise<void>) | undefined;
/** True if another process took over the lock of `REPORTS_DIR` while this process was suspended for longer than `stale`. */
let isLost: boolean | undefined;

/**
 * Creates `REPORTS_DIR` and locks it, because only one run can write there at a time. Takes over the lock of a killed run, which is
 * stale after five seconds. Does nothing if this process holds the lock already.
 * @throws an `Error` with a message for the user if another run is writing there, or if the folder cannot be written
 */
export async function ownReportsDir(target: Target): Promise<void> {
  if (release) return;
  const { reportsDir } = target;
  try {
    mkdirSync(reportsDir, { recursive: true });
    // Tries once a second, for longer than a lock needs to become stale.
    release = await lock(reportsDir, { ...lockOptions(reportsDir), retries: { retries: 6, factor: 1 } });
    isLost = false;
  } catch (error) {
    await releaseReportsDir();
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED')
      throw new Error(
        `another run is writing to ${formatCallerPath(reportsDir)}: wait for it, or set REPORTS_DIR`,
      );
    throw new Error(describeUnwritable(reportsDir, describeWriteFailure(error)));
  }
}

/** Formats the message about a `REPORTS_DIR` that cannot be written. @param reason reason in words, such as "permission denied" */
export const describeUnwritable = (folder: string, reason: string): string =>
  `REPORTS_DIR (${formatCallerPath(folder)}) cannot be written: ${reason}`;

/**
 * Removes the reports and stored observations of earlier runs from `REPORTS_DIR`, so that nobody takes them for those of this run.
 * @param runId id of the run whose folder `observations/<runId>` stays; by default, none stays
 */
export function removeReports(reportsDir: string, runId = ''): void {
  const names = reportNames.split(' ').filter((name) => name !== storeFolder);
  // One by one, because the folder may also hold the observations of this run.
  const otherRuns = listStoredRuns(reportsDir).filter((id) => id !== runId);
  for (const name of [...names, ...otherRuns.map((id) => path.join(storeFolder, id))])
    rmSync(path.join(reportsDir, name), { recursive: true, force: true });
}

/** Name of the folder in `REPORTS_DIR` that holds a `RunStore` for each run, and `run.json`. */
const storeFolder = 'observations';

/**
 * Lists what the folder `observations` of a `REPORTS_DIR` holds: a folder for each run, named by its id, and files such as
 * `run.json`.
 */
function listStoredRuns(reportsDir: string): string[] {
  const folder = path.join(reportsDir, storeFolder);
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Throws an `Error` with a message for the user if another run has taken over the lock of `REPORTS_DIR` from this one. */
export function assertOwned(): void {
  if (isLost)
    throw new Error(
      'another run has taken over REPORTS_DIR while this one was suspended: nothing was written',
    );
}

/** Releases the lock of `REPORTS_DIR`, if this process holds it. Never throws. */
export async function releaseReportsDir(): Promise<void> {
  const releaseLock = release;
  release = undefined;
  // Fails if another run has taken over the lock.
  await releaseLock?.().catch(() => {});
}
