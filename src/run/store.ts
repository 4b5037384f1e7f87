import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeAtomically } from '../client/files.ts';
import type { Behaviour } from '../questions/behaviour.ts';
import type { Observation } from '../redact/observation.ts';
import type { ShownRecord } from '../relations/relations.ts';
import type { SweepResult } from '../sweep/summary.ts';
import type { RunResults } from '../verdict/results.ts';

/** Stored results of one piece of a run, such as all requests of `getCard`, or its sweep: redacted, plain JSON. */
export interface StoredPart {
  /** Number of requests that the client sent, retries included. */
  sent: number;
  /** Number of retries, keyed by reason. */
  retries: Record<string, number>;
  /**
   * Share of `MAX_RPS` that the target had not limited by HTTP 429 so far: 1, 0.5, 0.25…; 0 if it limited even the slowest rate.
   */
  rateShare?: number;
  /** Observations in the order in which reports show them. */
  observations: Observation[];
  /** Hashed records of each response, in the order of `observations`. */
  shown?: (ShownRecord[][] | undefined)[];
  /** Findings about contradictions between responses. */
  contradictions?: Observation[];
  /** Hashes of identifiers that name two different records. */
  ambiguousKeys?: string[];
  /** Identifiers and other values for later workers, encrypted with the key of the run. */
  sealed?: string;
  sweeps?: SweepResult[];
  behaviour?: Behaviour;
  probes?: Observation[];
  /** Results of recorded traffic (`TRAFFIC`). A run that judges recordings sends nothing, and has no other results. */
  traffic?: RunResults;
  /** Addresses of the requirements that the previous run judged, such as `getCard/http/status`: this run must judge them, too. */
  judgedBefore?: string[];
  /** Reason for sending nothing, or not everything, in one sentence. */
  problem?: string;
}

/**
 * Parts of a run as files in `REPORTS_DIR/observations/<runId>`, keyed by name. Shared by all workers: each part is made once, and
 * a worker that replaces another one reads stored parts instead of sending again. Also holds marks, files with a short text.
 */
export class RunStore {
  readonly folder: string;
  /** Cache of parts that were read. Never invalidated, because a stored part never changes. */
  readonly #parts = new Map<string, StoredPart>();

  constructor(reportsDir: string, runId: string) {
    this.folder = path.join(reportsDir, 'observations', runId);
  }

  /** Reads a stored part; undefined if there is none. */
  read(name: string): StoredPart | undefined {
    const file = this.#fileOf(name);
    if (!this.#parts.has(name) && existsSync(file))
      this.#parts.set(name, JSON.parse(readFileSync(file, 'utf8')));
    return this.#parts.get(name);
  }

  /** Reads all stored parts, keyed by name. */
  readAll(): Record<string, StoredPart> {
    const names = this.#names('.json');
    return Object.fromEntries(
      names.flatMap((name) => (this.read(name) ? [[name, this.read(name) as StoredPart]] : [])),
    );
  }

  /** Lists the parts that a worker has begun and not stored: it still sends requests, or has died. */
  unfinished(): string[] {
    const stored = this.#names('.json');
    return this.#names('.started').filter((name) => !stored.includes(name));
  }

  /**
   * Makes and stores a part, unless a worker of the run has begun it: then waits until that worker has stored it. The file
   * `<name>.started` with the process id claims the part.
   * @returns the part; `isNew` is true if this call made it
   */
  async once(name: string, make: () => Promise<StoredPart>): Promise<{ part: StoredPart; isNew: boolean }> {
    const isOwn = this.#create(`${name}.started`, String(process.pid));
    if (!isOwn) return { part: await this.#waitFor(name), isNew: false };
    const part = await make();
    writeAtomically(this.#fileOf(name), JSON.stringify(part));
    return { part, isNew: true };
  }

  /** Writes a mark, unless the run has a mark of this name. @returns true if this call wrote it */
  mark = (name: string, text: string): boolean => this.#create(`${name}.mark`, text);

  /** Reads the text of a mark; undefined if there is none. */
  readMark(name: string): string | undefined {
    const file = path.join(this.folder, `${name}.mark`);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** Creates a file, unless it exists. @returns true for the one process that created the file */
  #create(name: string, text: string): boolean {
    mkdirSync(this.folder, { recursive: true });
    try {
      writeFileSync(path.join(this.folder, name), text, { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  /**
   * Waits until another worker has stored a part. If that worker has died, returns a part with a `problem`: nothing is sent again.
   */
  async #waitFor(name: string): Promise<StoredPart> {
    for (;;) {
      // Checked before reading: a worker that stores the part and then ends must not count as dead.
      const isAlive = isRunning(Number(readFileSync(this.#claimOf(name), 'utf8')));
      const part = this.read(name);
      if (part) return part;
      if (!isAlive) return { sent: 0, retries: {}, observations: [], problem: describeEndedWorker(name) };
      await pause(100);
    }
  }

  /** Lists the files of the store with an ending such as `.json`, sorted and without the ending. */
  #names(ending: string): string[] {
    if (!existsSync(this.folder)) return [];
    const files = readdirSync(this.folder).filter((file) => file.endsWith(ending));
    return files.map((file) => path.basename(file, ending)).sort();
  }

  #fileOf = (name: string) => path.join(this.folder, `${name}.json`);
  #claimOf = (name: string) => path.join(this.folder, `${name}.started`);
}

/** Formats the problem of a part whose worker died before storing it. */
export const describeEndedWorker = (name: string): string =>
  `the worker that sent the requests of ${name} ended before they were judged: it ran out of memory, or AUTH_MODULE ended it`;

/** Returns whether a process with this id exists. */
function isRunning(pid: number): boolean {
  try {
    // Signal 0 only checks that the process exists.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
