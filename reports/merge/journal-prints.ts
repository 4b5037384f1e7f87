import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ownValue } from '../../schemas/own-value.ts';
import { irregularReason } from '../../tests/configuration/regular-file.ts';
import { journalsIn } from '../../tests/sweep/journal/journal.ts';
import { type FileLine, linesOf } from '../../tests/sweep/journal/lines-of-file.ts';
import type { SweepResult } from '../../tests/sweep/results/result.ts';
import { MergeError } from './shards.ts';

/** A part of a sweep, and `REPORTS_DIR` of the shard that has left it. */
export interface StoredPart {
  sweep: SweepResult;
  folder: string;
}

/**
 * The prints of the records that each part of a sweep of a list has seen; none of other sweeps.
 * @throws {MergeError} when a part lacks them, or they were made with different keys: then parts cannot be compared.
 */
export function printsOfParts(parts: StoredPart[]): Uint32Array[] {
  const ofLists = parts.filter(({ sweep }) => sweep.pointer !== '');
  const keys = new Set(ofLists.map(keyOf));
  if (keys.size > 1)
    throw new MergeError(
      'the shards were swept with different keys, so that no `uuid` can be compared across them: run all with the same SWEEP_KEY, TARGET_NAME and BASE_URL',
    );
  return ofLists.map(printsOf);
}

const lacking = (file: string) =>
  new MergeError(
    `${file} is missing or not whole, so that no \`uuid\` can be compared across shards: merge needs the whole of REPORTS_DIR`,
  );

const fileOf = ({ sweep, folder }: StoredPart, extension: string) =>
  path.join(journalsIn(folder), `${sweep.journal}.${extension}`);

/** The journal of a part of a sweep. */
export const journalFile = (part: StoredPart): string => fileOf(part, 'ndjson');

function printsOf(part: StoredPart): Uint32Array {
  const file = fileOf(part, 'prints');
  const bytes = irregularReason(file) ? undefined : readFileSync(file);
  if (bytes?.length !== 4 * printsNamedIn(journalFile(part))) throw lacking(file);
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}

/** How many numbers of prints a journal says that there are: its last line of a page does. */
function printsNamedIn(file: string): number {
  const last = lineIn(file, (lines) => {
    let page = 'null';
    for (const { text } of lines) if (text.startsWith('{"page":')) page = text;
    return page;
  });
  const prints = ownValue(last, 'prints');
  if (prints === undefined) return 0;
  return typeof prints === 'number' ? prints : Number.NaN;
}

/** The print of the key, as the first line of the journal has it. */
function keyOf(part: StoredPart): string {
  const file = journalFile(part);
  const head = lineIn(file, firstOf);
  const key = ownValue(head, 'key');
  if (typeof key !== 'string') throw lacking(file);
  return key;
}

function firstOf(lines: Iterable<FileLine>): string {
  for (const { text } of lines) return text;
  return '';
}

/** One line of a journal, which is chosen from all; undefined where it cannot be read. */
function lineIn(file: string, choose: (lines: Iterable<FileLine>) => string): unknown {
  if (irregularReason(file)) return undefined;
  const opened = openSync(file, 'r');
  try {
    return JSON.parse(choose(linesOf(opened)));
  } catch {
    return undefined;
  } finally {
    closeSync(opened);
  }
}
