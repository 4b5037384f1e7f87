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
): SweptCounts['failedRanges'][number] => ({
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
  let result: SweepResult | undefined;
  let plan: SweepPlan | undefined;
  const done = new Set<number>();
  for await (const line of readJournal<SweptLine & { sweep?: SweepResult }>(reportsDir, journal)) {
    // Only the first line holds `sweep`: the result at the start of the sweep, without observations.
    result ??= line.sweep;
    if (!result) return undefined;
    plan ??= line.plan;
    if (line.plan) applyPlan(result, line.plan);
    // The first line has no `number`.
    done.add(line.number);
    addSweptCounts(result, line);
    for (const observation of line.observations ?? []) onObservation(observation);
  }
  if (!result) return undefined;
  const { lastReceived, shard, failedRanges } = result;
  const requests = plan ? [...listPageRequests(plan, shard, done)] : [];
  const earlierRequests = requests.filter(({ position }) => position < lastReceived);
  const unjudgedRanges = [
    ...earlierRequests.map((request) => createPageRange(result, request, interrupted)),
    { from: lastReceived + 1, to: undefined, reason: interrupted },
  ];
  return { ...result, stopped: interrupted, failedRanges: [...failedRanges, ...unjudgedRanges] };
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
