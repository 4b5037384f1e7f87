import { existsSync } from 'node:fs';
import path from 'node:path';
import { lockOf } from '../../tests/run/held-folder.ts';
import { journalsIn } from '../../tests/sweep/journal/journal.ts';
import type { Conformance } from '../conformance.ts';
import { readConformance } from '../read-conformance.ts';
import { MergeError } from './shards.ts';

/** What folders of shards hold. */
interface ReadShards {
  /** Those with a report. */
  folders: string[];
  /** The reports, in the same order. */
  reports: Conformance[];
  /** Those in which a run has begun, and was ended before it could report, as by SIGKILL. */
  unreported: string[];
}

/** Reads the reports of shards. @throws {MergeError} when a folder is of no shard, or none has a report. */
export function readShards(all: string[]): ReadShards {
  const folders = all.filter((folder) => existsSync(reportOf(folder)));
  const unreported = all.filter((folder) => !folders.includes(folder));
  const odd = unreported.find((folder) => folders.length === 0 || !hasBegun(folder));
  if (odd !== undefined)
    throw new MergeError(`${odd} holds no conformance.json: is it REPORTS_DIR of a shard?`);
  return { folders, reports: folders.map((folder) => readConformance(reportOf(folder))), unreported };
}

const reportOf = (folder: string): string => path.join(folder, 'conformance.json');

const hasBegun = (folder: string): boolean => existsSync(lockOf(folder)) || existsSync(journalsIn(folder));

/** Of a run that has left no report nothing is known, so nothing sure can be said of all. */
export function withUnreported(merged: Conformance, unreported: string[]): Conformance {
  if (unreported.length === 0) return merged;
  // Where a folder lies is no matter of whoever reads the report.
  const notes = unreported.map(
    (folder) =>
      `the folder ${path.basename(folder)} holds no conformance.json: its run was ended before it could report, so repeat that shard`,
  );
  return { ...merged, verdict: 'error', notes: [...notes, ...merged.notes] };
}
