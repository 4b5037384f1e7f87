import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Target } from '../configuration/target.ts';
import { isHeldByOther } from './held-folder.ts';
import { observationsDir } from './results.ts';

/** A line for each test: its address, and whether it failed. */
const usedFile = (target: Pick<Target, 'reportsDir'>) => path.join(observationsDir(target), 'used.txt');

/** Notes that a test was judged by the results that are there, or that it failed; nothing in the folder of another run. */
export function noteUse(target: Target, address: string, outcome: '' | ' failed' = ''): void {
  if (isHeldByOther(target.reportsDir)) return;
  try {
    appendFileSync(usedFile(target), `${address}${outcome}\n`);
  } catch {
    // Nothing was asked, or the disk is full: the test itself says so.
  }
}

/** Which tests were judged by the results that are there. */
export interface Uses {
  addresses: string[];
  failed: Set<string>;
  /** When the last one was. */
  lastMs: number;
}

/** Whether no test of this run has begun: a disk that was full leaves an empty file. */
export const isUnused = (target: Target): boolean => !existsSync(usedFile(target));

/** The tests that were judged by the results that are there. */
export function usesOf(target: Pick<Target, 'reportsDir'>): Uses {
  const [used, run] = [usedFile(target), path.join(observationsDir(target), 'run.json')];
  const lines = existsSync(used) ? readFileSync(used, 'utf8').split('\n').filter(Boolean) : [];
  const failed = lines.filter((line) => line.endsWith(' failed')).map((line) => line.replace(/ failed$/, ''));
  const times = [used, run].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const addresses = lines.filter((line) => !line.endsWith(' failed'));
  return { addresses, failed: new Set(failed), lastMs: Math.max(...times) };
}
