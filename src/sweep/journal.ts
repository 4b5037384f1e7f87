import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

/** What a sweep is of: a journal of another one is not resumed, and not merged. */
export type JournalHead = Record<keyof typeof labels, string>;

const labels = {
  version: 'version of this suite',
  target: 'target',
  key: 'SWEEP_KEY',
  contract: 'contract',
  profile: 'profile',
  mode: 'SWEEP',
  shard: 'shard',
} as const;

/** A journal is of another sweep, or cannot be read; the message is for people. */
export class JournalError extends Error {
  override name = 'JournalError';
}

/** Folder of the journals of a run. */
export const journalsIn = (reportsDir: string) => path.join(reportsDir, 'sweep');

/** Removes what earlier sweeps have left. */
export const removeJournals = (reportsDir: string): void =>
  rmSync(journalsIn(reportsDir), { recursive: true, force: true });

const fileOf = (reportsDir: string, name: string, extension: 'ndjson' | 'hashes') =>
  path.join(journalsIn(reportsDir), `${name}.${extension}`);

/**
 * What a sweep has done so far, in `REPORTS_DIR`: a line for each page, written before the next one is judged, and beside it the
 * hashes of its records. Both only grow, and what was written stays when the process is killed.
 */
export interface Journal<Line> {
  /** @param hashes of the records of a page, as `Relations` takes them back */
  add(line: Line, hashes?: Uint32Array[]): void;
  close(): void;
}

type OnLine<Line> = (line: Line, hashes: Uint32Array[]) => void;

/**
 * Opens the journal of a sweep: one of an earlier run if that shall be resumed and there is one, else a new one.
 * @param onLine receives each whole line of the earlier run, in order, with the hashes of its records
 * @throws {JournalError} when the earlier one is that of another sweep, or cannot be read.
 */
export async function openJournal<Line extends object>(
  { reportsDir, resume }: { reportsDir: string; resume: boolean },
  name: string,
  head: JournalHead,
  onLine: OnLine<Line>,
): Promise<Journal<Line>> {
  const [file, beside] = [fileOf(reportsDir, name, 'ndjson'), fileOf(reportsDir, name, 'hashes')];
  const check = (found: JournalHead) => assertSame(name, found, head);
  const ends = resume && existsSync(file) ? await readJournal(reportsDir, name, check, onLine) : undefined;
  mkdirSync(journalsIn(reportsDir), { recursive: true });
  if (ends) {
    // What an earlier run has not written to its end.
    truncateSync(file, ends.lines);
    truncateSync(beside, ends.hashes);
  }
  const [lines, hashes] = [openSync(file, ends ? 'a' : 'w'), openSync(beside, ends ? 'a' : 'w')];
  const write = (line: unknown) => writeSync(lines, `${JSON.stringify(line)}\n`);
  if (!ends) write(head);
  return {
    add(line, added = []) {
      // They come first: no line names hashes that are not there.
      for (const { buffer, byteOffset, byteLength } of added)
        writeSync(hashes, Buffer.from(buffer, byteOffset, byteLength));
      write({ ...line, kept: added.map(({ length }) => length) });
    },
    close() {
      closeSync(lines);
      closeSync(hashes);
    },
  };
}

/**
 * Hands over what a journal holds.
 * @returns the bytes of what was written to its end; undefined where not even the head was
 * @throws {JournalError} when it cannot be read.
 */
export async function readJournal<Line extends object>(
  reportsDir: string,
  name: string,
  onHead: (head: JournalHead) => void,
  onLine: OnLine<Line>,
): Promise<{ lines: number; hashes: number } | undefined> {
  const ends = { lines: 0, hashes: 0 };
  try {
    const hashes = Uint8Array.from(readFileSync(fileOf(reportsDir, name, 'hashes'))).buffer;
    const take = (length: number) => {
      ends.hashes += 4 * length;
      return new Uint32Array(hashes, ends.hashes - 4 * length, length);
    };
    for await (const { text, end } of linesOf(fileOf(reportsDir, name, 'ndjson'))) {
      const line = JSON.parse(text);
      if (ends.lines === 0) onHead(line);
      else onLine(line, line.kept.map(take));
      ends.lines = end;
    }
  } catch (error) {
    // A line may lack anything, and anything may stand in place of a file.
    throw error instanceof JournalError ? error : unreadable(name);
  }
  return ends.lines === 0 ? undefined : ends;
}

const unreadable = (name: string) =>
  new JournalError(
    `the journal sweep/${name}.ndjson in REPORTS_DIR cannot be read; sweep anew, without RESUME`,
  );

/** @throws {JournalError} when a journal is that of another sweep. */
function assertSame(name: string, found: Partial<JournalHead>, head: JournalHead): void {
  const other = (Object.keys(labels) as (keyof JournalHead)[]).find((key) => found[key] !== head[key]);
  if (other)
    throw new JournalError(
      `RESUME=1: the journal sweep/${name}.ndjson in REPORTS_DIR is of another ${labels[other]}; set what that run had, or unset RESUME to begin anew`,
    );
}

/**
 * The lines of a file that end with a line feed, and where the next one begins. @param keepsRest whether a last one without it counts
 * @throws when one is longer than 64 MiB.
 */
export async function* linesOf(
  file: string,
  keepsRest = false,
): AsyncGenerator<{ text: string; end: number }> {
  let [rest, end] = [Buffer.alloc(0), 0];
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([rest, chunk.subarray(from, at)]);
      [rest, from, end] = [Buffer.alloc(0), at + 1, end + line.length + 1];
      yield { text: line.toString(), end };
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > longestLine) throw new Error(`${path.basename(file)} has a line of more than 64 MiB`);
  }
  if (keepsRest && rest.length > 0) yield { text: rest.toString(), end: end + rest.length };
}

const longestLine = 64 << 20;
