import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { shownToCaller } from '../configuration/caller-folder.ts';
import type { Target } from '../configuration/target.ts';
import { holdFolder, lockOf } from './held-folder.ts';
import { type Lock, Locked, takeLock } from './lock-file.ts';
import { keepPrevious } from './previous.ts';
import { writeFailure } from './whole-file.ts';
import { makeFolder, tryWriting } from './writable-folder.ts';

const written =
  'observations conformance.json conformance.md conformance.sarif contract.html badge.svg junit.xml allure-results allure-report playwright-report blob-report';

/**
 * Makes `REPORTS_DIR` this run's own: one run writes to it at a time, and nothing of an earlier one is left, since it
 * would be taken for this one's.
 * @throws an error for people when another run is writing to it, or nothing can be written.
 */
export function ownReportsDir(contract: Contract | Error, target: Target, run: string): Lock {
  const lock = lockReportsDir(target, run);
  holdFolder(target.reportsDir, lock);
  if (lock.shared) return lock;
  try {
    keepPrevious(contract, target);
    for (const name of written.split(' '))
      rmSync(path.join(target.reportsDir, name), { recursive: true, force: true });
    return lock;
  } catch (error) {
    lock.release();
    throw unwritable(target, error);
  }
}

function lockReportsDir(target: Target, run: string): Lock {
  const folder = shownFolder(target);
  try {
    makeFolder(target.reportsDir);
    const lock = takeLock(lockOf(target.reportsDir), run);
    // What is found out before the first request is sent.
    if (!lock.shared) tryWriting(target.reportsDir);
    return lock;
  } catch (error) {
    if (!(error instanceof Locked)) throw unwritable(target, error);
    const owner = error.pid === undefined ? '' : ` (process ${error.pid})`;
    throw new Error(`another run${owner} is writing to ${folder}: wait for it, or set REPORTS_DIR`);
  }
}

const unwritable = (target: Target, error: unknown) =>
  new Error(`REPORTS_DIR (${shownFolder(target)}) cannot be written: ${writeFailure(error)}`);

const shownFolder = ({ reportsDir }: Target) => shownToCaller(reportsDir);
