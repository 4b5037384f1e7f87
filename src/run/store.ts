import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeAtomically } from '../client/files.ts';
import type { Behaviour } from '../questions/behaviour.ts';
import type { Observation } from '../redact/observation.ts';
import type { ShownRecord } from '../relations/relations.ts';
import type { SweepResult } from '../sweep/summary.ts';
import type { RunResults } from '../verdict/results.ts';

/** Stored results of a part of a run, such as all requests of `getCard`, or its sweep: redacted, plain JSON. */
export interface StoredPart {
  /** Number of requests that the client sent for a part of a run, retries included. */
  sent: number;
  /** Number of retries of requests for a part of a run, keyed by reason. */
  retries: Record<string, number>;
  /**
   * Share of `MAX_RPS` that the target had not limited by HTTP 429 so far: 1, 0.5, 0.25…; 0 if it limited even the slowest rate.
   */
  rateShare?: number;
  /** Observations of the requests for a part of a run, in the order in which reports show them. */
  observations: Observation[];
  /** Keyed hashes of the records in each response, in the order of `observations`; undefined for a response without records. */
  shown?: (ShownRecord[][] | undefined)[];
  /** Observations of 0 requests that describe contradictions between two responses. */
  contradictions?: Observation[];
  /** Keyed hashes of identifiers that name two different records. */
  ambiguousKeys?: string[];
  /** Parameters of the requests, and lookups, for later workers: Base64, encrypted with the key of the run (`seal`). */
  sealed?: string;
  /** Results of the sweeps of an operation; only in a part such as `listCustomers-sweep`. */
  sweeps?: SweepResult[];
  /** Answers to open questions; only in the part `behaviour`. */
  behaviour?: Behaviour;
  /** Observations of probes and fuzz requests; only in the part `behaviour`. */
  probes?: Observation[];
  /** Results of recorded traffic (`TRAFFIC`). A run that judges recordings sends nothing, and has no other results. */
  traffic?: RunResults;
  /** Addresses of the requirements that the previous run judged, such as `getCard/http/status`: this run must judge them, too. */
  judgedBefore?: string[];
  /** Reason why a run sent no requests for a part, or not all of them, in a sentence; undefined if it sent them. */
  problem?: string;
}

/**
 * Stored parts of a run: files in `REPORTS_DIR/observations/<runId>`, keyed by name. All workers share them: each part is made
 * once, and a worker that replaces another one reads it instead of sending the requests again. Also stores marks: files with a
 * short text.
 */
export class RunStore {
  /** Folder with the stored parts of a run: `REPORTS_DIR/observations/<runId>`. */
  readonly folder: string;
  /** Cache of stored parts that were read. Never invalidated, because a stored part does not change. */
  readonly #parts = new Map<string, StoredPart>();

  constructor(reportsDir: string, runId: string) {
    this.folder = path.join(reportsDir, 'observations', runId);
  }

  /** Reads a stored part of the run, such as `getCard`; undefined if it is not stored, or not yet. */
  read(name: string): StoredPart | undefined {
    const file = this.#fileOf(name);
    if (!this.#parts.has(name) && existsSync(file))
      this.#parts.set(name, JSON.parse(readFileSync(file, 'utf8')));
    return this.#parts.get(name);
  }

  /** Reads all parts that the run has stored so far, keyed by name. */
  readAll(): Record<string, StoredPart> {
    const names = this.#names('.json');
    return Object.fromEntries(
      names.flatMap((name) => (this.read(name) ? [[name, this.read(name) as StoredPart]] : [])),
    );
  }

  /** Lists the names of the parts that a worker has begun and not stored, because it still sends requests or has died. */
  unfinished(): string[] {
    const stored = this.#names('.json');
    return this.#names('.started').filter((name) => !stored.includes(name));
  }

  /**
   * Makes and stores a part, if no worker of the run has begun it. Otherwise waits until the other worker has stored it, or has
   * died. The file `<name>.started`, which holds the process id of its worker, claims the part.
   * @returns the part; `isNew` is true if this call has made it
   */
  async once(name: string, make: () => Promise<StoredPart>): Promise<{ part: StoredPart; isNew: boolean }> {
    const isClaimedHere = this.#create(`${name}.started`, String(process.pid));
    if (!isClaimedHere) return { part: await this.#waitFor(name), isNew: false };
    const part = await make();
    writeAtomically(this.#fileOf(name), JSON.stringify(part));
    return { part, isNew: true };
  }

  /**
   * Writes a mark: the file `<name>.mark` with a short text, such as the reason why a requirement is blocked. Does nothing if the
   * run has a mark of this name.
   * @returns true if this call has written the mark
   */
  mark = (name: string, text: string): boolean => this.#create(`${name}.mark`, text);

  /** Reads the text that a worker of the run has stored with `mark` under this name, such as `blocked`; undefined if none has. */
  readMark(name: string): string | undefined {
    const file = path.join(this.folder, `${name}.mark`);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /**
   * Creates a file in the folder of the run, unless the file exists.
   * @returns true for the one process that has created the file
   */
  #create(name: string, text: string): boolean {
    mkdirSync(this.folder, { recursive: true });
    try {
      // `wx` fails with EEXIST if the file exists, also if another process creates it at the same time.
      writeFileSync(path.join(this.folder, name), text, { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  /**
   * Waits until another worker has stored the part that it has begun, and returns the part. If that worker has died, returns a part
   * with a `problem`, because no request is to be sent twice.
   */
  async #waitFor(name: string): Promise<StoredPart> {
    for (;;) {
      // Checked before the part is read: a worker that stores the part and ends in between must not count as dead.
      const isAlive = isRunning(Number(readFileSync(this.#claimOf(name), 'utf8')));
      const part = this.read(name);
      if (part) return part;
      if (!isAlive) return { sent: 0, retries: {}, observations: [], problem: describeEndedWorker(name) };
      await pause(100);
    }
  }

  /** Lists the files in the folder of the run that have an ending such as `.json`, sorted and without the ending. */
  #names(ending: string): string[] {
    if (!existsSync(this.folder)) return [];
    const files = readdirSync(this.folder).filter((file) => file.endsWith(ending));
    return files.map((file) => path.basename(file, ending)).sort();
  }

  #fileOf = (name: string) => path.join(this.folder, `${name}.json`);
  #claimOf = (name: string) => path.join(this.folder, `${name}.started`);
}

/** Formats the `problem` of a part that a worker has begun, and has not stored before it died. */
export const describeEndedWorker = (name: string): string =>
  `the worker that sent the requests of ${name} ended before they were judged: it ran out of memory, or AUTH_MODULE ended it`;

/** Returns whether a process with this id exists on this machine, also if it belongs to another user. */
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
