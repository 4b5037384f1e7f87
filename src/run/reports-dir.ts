import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type LockOptions, lock, lockSync } from 'proper-lockfile';
import { writeFailure } from '../client/files.ts';
import type { Target } from '../client/target.ts';
import { shownToCaller } from './caller-folder.ts';

/** What a run writes. */
const written =
  'observations conformance.json conformance.md contract.html badge.svg junit.xml allure-results allure-report playwright-report blob-report';

/** The lock of a folder of reports. */
export const lockOf = (folder: string): string => path.join(folder, 'run.lock');

const lockOptions = (folder: string): LockOptions => ({
  lockfilePath: lockOf(folder),
  // A run that gives no sign of life for so long was killed.
  stale: 5000,
  update: 1000,
  onCompromised: () => {
    isLost = true;
  },
});

let release: (() => Promise<void>) | undefined;
let isLost: boolean | undefined;

/**
 * Makes `REPORTS_DIR` this process's own: one run writes to it at a time, and nothing of an earlier one is left, since it
 * would be taken for this one's. Takes over from a run that was killed, which shows after some seconds.
 * @throws an error for people when another run is writing to it, or nothing can be written.
 */
export async function ownReportsDir(target: Target): Promise<void> {
  if (release) return;
  const { reportsDir } = target;
  try {
    mkdirSync(reportsDir, { recursive: true });
    // One each second, for longer than it takes until a lock is stale.
    release = await lock(reportsDir, { ...lockOptions(reportsDir), retries: { retries: 6, factor: 1 } });
    isLost = false;
    removeReports(reportsDir);
  } catch (error) {
    await releaseReportsDir();
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED')
      throw new Error(
        `another run is writing to ${shownToCaller(reportsDir)}: wait for it, or set REPORTS_DIR`,
      );
    throw new Error(unwritableSentence(reportsDir, writeFailure(error)));
  }
}

/** Also said by the doctor. */
export const unwritableSentence = (folder: string, reason: string): string =>
  `REPORTS_DIR (${shownToCaller(folder)}) cannot be written: ${reason}`;

/** Removes what an earlier run has left. */
export function removeReports(reportsDir: string): void {
  for (const name of written.split(' '))
    rmSync(path.join(reportsDir, name), { recursive: true, force: true });
}

/** The same where this process ends before its run could begin. */
export function removeEarlierReports(reportsDir: string): void {
  try {
    // The lock goes with the process.
    lockSync(reportsDir, lockOptions(reportsDir));
    removeReports(reportsDir);
  } catch {
    // It is another run's, or this one's, or there is no such folder.
  }
}

/** @throws an error for people when another run has taken over `REPORTS_DIR`. */
export function assertOwned(): void {
  if (isLost)
    throw new Error(
      'another run has taken over REPORTS_DIR while this one was suspended: nothing was written',
    );
}

export async function releaseReportsDir(): Promise<void> {
  const own = release;
  release = undefined;
  // Somebody else may have taken it over.
  await own?.().catch(() => {});
}

const { env } = process;

/**
 * Whether an id is of the run that this process belongs to. Its results carry it, and its workers inherit it, so that no test is
 * judged by results that another run has left.
 */
export const isCurrentRun = (id: string): boolean => id === env.CONFORMANCE_RUN;

/** Names a new run, for this process and for the workers that it starts. */
export function nameRun(): string {
  env.CONFORMANCE_RUN = randomUUID();
  return env.CONFORMANCE_RUN;
}
