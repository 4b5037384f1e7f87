import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type LockOptions, lock } from 'proper-lockfile';
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
 * Locks `REPORTS_DIR`: one run writes to it at a time. Takes over from a run that was killed, which shows after some seconds.
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

/** Removes the reports of earlier runs, which would be taken for those of this one. @param runId run whose observations stay */
export function removeReports(reportsDir: string, runId = ''): void {
  const names = written.split(' ').filter((name) => name !== storeFolder);
  const stored = runsIn(reportsDir).filter((id) => id !== runId);
  for (const name of [...names, ...stored.map((id) => path.join(storeFolder, id))])
    rmSync(path.join(reportsDir, name), { recursive: true, force: true });
}

const storeFolder = 'observations';

/** Runs whose stored observations are in a folder, and results that shards are merged from. */
function runsIn(reportsDir: string): string[] {
  const folder = path.join(reportsDir, storeFolder);
  return existsSync(folder) ? readdirSync(folder) : [];
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
