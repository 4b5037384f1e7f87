/** What a sweep is of: a journal of another one is not resumed. */
export interface JournalHead {
  version: 2;
  target: string;
  /** Prints of the address, and of what the prints of records are made with. */
  address: string;
  key: string;
  contract: string;
  profile: string;
  source: string;
  mode: string;
  part: string;
}

const labels: Record<keyof JournalHead, string> = {
  version: 'version of this suite',
  target: 'target',
  address: 'target',
  key: 'SWEEP_KEY',
  contract: 'contract',
  profile: 'profile',
  source: 'list',
  mode: 'SWEEP',
  part: 'shard',
};

/** A journal is of another sweep, or cannot be read; the message is for people. */
export class JournalError extends Error {
  override name = 'JournalError';
}

/** @throws {JournalError} when a journal is that of another sweep. */
export function assertSame(name: string, found: Partial<JournalHead>, head: JournalHead): void {
  const other = (Object.keys(labels) as (keyof JournalHead)[]).find((key) => found[key] !== head[key]);
  if (other)
    throw new JournalError(
      `RESUME=1: the journal sweep/${name}.ndjson in REPORTS_DIR is of another ${labels[other]}; set what that run had, or unset RESUME to begin anew`,
    );
}

/** A line of a journal. @throws {JournalError} */
export function parsed<T>(name: string, line: string): T {
  try {
    return JSON.parse(line);
  } catch {
    throw unreadable(name);
  }
}

/** The error for a journal that cannot be read. */
export const unreadable = (name: string) =>
  new JournalError(
    `RESUME=1: the journal sweep/${name}.ndjson in REPORTS_DIR cannot be read; unset RESUME to begin anew`,
  );
