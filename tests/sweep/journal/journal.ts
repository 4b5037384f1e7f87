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
import type { PageResult } from '../results/tally.ts';
import { assertSame, JournalError, type JournalHead, parsed, unreadable } from './journal-head.ts';
import { linesOf } from './lines-of-file.ts';

/**
 * After the head: what was found out before the first page, each page, and that a sweep has stopped, or reached the end.
 * Beside pages, with the requests that were sent and are in no line before.
 */
type Line = { start: unknown; requests: number } | { page: PageResult; prints: number } | StopLine;
type StopLine = { end: boolean; isEndShown: boolean; requests: number };

/** What an earlier run has left, beside the pages. */
export interface EarlierSweep {
  start: unknown;
  prints: Uint32Array;
  ended: boolean;
  /** Whether a page has shown that end which reaches across it. */
  isEndShown: boolean;
  /** Requests that are counted with no page. */
  requests: number;
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

  /**
   * The journal of a sweep: one of an earlier run if that shall be resumed and there is one, else a new one.
   * @param onPage receives each page of an earlier run, in order
   * @throws {JournalError} when the earlier one is that of another sweep.
   */
  static open(
    { reportsDir, resume }: { reportsDir: string; resume: boolean },
    name: string,
    head: JournalHead,
    onPage: (page: PageResult) => void,
  ): { journal: Journal; earlier?: EarlierSweep } {
    const folder = journalsIn(reportsDir);
    const found = resume ? Journal.#resume(folder, name, head, onPage) : undefined;
    return found ?? { journal: Journal.#create(folder, name, head) };
  }

  static #create(folder: string, name: string, head: JournalHead): Journal {
    mkdirSync(folder, { recursive: true });
    const journal = new Journal(folder, name, 'w+');
    journal.#write(head);
    return journal;
  }

  /** What an earlier run has not written to the end is dropped. @returns undefined where there is no journal */
  static #resume(
    folder: string,
    name: string,
    head: JournalHead,
    onPage: (page: PageResult) => void,
  ): { journal: Journal; earlier: EarlierSweep } | undefined {
    if (!existsSync(path.join(folder, `${name}.ndjson`))) return undefined;
    try {
      return goOn(new Journal(folder, name, 'r+'), path.join(folder, `${name}.prints`));
    } catch (error) {
      // A line may lack anything, and anything may stand in place of a file.
      throw error instanceof JournalError ? error : unreadable(name);
    }

    function goOn(journal: Journal, file: string) {
      const earlier = journal.#read(name, head, onPage);
      if (!earlier) {
        journal.close();
        return undefined;
      }
      const bytes = readFileSync(file).subarray(0, 4 * journal.#printed);
      if (bytes.length < 4 * journal.#printed) throw unreadable(name);
      ftruncateSync(journal.#lines, journal.#at);
      ftruncateSync(journal.#prints, bytes.length);
      return { journal, earlier: { ...earlier, prints: new Uint32Array(Uint8Array.from(bytes).buffer) } };
    }
  }

  /** Undefined where not even the head was written. */
  #read(
    name: string,
    head: JournalHead,
    onPage: (page: PageResult) => void,
  ): Omit<EarlierSweep, 'prints'> | undefined {
    const earlier: Omit<EarlierSweep, 'prints'> = {
      start: undefined,
      ended: false,
      isEndShown: false,
      requests: 0,
    };
    for (const { text, end } of linesOf(this.#lines)) {
      if (this.#at === 0) assertSame(name, parsed(name, text), head);
      else {
        const line = parsed<Line>(name, text);
        if ('page' in line) {
          onPage(line.page);
          this.#printed = line.prints;
        } else {
          earlier.requests += line.requests;
          if ('start' in line) earlier.start = line.start;
          else [earlier.ended, earlier.isEndShown] = [line.end, line.isEndShown];
        }
      }
      this.#at = end;
    }
    return this.#at === 0 ? undefined : earlier;
  }

  start(start: unknown, requests: number): void {
    this.#write({ start, requests });
  }

  /** A page with its prints, which come first: a line never names prints that are not there. */
  page(page: PageResult, added: Uint32Array): void {
    const bytes = Buffer.from(added.buffer, added.byteOffset, added.byteLength);
    writeSync(this.#prints, bytes, 0, bytes.length, 4 * this.#printed);
    this.#printed += added.length;
    this.#write({ page, prints: this.#printed });
  }

  /** That a sweep goes no further for now, or has reached its end. */
  stop(line: StopLine): void {
    this.#write(line);
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

/** Folder of the journals of a run. */
export const journalsIn = (reportsDir: string) => path.join(reportsDir, 'sweep');

/** Removes what earlier sweeps have left. */
export const removeJournals = (reportsDir: string): void =>
  rmSync(journalsIn(reportsDir), { recursive: true, force: true });
