import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { isRecord, parse } from '../../schemas/json.ts';

/**
 * Settings of a sweep, keyed by name, such as `contract`, in the first line of its journal. A sweep with other settings cannot
 * resume it.
 */
export type JournalHead = Record<string, string>;

/** Error about a journal of a sweep that has other settings, or that cannot be merged with others. The user sees its message. */
export class JournalError extends Error {
  override name = 'JournalError';
}

const journalFolder = (reportsDir: string) => path.join(reportsDir, 'sweep');
const journalPath = (reportsDir: string, name: string) =>
  path.join(journalFolder(reportsDir), `${name}.ndjson`);

/** Returns whether the journal of a sweep, such as `listCustomers`, exists in `REPORTS_DIR`. */
export const hasJournal = (reportsDir: string, name: string): boolean =>
  existsSync(journalPath(reportsDir, name));

/** Removes the journals of all earlier sweeps from `REPORTS_DIR`. */
export const removeJournals = (reportsDir: string): void =>
  rmSync(journalFolder(reportsDir), { recursive: true, force: true });

/**
 * Opens the journal of a sweep in `REPORTS_DIR`. With `resume`, continues the journal of an earlier run if there is one, and passes
 * its lines to `onLine`; otherwise starts a new journal. Lines are only appended, at once, so that a killed process loses no line.
 * @param name name of the journal, such as `listCustomers`
 * @param sweep result of the sweep at its start, stored in the first line for the report of an interrupted run
 * @param onLine receives each complete line of the earlier run after the first one, in order
 * @returns a function that appends a line
 * @throws {JournalError} if the earlier journal belongs to a sweep with other settings
 */
export async function openJournal<Line extends object>(
  { reportsDir, resume }: { reportsDir: string; resume: boolean },
  name: string,
  head: JournalHead,
  sweep: object,
  onLine: (line: Line) => void,
): Promise<(line: Line) => void> {
  const file = journalPath(reportsDir, name);
  const earlierLines = resume && existsSync(file) ? readJournal<Line>(reportsDir, name) : [];
  let isNew = true;
  for await (const line of earlierLines) {
    if (isNew) assertSameSweep(name, line, head);
    else onLine(line);
    isNew = false;
  }
  mkdirSync(journalFolder(reportsDir), { recursive: true });
  if (isNew) writeFileSync(file, `${JSON.stringify({ ...head, sweep })}\n`);
  // Ends a line that a killed process has not finished.
  else appendFileSync(file, '\n');
  return (line) => appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/**
 * Reads the lines of a journal in order, first the one with the settings of its sweep. Skips lines that a killed process left
 * incomplete.
 */
export async function* readJournal<Line extends object>(
  reportsDir: string,
  name: string,
): AsyncGenerator<Line & Partial<JournalHead>> {
  const file = await open(journalPath(reportsDir, name));
  for await (const text of file.readLines()) {
    const line = parse(text)?.value;
    if (isRecord(line)) yield line as Line & Partial<JournalHead>;
  }
}

/** Throws a `JournalError` if a setting in the first line of an earlier journal differs from that of this sweep. */
function assertSameSweep(name: string, earlier: Partial<JournalHead>, head: JournalHead): void {
  const setting = Object.keys(head).find((key) => earlier[key] !== head[key]);
  if (setting)
    throw new JournalError(
      `RESUME=1: the journal sweep/${name}.ndjson in REPORTS_DIR belongs to another ${setting}; set what that run had, or unset RESUME to start again`,
    );
}
