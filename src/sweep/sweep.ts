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
  /** Client that sends the requests of sweeps, and returns how many it has sent (`sent`). */
  client: Pick<HttpClient, 'get' | 'sent'>;
  progress: Progress;
  /** Receives each observation of a sweep. */
  totals: { add(observation: Observation): void };
  /** Results of all sweeps of a run. Each sweep adds its own when it starts, and updates it until it ends. */
  sweeps: SweepResult[];
}

/**
 * Line of the journal of a sweep: counts and observations of one page of a list, or of one line of a file of identifiers. Holds no
 * value of a record and no identifier.
 */
export interface SweptLine extends Partial<SweptCounts> {
  /** Number of a swept page from 0, or of a line of a file of identifiers from 1. -1 stands for the plan, before the first page. */
  number: number;
  /** Plan of the sweep of a list; only in the journal line with number -1. */
  plan?: SweepPlan;
  /** Request of the swept page; undefined for a line of a file of identifiers, and for the plan. */
  request?: PageRequest;
  /** Keyed hashes of the record shapes (names and types of fields) on a swept page that no earlier page has shown. */
  shapes?: string[];
  /** Keyed hashes of the records on a swept page, so that a later process can compare them with those of other pages. */
  shown?: ShownRecord[][];
  observations: Observation[];
}

/**
 * Base class of the sweeps of a list and of a file of identifiers. Keeps the result and the journal of one sweep. Each sweep has
 * its own circuit breaker, which sends no more requests of this sweep once the target does not respond.
 */
export class Sweep {
  readonly context: SweepContext;
  readonly result: SweepResult;
  /** Numbers of the pages (or lines of the file of identifiers) that the journal of the sweep holds. */
  readonly done = new Set<number>();
  #appendToJournal: ((line: SweptLine) => void) | undefined;
  /** Value of `client.sent()` when the sweep last counted its requests. */
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
   * Opens the journal of the sweep. With `RESUME`, passes each line of the earlier run to `onLine`, and then adds it to the result.
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
   * Adds a line to the result, to `done` and to the totals, with the number of requests that were sent since the previous line.
   * Also appends the line to the journal, except for lines that `open` reads from there.
   */
  add(line: SweptLine): void {
    const lineWithRequests = { ...line, requests: (line.requests ?? 0) + this.#countNewRequests() };
    // Undefined until `open` has read the journal.
    this.#appendToJournal?.(lineWithRequests);
    const isPlan = line.number < 0;
    if (!isPlan) this.done.add(line.number);
    addCounts(this.result, lineWithRequests);
    for (const observation of line.observations) this.context.totals.add(observation);
  }

  /** Returns how many requests the client has sent since the last call, and remembers the new count. */
  #countNewRequests(): number {
    const earlier = this.#countedRequests;
    this.#countedRequests = this.context.client.sent();
    return this.#countedRequests - earlier;
  }

  /**
   * Stores the reason why the sweep ends early, and a range without judgement from `place` to an unknown end. The caller must then
   * send no more requests.
   * @param place index in the list of the first record that is not judged, from 0
   */
  stopAt(place: number, reason: string): void {
    this.result.stopped = reason;
    this.result.failed.push({ from: place + 1, to: undefined, reason });
  }

  /**
   * Shows the progress of the sweep on the terminal.
   * @param records number of records judged so far
   * @param of estimated number of all records to judge
   */
  show(records: number, of: number): void {
    const { noun } = this.result;
    this.context.progress.show({ noun, records, of, violations: countViolations(this.result) });
  }

  /** Ends the sweep: shows the final progress, and adds the requests since the last line of the journal to the result. */
  close(): void {
    this.context.progress.flush();
    addCounts(this.result, { requests: this.#countNewRequests() });
  }
}

/** Copies the number of records, the mode, and the sample of a plan to the result of its sweep, which it changes. */
export function applyPlan(result: SweepResult, { sample, counted }: SweepPlan): void {
  Object.assign(result, { counted, mode: sample ? 'sample' : 'all' });
  if (sample) Object.assign(result, { seed: sample.seed, drawn: sample });
}

/**
 * Reads the result of a sweep from its journal, after the process of the run was stopped before the sweep ended.
 * @param journal name of the journal, such as `listCustomers`
 * @param onObservation receives each observation of the journal
 * @returns the result, with `stopped` and a range without judgement; undefined if the sweep had not begun
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
  // The first place of the list, or line of the file, after those that the journal holds.
  const from = (result.list ? result.places : result.pages) + 1;
  const failed = [...result.failed, { from, to: undefined, reason: interrupted }];
  return { ...result, stopped: interrupted, failed };
}

/**
 * Selects the broken requirements of a response that count as violations: all of them, or with `PROFILE=observed` those that no
 * ledger entry accepts.
 */
export const filterViolations = (
  { target: { profile } }: SweepContext,
  { broken }: Judged,
): BrokenRequirement[] => broken.filter(({ entry }) => !entry || profile !== 'observed');

/**
 * Returns the key with which a sweep hashes records. It depends on nothing but contract and target, so that hashes of all shards,
 * and of a resumed run, can be compared.
 */
export const createHashKey = ({ contract: { hash }, target: { baseUrl, name } }: SweepContext) =>
  `${hash} ${name} ${baseUrl ?? ''}`;

/**
 * Returns the settings in the first line of a journal, keyed by name. A run can resume a journal only if all of its settings are
 * equal.
 */
function createJournalHead(context: SweepContext): JournalHead {
  const { name, baseUrl, sweep, sweepSeed, shard, profile } = context.target;
  return {
    // Must be raised with each change of `SweptLine`, so that no journal in an older form is resumed.
    'version of this suite': '9',
    target: hash('sha256', `${name} ${baseUrl}`),
    contract: context.contract.hash,
    profile,
    SWEEP: `${sweep}${sweepSeed === undefined ? '' : `, seed ${sweepSeed}`}`,
    shard: shard ? `${shard.current}/${shard.total}` : 'all',
  };
}
