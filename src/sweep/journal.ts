import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { isRecord, parse } from '../../schemas/json.ts';

/** What a sweep is of, by what that is called: a journal of another one is not resumed, and not merged. */
export type JournalHead = Record<string, string>;

/** A journal is of another sweep; the message is for people. */
export class JournalError extends Error {
  override name = 'JournalError';
}

const journalsIn = (reportsDir: string) => path.join(reportsDir, 'sweep');
/** Whether a sweep has begun its journal. */
export const hasJournal = (reportsDir: string, name: string): boolean => existsSync(fileOf(reportsDir, name));

const fileOf = (reportsDir: string, name: string) => path.join(journalsIn(reportsDir), `${name}.ndjson`);

/** Removes what earlier sweeps have left. */
export const removeJournals = (reportsDir: string): void =>
  rmSync(journalsIn(reportsDir), { recursive: true, force: true });

/**
 * Opens the journal of a sweep in `REPORTS_DIR`: one of an earlier run if that shall be resumed and there is one, else a new one. It has
 * a line for each page, written before the next one is taken; it only grows, and what was written stays when the process is killed.
 * @param sweep is kept beside the head, for whoever reads the journal of an interrupted run
 * @param onLine receives each whole line of the earlier run, in order
 * @returns what adds a line
 * @throws {JournalError} when the earlier one is that of another sweep.
 */
export async function openJournal<Line extends object>(
  { reportsDir, resume }: { reportsDir: string; resume: boolean },
  name: string,
  head: JournalHead,
  sweep: object,
  onLine: (line: Line) => void,
): Promise<(line: Line) => void> {
  const file = fileOf(reportsDir, name);
  let isNew = true;
  for await (const line of resume && existsSync(file) ? readJournal<Line>(reportsDir, name) : []) {
    if (isNew) assertSame(name, line, head);
    else onLine(line);
    isNew = false;
  }
  mkdirSync(journalsIn(reportsDir), { recursive: true });
  if (isNew) writeFileSync(file, `${JSON.stringify({ ...head, sweep })}\n`);
  // Behind what an earlier run has not written to its end.
  else appendFileSync(file, '\n');
  return (line) => appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** What a journal holds, its head first, but for lines that were not written to their end. */
export async function* readJournal<Line extends object>(
  reportsDir: string,
  name: string,
): AsyncGenerator<Line & Partial<JournalHead>> {
  const file = await open(fileOf(reportsDir, name));
  for await (const text of file.readLines()) {
    const line = parse(text)?.value;
    if (isRecord(line)) yield line as Line & Partial<JournalHead>;
  }
}

/** @throws {JournalError} when a journal is that of another sweep. */
function assertSame(name: string, found: Partial<JournalHead>, head: JournalHead): void {
  const other = Object.keys(head).find((key) => found[key] !== head[key]);
  if (other)
    throw new JournalError(
      `RESUME=1: the journal sweep/${name}.ndjson in REPORTS_DIR is of another ${other}; set what that run had, or unset RESUME to begin anew`,
    );
}
