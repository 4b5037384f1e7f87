import { hash } from 'node:crypto';
import type { BrokenRequirement, Judged } from '../../schemas/judge/judged.ts';
import { CircuitBreaker, type HttpClient } from '../client/http-client.ts';
import type { RequestContext } from '../operations/request.ts';
import type { Observation } from '../redact/observation.ts';
import type { ShownRecord } from '../relations/relations.ts';
import { hasJournal, type JournalHead, openJournal, readJournal } from './journal.ts';
import type { PageRequest, SweepPlan } from './paging.ts';
import type { Progress } from './progress.ts';
import {
  addCounts,
  countViolations,
  createEmptyCounts,
  interrupted,
  type SweepResult,
  type SweptCounts,
} from './summary.ts';

/** Client, settings and receivers of all sweeps of a run. */
export interface SweepContext extends RequestContext {
  /** Client that also counts its requests (`sent`). */
  client: Pick<HttpClient, 'get' | 'sent'>;
  progress: Progress;
  /** Receives each observation of a sweep. */
  totals: { add(observation: Observation): void };
  /** Results of all sweeps. A sweep adds its result at its start, and updates it. */
  sweeps: SweepResult[];
}

/** Line of the journal: counts and observations of a page, or of a line of a file. Holds no value and no identifier. */
export interface SweptLine extends Partial<SweptCounts> {
  /** Number of a page from 0, or of a line of a file from 1; -1 for the plan, which comes before the first page. */
  number: number;
  /** Plan of a list, in the line of number -1. */
  plan?: SweepPlan;
  /** Request of the page. */
  request?: PageRequest;
  /** Keyed hashes of the shapes of records that no earlier page has shown. */
  shapes?: string[];
  /** Keyed hashes of the records of the page. */
  shown?: ShownRecord[][];
  observations: Observation[];
}

/**
 * Base class of sweeps: keeps the result and its journal. Has a circuit breaker of its own, which stops all further requests of the
 * sweep once the target does not respond.
 */
export class Sweep {
  readonly context: SweepContext;
  readonly result: SweepResult;
  /** Numbers of the pages, or lines of a file, that are in the journal. */
  readonly done = new Set<number>();
  #appendToJournal: ((line: SweptLine) => void) | undefined;
  /** Value of `client.sent()` when requests were last counted. */
  #countedRequests: number;

  constructor(
    context: SweepContext,
    description: Omit<SweepResult, keyof SweptCounts | 'counted' | 'shard'>,
  ) {
    const { shard } = context.target;
    this.context = { ...context, breaker: new CircuitBreaker() };
    this.result = { ...description, ...(shard ? { shard } : {}), counted: 0, ...createEmptyCounts() };
    this.#countedRequests = context.client.sent();
    context.sweeps.push(this.result);
  }

  /**
   * Opens the journal. With `RESUME`, adds the lines of the earlier run to the result, each after passing it to `onLine`.
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

  /**
   * Adds a line to the result, to `done` and to the totals, with the number of requests since the previous line. Appends the line
   * to the journal, except while `open` reads the journal.
   */
  add(line: SweptLine): void {
    const lineWithRequests = { ...line, requests: (line.requests ?? 0) + this.#countNewRequests() };
    this.#appendToJournal?.(lineWithRequests);
    if (line.number >= 0) this.done.add(line.number);
    addCounts(this.result, lineWithRequests);
    for (const observation of line.observations) this.context.totals.add(observation);
  }

  /** Returns the number of requests since the last call. */
  #countNewRequests(): number {
    const earlier = this.#countedRequests;
    this.#countedRequests = this.context.client.sent();
    return this.#countedRequests - earlier;
  }

  /** Notes why the sweep ends early; the caller then stops. @param place index of the first record that is not judged, from 0 */
  stopAt(place: number, reason: string): void {
    this.result.stopped = reason;
    this.result.failed.push({ from: place + 1, to: undefined, reason });
  }

  /** Shows on the terminal how many records are judged. */
  show(records: number, of: number): void {
    const { noun } = this.result;
    this.context.progress.show({ noun, records, of, violations: countViolations(this.result) });
  }

  /** Shows the final progress, and counts the requests since the last line of the journal. */
  close(): void {
    this.context.progress.flush();
    addCounts(this.result, { requests: this.#countNewRequests() });
  }
}

/** Sets number of records, mode and sample of a result, as planned. */
export function applyPlan(result: SweepResult, { sample, counted }: SweepPlan): void {
  Object.assign(result, { counted, mode: sample ? 'sample' : 'all' });
  if (sample) Object.assign(result, { seed: sample.seed, drawn: sample });
}

/**
 * Adds up the result of a sweep from its journal, for a run whose process was stopped before the sweep ended.
 * @param onObservation receives each observation of the journal
 * @returns the result, marked as interrupted; undefined if the sweep had not begun
 */
export async function readInterruptedSweep(
  reportsDir: string,
  journal: string,
  onObservation: (observation: Observation) => void,
): Promise<SweepResult | undefined> {
  if (!hasJournal(reportsDir, journal)) return undefined;
  let result: SweepResult | undefined;
  for await (const line of readJournal<SweptLine & { sweep?: SweepResult }>(reportsDir, journal)) {
    // The first line holds the result at the start of the sweep.
    result ??= line.sweep;
    if (!result || line.sweep) continue;
    if (line.plan) applyPlan(result, line.plan);
    addCounts(result, line);
    for (const observation of line.observations) onObservation(observation);
  }
  if (!result) return undefined;
  // The first place, or line, after those that the journal holds.
  const from = (result.list ? result.places : result.pages) + 1;
  const failed = [...result.failed, { from, to: undefined, reason: interrupted }];
  return { ...result, stopped: interrupted, failed };
}

/**
 * Selects the broken requirements of a response that count as violations. `PROFILE=observed` drops those that the ledger accepts.
 */
export const filterViolations = (
  { target: { profile } }: SweepContext,
  { broken }: Judged,
): BrokenRequirement[] => broken.filter(({ entry }) => !entry || profile !== 'observed');

/**
 * Returns the key of the hashes of records. It depends on contract and target alone, because records of all shards are compared.
 */
export const createHashKey = ({ contract: { hash }, target: { baseUrl, name } }: SweepContext) =>
  `${hash} ${name} ${baseUrl ?? ''}`;

/** Returns the settings that an earlier run must have had for its journal to be resumed. */
function createJournalHead(context: SweepContext): JournalHead {
  const { name, baseUrl, sweep, sweepSeed, shard, profile } = context.target;
  return {
    // Changed with the form of the lines, so that no journal in an older form is resumed.
    'version of this suite': '9',
    target: hash('sha256', `${name} ${baseUrl}`),
    contract: context.contract.hash,
    profile,
    SWEEP: `${sweep}${sweepSeed === undefined ? '' : `, seed ${sweepSeed}`}`,
    shard: shard ? `${shard.current}/${shard.total}` : 'all',
  };
}
