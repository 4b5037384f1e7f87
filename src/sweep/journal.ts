import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { isRecord, parseJson } from '../../schemas/json.ts';

/** Settings of a sweep, such as `{ profile: "observed" }`. A resumed sweep must have the settings of the earlier sweep. */
export type JournalHead = Record<string, string>;

/** Thrown if the journal of a sweep cannot be resumed or merged. */
export class JournalError extends Error {
  override name = 'JournalError';
}

const journalFolder = (reportsDir: string) => path.join(reportsDir, 'sweep');
const journalPath = (reportsDir: string, name: string) =>
  path.join(journalFolder(reportsDir), `${name}.ndjson`);

export const hasJournal = (reportsDir: string, name: string): boolean =>
  existsSync(journalPath(reportsDir, name));

export const removeJournals = (reportsDir: string): void =>
  rmSync(journalFolder(reportsDir), { recursive: true, force: true });

/**
 * Opens the journal of a sweep, `sweep/<name>.ndjson`. If `resume` is set, continues the journal of an earlier run.
 * Otherwise, an earlier journal is overwritten.
 * @param head settings, which become a part of the first line
 * @param initialResult result before the sweep, which also becomes a part of the first line
 * @param onLine called with each line of a continued journal, except the first line
 * @returns function that appends a line
 * @throws {JournalError} if `resume` is set, and the earlier run had other settings
 */
export async function openJournal<Line extends object>(
  { reportsDir, resume }: { reportsDir: string; resume: boolean },
  name: string,
  head: JournalHead,
  initialResult: object,
  onLine: (line: Line) => void,
): Promise<(line: Line) => void> {
  const file = journalPath(reportsDir, name);
  // Throws if the earlier journal has other settings, so that this journal is never overwritten.
  const hasEarlierLines = resume && existsSync(file) && (await replayJournal(reportsDir, name, head, onLine));
  mkdirSync(journalFolder(reportsDir), { recursive: true });
  // If the process was killed, the last line may be incomplete. A line break separates the next line from it.
  if (hasEarlierLines) appendFileSync(file, '\n');
  else writeFileSync(file, `${JSON.stringify({ ...head, sweep: initialResult })}\n`);
  return (line) => appendFileSync(file, `${JSON.stringify(line)}\n`);
}

async function replayJournal<Line extends object>(
  reportsDir: string,
  name: string,
  head: JournalHead,
  onLine: (line: Line) => void,
): Promise<boolean> {
  let hasFirstLine = false;
  for await (const line of readJournal<Line>(reportsDir, name)) {
    if (hasFirstLine) onLine(line);
    // The first line holds the settings of the earlier run.
    else assertSameSweep(name, line, head);
    hasFirstLine = true;
  }
  return hasFirstLine;
}

/** Yields the complete lines of `sweep/<name>.ndjson`. The first line holds the settings. */
export async function* readJournal<Line extends object>(
  reportsDir: string,
  name: string,
): AsyncGenerator<Line & Partial<JournalHead>> {
  const file = await open(journalPath(reportsDir, name));
  for await (const text of file.readLines()) {
    const line = parseJson(text)?.value;
    // A line is incomplete if the process was killed while it wrote the line. Such a line is skipped.
    if (isRecord(line)) yield line as Line & Partial<JournalHead>;
  }
}

function assertSameSweep(name: string, earlier: Partial<JournalHead>, head: JournalHead): void {
  const changedSetting = Object.keys(head).find((setting) => earlier[setting] !== head[setting]);
  if (changedSetting)
    throw new JournalError(
      `RESUME=1: the journal sweep/${name}.ndjson in REPORTS_DIR belongs to another ${changedSetting}; set what that run had, or unset RESUME to start again`,
    );
}
