import { hash } from 'node:crypto';
import type { BrokenRequirement, JudgedResponse } from '../../schemas/judge/judged.ts';
import { CircuitBreaker, type HttpClient } from '../client/http-client.ts';
import type { RequestContext } from '../operations/request.ts';
import type { Observation } from '../redact/observation.ts';
import type { HashedRecord } from '../relations/relations.ts';
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

export interface SweepContext extends RequestContext {
  /** `sent` returns how many requests the client has sent. */
  client: Pick<HttpClient, 'get' | 'countRequests'>;
  progress: Progress;
  totals: { add(observation: Observation): void };
  /** Results of the run's sweeps. Each sweep adds its own at its start, and updates it. */
  sweeps: SweepResult[];
}

/**
 * Line of a journal: counts and observations of one page of a list, or of one line of a file of identifiers. Holds no value of a
 * record and no identifier.
 */
export interface SweptLine extends Partial<SweptCounts> {
  /** Number of the page from 0, or of the line from 1. -1 stands for the plan, before the first page. */
  number: number;
  plan?: SweepPlan;
  /** Undefined for a line of a file of identifiers, and for the plan. */
  request?: PageRequest;
  /** Keyed hashes of the record shapes (names and types of fields) that no earlier page has shown. */
  shapes?: string[];
  /** Keyed hashes of the records on the page, which a resumed run or a merge compares with those of other pages. */
  shown?: HashedRecord[][];
  observations: Observation[];
}

/**
 * Base class of the sweeps of a list and of a file of identifiers: keeps the result and the journal. Each sweep has its own circuit
 * breaker.
 */
export class Sweep {
  readonly context: SweepContext;
  readonly result: SweepResult;
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
   * Opens the journal. With `RESUME`, passes each line of the earlier run to `onLine`, and then adds it to the result.
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

  /** Adds a line to the result, the totals and the journal, with the number of requests since the line before. */
  add(line: SweptLine): void {
    const lineWithRequests = { ...line, requests: (line.requests ?? 0) + this.#countNewRequests() };
    // Undefined until `open` has read the journal.
    this.#appendToJournal?.(lineWithRequests);
    const isPlan = line.number < 0;
    if (!isPlan) this.done.add(line.number);
    addCounts(this.result, lineWithRequests);
    for (const observation of line.observations) this.context.totals.add(observation);
  }

  #countNewRequests(): number {
    const earlier = this.#countedRequests;
    this.#countedRequests = this.context.client.countRequests();
    return this.#countedRequests - earlier;
  }

  /**
   * Stores why the sweep ends early, and that nothing after `place` is judged. The caller must then send no more requests.
   * @param place index of the first record that is not judged, from 0
   */
  stopAt(place: number, reason: string): void {
    this.result.stopped = reason;
    this.result.failed.push({ from: place + 1, to: undefined, reason });
  }

  show(records: number, total: number): void {
    const { noun } = this.result;
    this.context.progress.show({ noun, records, total, violations: countViolations(this.result) });
  }

  close(): void {
    this.context.progress.flush();
    addCounts(this.result, { requests: this.#countNewRequests() });
  }
}

/** Copies the number of records and the sample of a plan to `result`. */
export function applyPlan(result: SweepResult, { sample, counted }: SweepPlan): void {
  Object.assign(result, { counted, mode: sample ? 'sample' : 'all' });
  if (sample) Object.assign(result, { seed: sample.seed, drawn: sample });
}

/**
 * Reads the result of an interrupted sweep from its journal; undefined if the sweep had not begun.
 * @param journal name of the journal, such as `listCustomers`
 * @param onObservation receives each observation of the journal
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

/** Selects the broken requirements that count as violations: with `PROFILE=observed` only those that no ledger entry accepts. */
export const filterViolations = (
  { target: { profile } }: SweepContext,
  { broken }: JudgedResponse,
): BrokenRequirement[] => broken.filter(({ entry }) => !entry || profile !== 'observed');

/**
 * Returns the key with which a sweep hashes records. It is equal for all shards and for a resumed run, so that their hashes can be
 * compared.
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
