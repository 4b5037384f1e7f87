import { createHash, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BrokenRequirement, JudgedResponse } from '../../schemas/judge/judged.ts';
import { CircuitBreaker, type HttpClient } from '../client/http-client.ts';
import type { RequestContext } from '../operations/request.ts';
import type { Observation } from '../redact/observation.ts';
import type { HashedRecord } from '../relations/relations.ts';
import { hasJournal, type JournalHead, openJournal, readJournal } from './journal.ts';
import type { PageRequest, SweepPlan } from './paging.ts';
import type { Progress } from './progress.ts';
import {
  addSweptCounts,
  countViolations,
  createEmptyCounts,
  interrupted,
  type SweepResult,
  type SweptCounts,
} from './summary.ts';

export interface SweepContext extends RequestContext {
  client: Pick<HttpClient, 'get' | 'countRequests'>;
  progress: Progress;
  totals: { add(observation: Observation): void };
  /** Results of all sweeps of the run. Each sweep adds its result at its start, and then updates it. */
  sweeps: SweepResult[];
}

/** Line in the journal: the plan of a sweep, a page, or a line of a file of identifiers. Holds no identifier, no value of a record. */
export interface SweptLine extends Partial<SweptCounts> {
  /** Number of the page from 0, or of the line in the file from 1. The line that holds the plan has -1. */
  number: number;
  plan?: SweepPlan;
  /** Request of the page; undefined if the line is not about a page. */
  request?: PageRequest;
  /** Keyed hashes of the record shapes (names and types of fields) that no earlier page has shown. */
  shapes?: string[];
  /** Keyed hashes of records, an array for each identifying field, such as `uuid`. Compared with the records of other pages. */
  shown?: HashedRecord[][];
  observations: Observation[];
}

/** Base class of the sweeps of a list and of a file of identifiers: holds the result, the journal and a circuit breaker. */
export class Sweep {
  readonly context: SweepContext;
  readonly result: SweepResult;
  /** Numbers (`SweptLine.number`) of the pages or lines in the journal. */
  readonly done = new Set<number>();
  #appendToJournal: ((line: SweptLine) => void) | undefined;
  #countedRequests: number;

  constructor(
    context: SweepContext,
    description: Omit<SweepResult, keyof SweptCounts | 'counted' | 'shard'>,
  ) {
    const { shard } = context.target;
    this.context = { ...context, breaker: new CircuitBreaker() };
    this.result = { ...description, ...(shard ? { shard } : {}), counted: 0, ...createEmptyCounts() };
    this.#countedRequests = context.client.countRequests();
    context.sweeps.push(this.result);
  }

  /**
   * Opens the journal. With `RESUME`, passes each line of the earlier run to `onLine`, and then adds its counts to the result.
   * @throws {JournalError} if the earlier run had other settings
   */
  async open(onLine: (line: SweptLine) => void = () => {}): Promise<void> {
    const { context, result } = this;
    const head = createJournalHead(context);
    this.#appendToJournal = await openJournal(context.target, result.journal, head, result, (line) => {
      onLine(line);
      this.add(line);
    });
  }

  /** Adds a line, with the number of requests since the previous line, to the journal, the result and the totals of the run. */
  add(line: SweptLine): void {
    const lineWithRequests = { ...line, requests: (line.requests ?? 0) + this.#countNewRequests() };
    this.#appendToJournal?.(lineWithRequests);
    const isPlan = line.number < 0;
    if (!isPlan) this.done.add(line.number);
    addSweptCounts(this.result, lineWithRequests);
    for (const observation of line.observations) this.context.totals.add(observation);
  }

  #countNewRequests(): number {
    const earlier = this.#countedRequests;
    this.#countedRequests = this.context.client.countRequests();
    return this.#countedRequests - earlier;
  }

  /**
   * Stores why the sweep ends early. Does not end it: the caller must send no more requests.
   * @param firstUnjudged index in the list, from 0, of the first record that is not judged
   */
  stopAt(firstUnjudged: number, reason: string): void {
    this.result.stopped = reason;
    this.result.failed.push({ from: firstUnjudged + 1, to: undefined, reason });
  }

  show(records: number, total: number): void {
    const { noun } = this.result;
    this.context.progress.show({ noun, records, total, violations: countViolations(this.result) });
  }

  close(): void {
    this.context.progress.flush();
    addSweptCounts(this.result, { requests: this.#countNewRequests() });
  }
}

export function applyPlan(result: SweepResult, { sample, counted }: SweepPlan): void {
  result.counted = counted;
  result.mode = sample ? 'sample' : 'all';
  if (!sample) return;
  result.seed = sample.seed;
  // The population from which the sample was drawn.
  result.drawn = sample;
}

/** Restores the result of an interrupted sweep from its journal. Undefined if the sweep had not begun. */
export async function readInterruptedSweep(
  reportsDir: string,
  journal: string,
  onObservation: (observation: Observation) => void,
): Promise<SweepResult | undefined> {
  if (!hasJournal(reportsDir, journal)) return undefined;
  let result: SweepResult | undefined;
  for await (const line of readJournal<SweptLine & { sweep?: SweepResult }>(reportsDir, journal)) {
    // The first line holds the result at the start of the sweep.
    const { sweep: initialResult, plan } = line;
    result ??= initialResult;
    if (!result || initialResult) continue;
    if (plan) applyPlan(result, plan);
    addSweptCounts(result, line);
    for (const observation of line.observations) onObservation(observation);
  }
  if (!result) return undefined;
  const { list, places: lastPosition, pages: lineCount } = result;
  // The journal holds the records of a list (or the lines of a file of identifiers) up to this one.
  const lastJudged = list ? lastPosition : lineCount;
  const failed = [...result.failed, { from: lastJudged + 1, to: undefined, reason: interrupted }];
  return { ...result, stopped: interrupted, failed };
}

/** Returns the requirements that a response violates. With `PROFILE=observed`, leaves out deviations that the ledger accepts. */
export const filterViolations = (
  { target: { profile } }: SweepContext,
  { broken }: JudgedResponse,
): BrokenRequirement[] =>
  profile === 'observed' ? broken.filter(({ entry: ledgerEntry }) => ledgerEntry === undefined) : broken;

/** Returns the key for hashes of swept records. All shards, and a resumed run, share it, so that their hashes can be compared. */
export const createHashKey = ({ contract: { hash }, target: { baseUrl, name } }: SweepContext) =>
  `${hash} ${name} ${baseUrl ?? ''}`;

/** Lists the settings of this sweep, named as in the message to a user who resumes the journal with other settings. */
function createJournalHead(context: SweepContext): JournalHead {
  const { name, baseUrl, sweep, sweepSeed, shard, profile } = context.target;
  return {
    'version of this suite': hashJournalModules(),
    target: hash('sha256', `${name} ${baseUrl}`),
    contract: context.contract.hash,
    profile,
    SWEEP: `${sweep}${sweepSeed === undefined ? '' : `, seed ${sweepSeed}`}`,
    shard: shard ? `${shard.current}/${shard.total}` : 'all',
  };
}

/** Hashes the modules that declare what a line of a journal holds, so that no journal of an earlier version is resumed. */
function hashJournalModules(): string {
  const fileHash = createHash('sha256');
  for (const module of [
    'sweep.ts',
    'summary.ts',
    'paging.ts',
    '../redact/observation.ts',
    '../relations/relations.ts',
  ])
    fileHash.update(readFileSync(new URL(module, import.meta.url)));
  return fileHash.digest('hex');
}
