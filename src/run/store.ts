import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeAtomically } from '../client/files.ts';
import type { Behaviour } from '../questions/behaviour.ts';
import type { Observation } from '../redact/observation.ts';
import type { HashedRecord } from '../relations/relations.ts';
import type { SweepResult } from '../sweep/summary.ts';
import type { RunResults } from '../verdict/results.ts';

/** Results of one part of a run, such as all requests of `getCard`, or the sweep of `listCustomers`. Redacted, plain JSON. */
export interface StoredPart {
  /** Number of requests, retries included. */
  sent: number;
  /** Number of retries, keyed by reason such as `HTTP 429 with Retry-After`. */
  retries: Record<string, number>;
  /** Share of `MAX_RPS` that the target did not limit by HTTP 429: 1, 0.5, 0.25…; 0 if it limited even the slowest rate. */
  rateShare?: number;
  observations: Observation[];
  /** Hashed records in each response, in the order of `observations`. */
  shown?: (HashedRecord[][] | undefined)[];
  /** Contradictions between two responses, as observations of 0 requests, because both responses are counted already. */
  contradictions?: Observation[];
  ambiguousKeys?: string[];
  /** Parameters of the requests, for a worker that replaces this one. Encrypted by `seal`, in Base64. */
  sealed?: string;
  /** Only in the result of a sweep, such as `listCustomers-sweep`. */
  sweeps?: SweepResult[];
  /** Only in the result `behaviour`. */
  behaviour?: Behaviour;
  probes?: Observation[];
  /** Only in the result `traffic`. */
  traffic?: RunResults;
  /** Addresses of requirements that the previous run judged, for the gate `run/judged`. */
  judgedBefore?: string[];
  problem?: string;
}

export const emptyPart: StoredPart = { sent: 0, retries: {}, observations: [] };

/** Stores the results of a run in `REPORTS_DIR/observations/<runId>`, for all its workers. Also stores marks: short texts. */
export class RunStore {
  readonly folder: string;
  /** Results that were read. Never invalidated, because a stored result does not change. */
  readonly #parts = new Map<string, StoredPart>();

  constructor(reportsDir: string, runId: string) {
    this.folder = path.join(reportsDir, 'observations', runId);
  }

  read(name: string): StoredPart | undefined {
    const file = this.#getResultFile(name);
    if (!this.#parts.has(name) && existsSync(file))
      this.#parts.set(name, JSON.parse(readFileSync(file, 'utf8')));
    return this.#parts.get(name);
  }

  readAll(): Record<string, StoredPart> {
    const names = this.#listNames('.json');
    return Object.fromEntries(names.map((name) => [name, this.read(name) as StoredPart]));
  }

  /** Lists the results that a worker has begun and not stored, because it still sends requests or has died. */
  listUnfinished(): string[] {
    const stored = this.#listNames('.json');
    return this.#listNames('.started').filter((name) => !stored.includes(name));
  }

  /**
   * Calls `make` and stores the result, unless another worker has claimed the name: then waits for its result. The file
   * `<name>.started`, with the process id of the worker, is the claim.
   * @returns the result; `isNew` is true if this call has made it
   */
  async makeOnce(
    name: string,
    make: () => Promise<StoredPart>,
  ): Promise<{ part: StoredPart; isNew: boolean }> {
    const isClaimedHere = this.#create(`${name}.started`, String(process.pid));
    if (!isClaimedHere) return { part: await this.#waitFor(name), isNew: false };
    const part = await make();
    writeAtomically(this.#getResultFile(name), JSON.stringify(part));
    return { part, isNew: true };
  }

  /** Writes a text to the file `<name>.mark`, unless it exists. Returns true if this call has written it. */
  mark = (name: string, text: string): boolean => this.#create(`${name}.mark`, text);

  readMark(name: string): string | undefined {
    const file = path.join(this.folder, `${name}.mark`);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** Creates a file in the folder of the run. If several processes call this at the same time, only one gets true. */
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

  /** Waits for the result of another worker. If it has died, the result is a `problem`, because no request may be sent twice. */
  async #waitFor(name: string): Promise<StoredPart> {
    for (;;) {
      // Checked before the part is read: a worker that stores the part and ends in between must not count as dead.
      const isAlive = isRunning(Number(readFileSync(this.#getClaimFile(name), 'utf8')));
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

  #getResultFile = (name: string) => path.join(this.folder, `${name}.json`);
  #getClaimFile = (name: string) => path.join(this.folder, `${name}.started`);
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
