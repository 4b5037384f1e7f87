import { hash } from 'node:crypto';
import type { Broken, Judged } from '../../schemas/judge/judged.ts';
import { CircuitBreaker, type HttpClient } from '../client/http-client.ts';
import type { RequestContext } from '../operations/request.ts';
import type { Observation } from '../redact/observation.ts';
import type { ShownRecord } from '../relations/relations.ts';
import { hasJournal, type JournalHead, openJournal, readJournal } from './journal.ts';
import type { PageRequest, Plan } from './paging.ts';
import type { Progress } from './progress.ts';
import {
  addCounts,
  interrupted,
  noCounts,
  type SweepResult,
  type SweptCounts,
  violationsIn,
} from './summary.ts';

/** What every sweep of a run works with. */
export interface SweepContext extends RequestContext {
  client: Pick<HttpClient, 'get' | 'sent'>;
  progress: Progress;
  /** Receive what was observed. */
  totals: { add(observation: Observation): void };
  /** Receives each sweep as it begins. */
  sweeps: SweepResult[];
}

/** A line of the journal: what a page, or an identifier of a file, adds. It holds no value and no identifier. */
export interface SweptLine extends Partial<SweptCounts> {
  /** Of a page its number, from 0, of an identifier its line, from 1; -1 of the plan, which was found out before the first page. */
  number: number;
  plan?: Plan;
  request?: PageRequest;
  /** Hashes of the forms of records that no page before it has shown, and of its records. */
  shapes?: string[];
  shown?: ShownRecord[][];
  observations: Observation[];
}

/** A sweep under way, and its journal. Where nothing is answered any more, nothing more is sent. */
export class Sweep {
  readonly context: SweepContext;
  readonly result: SweepResult;
  /** Numbers of the pages, or lines of a file, that are in the journal. */
  readonly done = new Set<number>();
  #addToJournal: ((line: SweptLine) => void) | undefined;
  /** How many requests the client had sent when they were last counted. */
  #sent: number;

  constructor(context: SweepContext, about: Omit<SweepResult, keyof SweptCounts | 'counted' | 'shard'>) {
    const { shard } = context.target;
    this.context = { ...context, breaker: new CircuitBreaker() };
    this.result = { ...about, ...(shard ? { shard } : {}), counted: 0, ...noCounts() };
    this.#sent = context.client.sent();
    context.sweeps.push(this.result);
  }

  /** Adds what an earlier run has left, if that is resumed. @throws {JournalError} when it is of another sweep. */
  async open(onLine: (line: SweptLine) => void = () => {}): Promise<void> {
    const { target } = this.context;
    const { context, result } = this;
    this.#addToJournal = await openJournal(target, result.journal, headOf(context), result, (line) => {
      onLine(line);
      this.add(line);
    });
  }

  /** Adds what a line says, with the requests since the one before it. The journal is there once all of an earlier run were added. */
  add(line: SweptLine): void {
    const whole = { ...line, requests: (line.requests ?? 0) + this.#newlySent() };
    this.#addToJournal?.(whole);
    if (line.number >= 0) this.done.add(line.number);
    addCounts(this.result, whole);
    for (const observation of line.observations) this.context.totals.add(observation);
  }

  #newlySent(): number {
    const before = this.#sent;
    this.#sent = this.context.client.sent();
    return this.#sent - before;
  }

  /** Says why it goes no further than a place, from 0. */
  stopAt(place: number, reason: string): void {
    this.result.stopped = reason;
    this.result.failed.push({ from: place + 1, to: undefined, reason });
  }

  /** Shows on the terminal that it has looked at so many records. */
  show(records: number, of: number): void {
    const { noun } = this.result;
    this.context.progress.show({ noun, records, of, violations: violationsIn(this.result) });
  }

  close(): void {
    this.context.progress.end();
    addCounts(this.result, { requests: this.#newlySent() });
  }
}

/** Sets what the plan of a list says of its sweep. */
export function applyPlan(result: SweepResult, { sample, counted }: Plan): void {
  Object.assign(result, { counted, mode: sample ? 'sample' : 'all' });
  if (sample) Object.assign(result, { seed: sample.seed, drawn: sample });
}

/**
 * Reads from its journal what a sweep had found when its process was stopped.
 * @param onObservation receives each observation of its lines
 * @returns undefined if it had not begun
 */
export async function readInterruptedSweep(
  reportsDir: string,
  journal: string,
  onObservation: (observation: Observation) => void,
): Promise<SweepResult | undefined> {
  if (!hasJournal(reportsDir, journal)) return undefined;
  let result: SweepResult | undefined;
  for await (const line of readJournal<SweptLine & { sweep?: SweepResult }>(reportsDir, journal)) {
    result ??= line.sweep;
    if (!result || line.sweep) continue;
    if (line.plan) applyPlan(result, line.plan);
    addCounts(result, line);
    for (const observation of line.observations) onObservation(observation);
  }
  if (!result) return undefined;
  const from = (result.list ? result.places : result.pages) + 1;
  const failed = [...result.failed, { from, to: undefined, reason: interrupted }];
  return { ...result, stopped: interrupted, failed };
}

/** What breaks a requirement. A deviation that is tolerated does not; under `documented` none is. */
export const brokenIn = ({ target: { profile } }: SweepContext, { broken }: Judged): Broken[] =>
  broken.filter(({ entry }) => !entry || profile !== 'observed');

/** The secret of the hashes of records, which every shard of a sweep knows. */
export const secretOf = ({ contract: { hash }, target: { baseUrl, name } }: SweepContext) =>
  `${hash} ${name} ${baseUrl ?? ''}`;

/** Tells apart the journals of different sweeps. */
function headOf(context: SweepContext): JournalHead {
  const { name, baseUrl, sweep, sweepSeed, shard, profile } = context.target;
  return {
    'version of this suite': '9',
    target: hash('sha256', `${name} ${baseUrl}`),
    contract: context.contract.hash,
    profile,
    SWEEP: `${sweep}${sweepSeed === undefined ? '' : `, seed ${sweepSeed}`}`,
    shard: shard ? `${shard.current}/${shard.total}` : 'all',
  };
}
