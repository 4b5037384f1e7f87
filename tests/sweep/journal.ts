import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { linesOf } from './lines-of-file.ts';
import type { PageResult } from './tally.ts';

/** What a sweep is of: a journal of another one is not gone on with. */
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

const words: Record<keyof JournalHead, string> = {
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

/** After the head: what was found out before the first page, each page, and that the end was reached. */
type Line = { start: unknown } | { page: PageResult; prints: number } | { end: true };

/** What an earlier run has left, beside the pages. */
export interface Kept {
  start: unknown;
  prints: Uint32Array;
  ended: boolean;
}

/** A journal is of another sweep, or cannot be read; the message is for people. */
export class JournalError extends Error {
  override name = 'JournalError';
}

/**
 * What a sweep has done so far, in `REPORTS_DIR`: a line for each page, written before the next one is judged, and beside it the
 * prints of the records. Both only grow, and what was written stays when the process is killed.
 */
export class Journal {
  readonly #lines: number;
  readonly #prints: number;
  #at = 0;
  #printed = 0;

  private constructor(folder: string, name: string, flags: string) {
    this.#lines = openSync(path.join(folder, `${name}.ndjson`), flags);
    this.#prints = openSync(path.join(folder, `${name}.prints`), flags);
  }

  /** Begins anew. */
  static create(folder: string, name: string, head: JournalHead): Journal {
    mkdirSync(folder, { recursive: true });
    const journal = new Journal(folder, name, 'w+');
    journal.#write(head);
    return journal;
  }

  /**
   * Goes on where an earlier run has stopped. What that has not written to the end is dropped.
   * @param tell takes each page, in order
   * @returns undefined where there is no journal
   * @throws {JournalError} when it is that of another sweep.
   */
  static resume(
    folder: string,
    name: string,
    head: JournalHead,
    tell: (page: PageResult) => void,
  ): { journal: Journal; kept: Kept } | undefined {
    if (!existsSync(path.join(folder, `${name}.ndjson`))) return undefined;
    try {
      return goOn(new Journal(folder, name, 'r+'), path.join(folder, `${name}.prints`));
    } catch (error) {
      // A line may lack anything, and anything may stand in place of a file.
      throw error instanceof JournalError ? error : unreadable(name);
    }

    function goOn(journal: Journal, file: string) {
      const kept = journal.#read(name, head, tell);
      if (!kept) {
        journal.close();
        return undefined;
      }
      const bytes = readFileSync(file).subarray(0, 4 * journal.#printed);
      if (bytes.length < 4 * journal.#printed) throw unreadable(name);
      ftruncateSync(journal.#lines, journal.#at);
      ftruncateSync(journal.#prints, bytes.length);
      return { journal, kept: { ...kept, prints: new Uint32Array(Uint8Array.from(bytes).buffer) } };
    }
  }

  /** Undefined where not even the head was written. */
  #read(name: string, head: JournalHead, tell: (page: PageResult) => void): Omit<Kept, 'prints'> | undefined {
    const kept: Omit<Kept, 'prints'> = { start: undefined, ended: false };
    for (const { text, end } of linesOf(this.#lines)) {
      if (this.#at === 0) assertSame(name, parsed(name, text), head);
      else {
        const line = parsed<Line>(name, text);
        if ('page' in line) {
          tell(line.page);
          this.#printed = line.prints;
        } else if ('start' in line) kept.start = line.start;
        else kept.ended = true;
      }
      this.#at = end;
    }
    return this.#at === 0 ? undefined : kept;
  }

  start(start: unknown): void {
    this.#write({ start });
  }

  /** A page with its prints, which come first: a line never names prints that are not there. */
  page(page: PageResult, added: Uint32Array): void {
    const bytes = Buffer.from(added.buffer, added.byteOffset, added.byteLength);
    writeSync(this.#prints, bytes, 0, bytes.length, 4 * this.#printed);
    this.#printed += added.length;
    this.#write({ page, prints: this.#printed });
  }

  end(): void {
    this.#write({ end: true });
  }

  #write(line: Line | JournalHead): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    writeSync(this.#lines, bytes, 0, bytes.length, this.#at);
    this.#at += bytes.length;
  }

  close(): void {
    closeSync(this.#lines);
    closeSync(this.#prints);
  }
}

/** Removes what earlier sweeps have left. */
export const removeJournals = (folder: string): void => rmSync(folder, { recursive: true, force: true });

function assertSame(name: string, found: Partial<JournalHead>, head: JournalHead): void {
  const other = (Object.keys(words) as (keyof JournalHead)[]).find((key) => found[key] !== head[key]);
  if (other)
    throw new JournalError(
      `RESUME=1: the journal sweep/${name}.ndjson in REPORTS_DIR is of another ${words[other]}; set what that run had, or unset RESUME to begin anew`,
    );
}

function parsed<T>(name: string, line: string): T {
  try {
    return JSON.parse(line);
  } catch {
    throw unreadable(name);
  }
}

const unreadable = (name: string) =>
  new JournalError(
    `RESUME=1: the journal sweep/${name}.ndjson in REPORTS_DIR cannot be read; unset RESUME to begin anew`,
  );
