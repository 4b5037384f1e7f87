import { createHash, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { formatNumber } from '../../schemas/counted.ts';
import type { BrokenRequirement, JudgedResponse } from '../../schemas/judge/judged.ts';
import { CircuitBreaker, type HttpClient } from '../client/http-client.ts';
import type { RequestContext } from '../operations/request.ts';
import type { Observation } from '../redact/observation.ts';
import type { HashedRecord } from '../relations/relations.ts';
import { hasJournal, type JournalHead, openJournal, readJournal } from './journal.ts';
import { listPageRequests, type PageRequest, type SweepPlan } from './paging.ts';
import type { Progress } from './progress.ts';
import {
  addSweptCounts,
  type BlockedRange,
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
  /** Results of the sweeps in this context. Each sweep adds a result at its start, and updates this result while it runs. */
  sweeps: SweepResult[];
}

/** Line in the journal of a sweep. A line holds the plan of the sweep, or the redacted results of a page or an identifier. */
export interface SweptLine extends Partial<SweptCounts> {
  /**
   * Number of the page or file line that is finished. Pages are counted from 0, and lines in a file of identifiers from 1. The
   * number is -1 if the line finishes nothing, for example if it holds the plan.
   */
  number: number;
  plan?: SweepPlan;
  request?: PageRequest;
  /** Keyed hashes of the record shapes, such as `{name:string,uuid:string}`, that are new on this page. */
  shapes?: string[];
  /** Hashed records of the page. There is one array of records for each identifying field, such as `uuid`. */
  shown?: HashedRecord[][];
  observations: Observation[];
}

/** Collects the results of a sweep, and writes them to a journal, so that a run with `RESUME=1` can continue the sweep. */
export class Sweep {
  readonly context: SweepContext;
  readonly result: SweepResult;
  readonly done = new Set<number>();
  #appendToJournal: ((line: SweptLine) => void) | undefined;
  #countedRequests: number;

  constructor(
    context: SweepContext,
    description: Omit<SweepResult, keyof SweptCounts | 'populationSize' | 'shard'>,
  ) {
    const { shard } = context.target;
    // The sweep has a circuit breaker of its own, so that unanswered requests of other tests do not stop the sweep.
    this.context = { ...context, breaker: new CircuitBreaker() };
    this.result = { ...description, ...(shard ? { shard } : {}), populationSize: 0, ...createEmptyCounts() };
    // The requests that the client sent before do not belong to this sweep.
    this.#countedRequests = context.client.countRequests();
    context.sweeps.push(this.result);
  }

  /**
   * Opens the journal of the sweep. With `RESUME=1`, first adds the lines of the interrupted run to the result.
   * @param onLine called with each line of the interrupted run, before the line is added
   * @param settings further settings that both runs must have in common, such as `{ 'CARD_IDS file': '3q2-7wXk0Zs' }`
   * @throws {JournalError} if the interrupted run had other settings
   */
  async open({
    onLine = () => {},
    settings = {},
  }: {
    onLine?(line: SweptLine): void;
    settings?: JournalHead;
  } = {}): Promise<void> {
    const { context, result } = this;
    const head = { ...createJournalHead(context), ...settings };
    const replayLine = (line: SweptLine) => {
      onLine(line);
      this.add(line);
    };
    this.#appendToJournal = await openJournal(context.target, result.journal, head, result, replayLine);
  }

  /**
   * Adds the counts of a line to the result, and its observations to the totals. Also appends the line to the journal. A line that
   * `open` reads from the journal is not appended again.
   */
  add(line: SweptLine): void {
    // Only a line of an earlier run has `requests`.
    const requests = (line.requests ?? 0) + this.#countNewRequests();
    const lineWithRequests = { ...line, requests };
    this.#appendToJournal?.(lineWithRequests);
    // The number -1 finishes nothing: such a line holds the plan, or the violations of a postponed page.
    const isFinished = line.number >= 0;
    if (isFinished) this.done.add(line.number);
    addSweptCounts(this.result, lineWithRequests);
    for (const observation of line.observations) this.context.totals.add(observation);
  }

  #countNewRequests(): number {
    const earlierCount = this.#countedRequests;
    this.#countedRequests = this.context.client.countRequests();
    return this.#countedRequests - earlierCount;
  }

  /**
   * Marks the sweep as stopped, and the remaining records as not judged. The caller must send no more requests.
   * @param firstUnjudged index, from 0, of the first record or file line that is not judged
   */
  stopAt(firstUnjudged: number, reason: string): void {
    this.result.stopped = reason;
    this.result.failedRanges.push({ from: firstUnjudged + 1, to: undefined, reason });
  }

  show(records: number, total: number): void {
    const { noun } = this.result;
    this.context.progress.show({ noun, records, total, violations: countViolations(this.result) });
  }

  /** Prints the latest progress. Adds the number of requests since the last `add` to the result. */
  close(): void {
    this.context.progress.flush();
    addSweptCounts(this.result, { requests: this.#countNewRequests() });
  }
}

/** Copies the number of records and the random sample from a plan to a result. */
export function applyPlan(result: SweepResult, plan: SweepPlan): void {
  const { sample, populationSize } = plan;
  result.populationSize = populationSize;
  result.division = describeDivision(plan);
  if (sample) result.sample = sample;
}

/** Describes the parts into which a sweep divides a list, such as `pages of 1,000`. */
export function describeDivision({ sample, size, pages }: SweepPlan): string {
  if (sample) return `a sample of ${formatNumber(sample.sampleSize)} ${sample.by} (seed ${sample.seed})`;
  // The size of a single page is the length of the list, which may have grown between two shards.
  return pages <= 1 ? 'one page' : `pages of ${formatNumber(size)}`;
}

/** Creates the range of the records that a page does not show, because `reason` prevented its request or its response. */
export const createPageRange = (
  { populationSize }: Pick<SweepPlan, 'populationSize'>,
  { position, limit }: PageRequest,
  reason: string,
): BlockedRange => ({
  from: position + 1,
  to: Math.min(position + limit, populationSize),
  reason,
});

/**
 * Restores the result of an interrupted sweep from its journal. The result says that the records after the last received one are
 * not judged, and that earlier pages of a list are not judged if their first request failed.
 * @param journal name of the journal, such as `listCustomers`
 * @param onObservation called with each observation in the journal
 * @returns undefined if there is no journal, or if the journal lacks its first line. The first line holds the initial result.
 */
export async function readInterruptedSweep(
  reportsDir: string,
  journal: string,
  onObservation: (observation: Observation) => void,
): Promise<SweepResult | undefined> {
  if (!hasJournal(reportsDir, journal)) return undefined;
  const journalSum = await sumJournal(reportsDir, journal, onObservation);
  if (!journalSum) return undefined;
  const { result } = journalSum;
  const failedRanges = [...result.failedRanges, ...listInterruptedRanges(journalSum)];
  return { ...result, stopped: interrupted, failedRanges };
}

interface JournalSum {
  result: SweepResult;
  /** Undefined if the sweep was interrupted before it was planned, and for a file of identifiers. */
  plan?: SweepPlan | undefined;
  /** Numbers of the pages or lines that the journal holds. */
  done: Set<number>;
}

async function sumJournal(
  reportsDir: string,
  journal: string,
  onObservation: (observation: Observation) => void,
): Promise<JournalSum | undefined> {
  let sum: JournalSum | undefined;
  for await (const line of readJournal<SweptLine & { sweep?: SweepResult }>(reportsDir, journal)) {
    // Only the first line holds `sweep`: the result at the start of the sweep, without observations and without a number.
    if (!sum) {
      if (!line.sweep) return undefined;
      sum = { result: line.sweep, done: new Set() };
      continue;
    }
    const { number, plan, observations } = line;
    if (plan) applyPlan(sum.result, plan);
    sum.plan ??= plan;
    sum.done.add(number);
    addSweptCounts(sum.result, line);
    for (const observation of observations) onObservation(observation);
  }
  return sum;
}

function listInterruptedRanges({ result, plan, done }: JournalSum): BlockedRange[] {
  const { lastReceived, shard } = result;
  const restOfList = { from: lastReceived + 1, to: undefined, reason: interrupted };
  if (!plan) return [restOfList];
  const unjudgedRequests = [...listPageRequests(plan, shard, done)];
  const earlierRequests = unjudgedRequests.filter(({ position }) => position < lastReceived);
  return [...earlierRequests.map((request) => createPageRange(plan, request, interrupted)), restOfList];
}

/** Lists the violated requirements of a response. With `PROFILE=observed`, leaves out the deviations that the ledger tolerates. */
export function filterViolations(
  { target: { profile } }: SweepContext,
  { broken: brokenRequirements }: JudgedResponse,
): BrokenRequirement[] {
  if (profile !== 'observed') return brokenRequirements;
  return brokenRequirements.filter(({ entry: ledgerEntry }) => ledgerEntry === undefined);
}

/** Builds the key for the hashes of records. All shards of a run build the same key, so that their hashes can be compared. */
export const createHashKey = ({ contract: { hash }, target: { baseUrl, name } }: SweepContext): string =>
  `${hash} ${name} ${baseUrl ?? ''}`;

function createJournalHead(context: SweepContext): JournalHead {
  const { name, baseUrl, sweep, sweepSeed, shard, profile } = context.target;
  return {
    // The keys are the words of the error message, such as "the journal … belongs to another contract".
    'version of this suite': hashJournalModules(),
    target: hash('sha256', `${name} ${baseUrl}`),
    contract: context.contract.hash,
    profile,
    SWEEP: `${sweep}${sweepSeed === undefined ? '' : `, seed ${sweepSeed}`}`,
    shard: shard ? `${shard.current}/${shard.total}` : 'all',
  };
}

const journalModules = [
  'sweep.ts',
  'sweep-list.ts',
  'sweep-identifiers.ts',
  'summary.ts',
  'paging.ts',
  '../redact/observation.ts',
  '../relations/relations.ts',
];

function hashJournalModules(): string {
  const fileHash = createHash('sha256');
  for (const module of journalModules) fileHash.update(readFileSync(new URL(module, import.meta.url)));
  return fileHash.digest('hex');
}
