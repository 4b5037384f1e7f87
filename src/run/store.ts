import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeAtomically } from '../client/files.ts';
import type { Behaviour } from '../questions/behaviour.ts';
import type { Observation } from '../redact/observation.ts';
import type { SweepResult } from '../sweep/summary.ts';
import type { RunResults } from '../verdict/results.ts';

/** Result of one part of a run, such as the operation `getCard`. The sweep of an operation is a separate part (`getCard-sweep`). */
export interface StoredResult {
  /** Number of requests, retries included. */
  sent: number;
  /** Number of retries by reason, such as `HTTP 429 with Retry-After`. */
  retries: Record<string, number>;
  /** Request rate as a share of `maxRps` (`Pace.share`). If undefined, the share counts as 1. */
  rateShare?: number;
  // Redacted, except for exchanges with the embedded mock.
  observations: Observation[];
  /** Contradictions between responses. Each has `requests: 0`, because the compared observations count the requests already. */
  contradictions?: Observation[];
  /**
   * Encrypted `SealedContent`, from which other workers restore the requests. Only results of operations and of `checkApi` have
   * this property.
   */
  sealed?: string;
  sweeps?: SweepResult[];
  behaviour?: Behaviour;
  probes?: Observation[];
  traffic?: RunResults;
  /** Addresses as in `RunResults.judgedBefore`. Only the stored result `run` has this property. */
  judgedBefore?: string[];
  problem?: string;
}

export const emptyStoredResult: StoredResult = { sent: 0, retries: {}, observations: [] };

/** Names of stored results that do not belong to one operation. */
export const resultNames = {
  /** Name of the stored result that lists the requirements judged by earlier runs. */
  run: 'run',
  /** Name of the stored result that reports a mistake in the configuration or the contract. */
  session: 'session',
  /** Name of the stored result of `checkApi`, which checks that the target is this API. */
  api: 'api',
  behaviour: 'behaviour',
  traffic: 'traffic',
} as const;

export const getSweepResultName = (operation: string): string => `${operation}-sweep`;

/** Stores results of a run in `REPORTS_DIR/observations/<runId>`, where all workers can read them. */
export class RunStore {
  readonly folder: string;
  readonly #results = new Map<string, StoredResult>();

  constructor(reportsDir: string, runId: string) {
    this.folder = path.join(reportsDir, 'observations', runId);
  }

  read(name: string): StoredResult | undefined {
    const cachedResult = this.#results.get(name);
    if (cachedResult) return cachedResult;
    const file = this.#getResultFile(name);
    if (!existsSync(file)) return undefined;
    const result = JSON.parse(readFileSync(file, 'utf8')) as StoredResult;
    this.#results.set(name, result);
    return result;
  }

  readAll(): Record<string, StoredResult> {
    const names = this.#listNames('.json');
    return Object.fromEntries(names.map((name) => [name, this.read(name) as StoredResult]));
  }

  /** Lists the names of results that workers have begun to create, but not stored yet, such as `getCard`. */
  listUnfinishedNames(): string[] {
    const stored = this.#listNames('.json');
    return this.#listNames('.started').filter((name) => !stored.includes(name));
  }

  /**
   * Creates and stores a result, but only once in a run. If an earlier call has begun to create the result, waits until that call
   * has stored the result.
   * @returns `isNew` is true if this call created the result. If the worker of the earlier call ended without storing the result,
   *   `result` has a `problem`.
   */
  async createOnce(
    name: string,
    createResult: () => Promise<StoredResult>,
  ): Promise<{ result: StoredResult; isNew: boolean }> {
    // The process id lets a waiting worker find out whether this one has died.
    const isNew = this.#createFile(`${name}.started`, String(process.pid));
    if (!isNew) return { result: await this.#waitFor(name), isNew };
    const result = await createResult();
    writeAtomically(this.#getResultFile(name), JSON.stringify(result));
    return { result, isNew };
  }

  /** Creates the file `<name>.mark` with `text` as its content. Returns false if the file exists already. */
  mark = (name: string, text: string): boolean => this.#createFile(`${name}.mark`, text);

  readMark(name: string): string | undefined {
    const file = path.join(this.folder, `${name}.mark`);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  #createFile(name: string, text: string): boolean {
    mkdirSync(this.folder, { recursive: true });
    try {
      // `wx` fails with EEXIST if the file exists. Of two processes at the same time, only one succeeds.
      writeFileSync(path.join(this.folder, name), text, { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  async #waitFor(name: string): Promise<StoredResult> {
    for (;;) {
      const processId = Number(readFileSync(path.join(this.folder, `${name}.started`), 'utf8'));
      // Checked before the result is read, because the worker may store its result and end in between.
      const isAlive = isRunning(processId);
      const result = this.read(name);
      if (result) return result;
      if (!isAlive) return { ...emptyStoredResult, problem: describeEndedWorker(name) };
      await pause(100);
    }
  }

  #listNames(ending: string): string[] {
    if (!existsSync(this.folder)) return [];
    const files = readdirSync(this.folder).filter((file) => file.endsWith(ending));
    return files.map((file) => path.basename(file, ending)).sort();
  }

  #getResultFile = (name: string) => path.join(this.folder, `${name}.json`);
}

export const describeEndedWorker = (name: string): string =>
  `the worker that sent the requests of ${name} ended before they were judged: it ran out of memory, or AUTH_MODULE ended it`;

function isRunning(processId: number): boolean {
  try {
    // Signal 0 only checks that the process exists.
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
