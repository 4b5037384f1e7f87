import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type LockOptions, lock } from 'proper-lockfile';
import { describeWriteFailure } from '../client/files.ts';
import type { Target } from '../client/target.ts';
import { formatCallerPath } from './caller-folder.ts';

const reportNames =
  'conformance.json conformance.md contract.html badge.svg junit.xml allure-results allure-report playwright-report blob-report'.split(
    ' ',
  );

export const getLockFile = (folder: string): string => path.join(folder, 'run.lock');

const lockOptions = (folder: string): LockOptions => ({
  lockfilePath: getLockFile(folder),
  // Milliseconds without an update after which the lock of a killed run counts as stale.
  stale: 5000,
  // Milliseconds between two updates.
  update: 1000,
  // Tries once a second, for longer than a lock needs to become stale.
  retries: { retries: 6, factor: 1 },
  // Usually, this process was suspended, and another run has taken over.
  onCompromised: () => {
    isLockLost = true;
  },
});

let releaseLock: (() => Promise<void>) | undefined;
let isLockLost: boolean | undefined;

/**
 * Creates and locks `REPORTS_DIR`. If another run holds the lock, waits up to about six seconds.
 * @throws an `Error` if another run keeps the lock, or if the folder cannot be written
 */
export async function lockReportsDir(target: Target): Promise<void> {
  if (releaseLock) return;
  const { reportsDir } = target;
  try {
    mkdirSync(reportsDir, { recursive: true });
    releaseLock = await lock(reportsDir, lockOptions(reportsDir));
    isLockLost = false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED')
      throw new Error(
        `another run is writing to ${formatCallerPath(reportsDir)}: wait for it, or set REPORTS_DIR`,
      );
    throw new Error(describeUnwritable(reportsDir, describeWriteFailure(error)));
  }
}

export const describeUnwritable = (folder: string, reason: string): string =>
  `REPORTS_DIR (${formatCallerPath(folder)}) cannot be written: ${reason}`;

/**
 * Removes the reports and stored results of earlier runs.
 * @param runId id of the run whose stored results stay. By default, all stored results are removed.
 */
export function removeReports(reportsDir: string, runId = ''): void {
  const resultsFolder = path.join(reportsDir, 'observations');
  const storedResults = existsSync(resultsFolder) ? readdirSync(resultsFolder) : [];
  const earlierResults = storedResults.filter((name) => name !== runId);
  const paths = [
    ...reportNames.map((name) => path.join(reportsDir, name)),
    ...earlierResults.map((name) => path.join(resultsFolder, name)),
  ];
  for (const file of paths) rmSync(file, { recursive: true, force: true });
}

export function assertLocked(): void {
  if (isLockLost)
    throw new Error(
      'another run has taken over REPORTS_DIR while this one was suspended: nothing was written',
    );
}

export async function releaseReportsDir(): Promise<void> {
  const release = releaseLock;
  releaseLock = undefined;
  // Fails if another run has taken over the lock.
  await release?.().catch(() => {});
}
