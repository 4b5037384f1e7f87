import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { makeFolder, writeWhole } from '../src/client/files.ts';
import { isJudged } from '../src/verdict/verdicts.ts';
import type { Conformance } from './conformance.ts';
import { readConformance } from './read-conformance.ts';

type Judged = Pick<Conformance, 'target' | 'profile'>;

/** A name for the files of a target and a profile, which no other pair has. */
export function fileNameOf({ target, profile }: Judged): string {
  // A file system takes names of 255 bytes, and two names must not share a file.
  const plain = target.replace(/[^\w.-]+/g, '-').slice(0, 100);
  const mark = plain === target ? '' : `-${createHash('sha256').update(target).digest('hex').slice(0, 8)}`;
  return `${plain}${mark}-${profile}`;
}

/** File of the last whole run of a target and a profile, relative to `REPORTS_DIR`. */
export const wholeRunFile = (judged: Judged): string => `previous/${fileNameOf(judged)}.json`;

/** Keeps a whole run that judged something, for the next one to be compared with. */
export function keepWholeRun(run: Conformance, reportsDir: string): void {
  if (run.selection || run.shard || !hasJudged(run)) return;
  makeFolder(path.join(reportsDir, 'previous'));
  writeWhole(path.join(reportsDir, wholeRunFile(run)), `${JSON.stringify(run, null, 2)}\n`);
}

/** The last whole run of a target and a profile that is kept in `REPORTS_DIR`; one that cannot be read is none. */
export function lastWholeRun(judged: Judged, reportsDir: string): Conformance | undefined {
  const file = path.join(reportsDir, wholeRunFile(judged));
  try {
    return existsSync(file) ? readConformance(file) : undefined;
  } catch {
    return undefined;
  }
}

const hasJudged = ({ requirements }: Conformance) => requirements.some(({ verdict }) => isJudged(verdict));
