import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { isRecord, parse } from '../../schemas/json.ts';

/** First line of a journal: settings of its sweep, keyed by name, such as `contract`. A journal with others is not resumed. */
export type JournalHead = Record<string, string>;

/** Error if a journal belongs to another sweep, or cannot be merged with others. The message is shown to the user. */
export class JournalError extends Error {
  override name = 'JournalError';
}

const journalFolder = (reportsDir: string) => path.join(reportsDir, 'sweep');
const journalPath = (reportsDir: string, name: string) =>
  path.join(journalFolder(reportsDir), `${name}.ndjson`);

/** Returns whether the journal of a sweep exists in `REPORTS_DIR`. */
export const hasJournal = (reportsDir: string, name: string): boolean =>
  existsSync(journalPath(reportsDir, name));

/** Removes the journals of all earlier sweeps from `REPORTS_DIR`. */
export const removeJournals = (reportsDir: string): void =>
  rmSync(journalFolder(reportsDir), { recursive: true, force: true });

/**
 * Opens the journal of a sweep in `REPORTS_DIR`: that of an earlier run with `resume` if it exists, otherwise a new one. The
 * journal is append-only, with a line for each page before the next page is requested, so that a killed process loses no
 * earlier page.
 * @param sweep result of the sweep at its start, stored in the first line for the report of an interrupted run
 * @param onLine receives each complete line of the earlier run, in order
 * @returns a function that appends a line
 * @throws {JournalError} if the earlier journal belongs to another sweep
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

/** Reads the lines of a journal, the one with its settings first. Skips lines that a killed process has not finished. */
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

/** @throws {JournalError} if the first line of a journal has another setting than this sweep */
function assertSameSweep(name: string, earlier: Partial<JournalHead>, head: JournalHead): void {
  const setting = Object.keys(head).find((key) => earlier[key] !== head[key]);
  if (setting)
    throw new JournalError(
      `RESUME=1: the journal sweep/${name}.ndjson in REPORTS_DIR belongs to another ${setting}; set what that run had, or unset RESUME to start again`,
    );
}
