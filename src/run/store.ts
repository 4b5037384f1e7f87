import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeAtomically } from '../client/files.ts';
import type { Behaviour } from '../questions/behaviour.ts';
import type { Observation } from '../redact/observation.ts';
import type { HashedRecord } from '../relations/relations.ts';
import type { SweepResult } from '../sweep/summary.ts';
import type { RunResults } from '../verdict/results.ts';

/** Results of a part of a run, such as all requests of `getCard`, or its sweep. Redacted, plain JSON. */
export interface StoredPart {
  /** Number of requests, retries included. */
  sent: number;
  retries: Record<string, number>;
  /** Share of `MAX_RPS` that the target did not limit by HTTP 429: 1, 0.5, 0.25…; 0 if it limited even the slowest rate. */
  rateShare?: number;
  observations: Observation[];
  /** Keyed hashes of the records in each response, in the order of `observations`; undefined for a response without records. */
  shown?: (HashedRecord[][] | undefined)[];
  /** Contradictions between two responses, as observations that count 0 requests. */
  contradictions?: Observation[];
  ambiguousKeys?: string[];
  /** Parameters of the requests, and lookups, for later workers: encrypted by `seal`, in Base64. */
  sealed?: string;
  /** Results of sweeps; only in a part such as `listCustomers-sweep`. */
  sweeps?: SweepResult[];
  /** Answers to open questions; only in the part `behaviour`. */
  behaviour?: Behaviour;
  probes?: Observation[];
  /** Results of recordings (`TRAFFIC`); only in the part `traffic`. */
  traffic?: RunResults;
  /** Addresses of the requirements that the previous run judged, such as `getCard/http/status`: this run must judge them, too. */
  judgedBefore?: string[];
  /** Sentence with the reason why requests were not sent; undefined if all were sent. */
  problem?: string;
}

export const emptyPart: StoredPart = { sent: 0, retries: {}, observations: [] };

/**
 * Parts of a run, stored in `REPORTS_DIR/observations/<runId>` for all workers, so that each part is made once. Also stores
 * marks: files with a short text.
 */
export class RunStore {
  readonly folder: string;
  /** Cache of read parts, never invalidated, because a stored part does not change. */
  readonly #parts = new Map<string, StoredPart>();

  constructor(reportsDir: string, runId: string) {
    this.folder = path.join(reportsDir, 'observations', runId);
  }

  read(name: string): StoredPart | undefined {
    const file = this.#fileOf(name);
    if (!this.#parts.has(name) && existsSync(file))
      this.#parts.set(name, JSON.parse(readFileSync(file, 'utf8')));
    return this.#parts.get(name);
  }

  readAll(): Record<string, StoredPart> {
    const parts: Record<string, StoredPart> = {};
    for (const name of this.#listNames('.json')) {
      const part = this.read(name);
      if (part) parts[name] = part;
    }
    return parts;
  }

  /** Lists the parts that a worker has begun and not stored, because it still sends requests or has died. */
  listUnfinished(): string[] {
    const stored = this.#listNames('.json');
    return this.#listNames('.started').filter((name) => !stored.includes(name));
  }

  /**
   * Makes and stores a part, if no worker of the run has begun it. Otherwise waits for the other worker. The file
   * `<name>.started` claims the part with the process id of its worker.
   * @returns the part; `isNew` is true if this call has made it
   */
  async makeOnce(
    name: string,
    make: () => Promise<StoredPart>,
  ): Promise<{ part: StoredPart; isNew: boolean }> {
    const isClaimedHere = this.#create(`${name}.started`, String(process.pid));
    if (!isClaimedHere) return { part: await this.#waitFor(name), isNew: false };
    const part = await make();
    writeAtomically(this.#fileOf(name), JSON.stringify(part));
    return { part, isNew: true };
  }

  /** Writes the text of a mark to `<name>.mark`, unless the run has this mark. Returns true if this call has written the mark. */
  mark = (name: string, text: string): boolean => this.#create(`${name}.mark`, text);

  /** Reads the text that a worker of the run has stored with `mark` under this name, such as `blocked`; undefined if none has. */
  readMark(name: string): string | undefined {
    const file = path.join(this.folder, `${name}.mark`);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** Creates a file in the folder of the run. @returns true for the one process that has created it */
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
   * Waits until another worker has stored a part. A worker that died leaves a part with a `problem`, because no request is to be
   * sent twice.
   */
  async #waitFor(name: string): Promise<StoredPart> {
    for (;;) {
      // Checked before the part is read: a worker that stores the part and ends in between must not count as dead.
      const isAlive = isRunning(Number(readFileSync(this.#claimOf(name), 'utf8')));
      const part = this.read(name);
      if (part) return part;
      if (!isAlive) return { ...emptyPart, problem: describeEndedWorker(name) };
      await pause(100);
    }
  }

  #listNames(ending: string): string[] {
    if (!existsSync(this.folder)) return [];
    const files = readdirSync(this.folder).filter((file) => file.endsWith(ending));
    return files.map((file) => path.basename(file, ending)).sort();
  }

  #fileOf = (name: string) => path.join(this.folder, `${name}.json`);
  #claimOf = (name: string) => path.join(this.folder, `${name}.started`);
}

export const describeEndedWorker = (name: string): string =>
  `the worker that sent the requests of ${name} ended before they were judged: it ran out of memory, or AUTH_MODULE ended it`;

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
