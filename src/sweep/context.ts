import { createHash } from 'node:crypto';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Broken, HttpResponse, Judged } from '../../schemas/judge/judged.ts';
import { type Arguments, requestOf, valuesOf } from '../ask/request.ts';
import { type Effort, effortOf, type HttpClient } from '../client/http-client.ts';
import type { Target } from '../client/target.ts';
import type { Observation } from '../redact/observation.ts';
import { type Judging, type Taken, take } from '../redact/take.ts';
import type { JournalHead } from './journal.ts';
import type { Progress } from './progress.ts';
import {
  type BlockedRange,
  type BrokenRecords,
  type SweepResult,
  sumOfBroken,
  violationsIn,
} from './summary.ts';

/** What every sweep of a run works with. */
export interface SweepContext extends Judging {
  contract: Contract;
  target: Target;
  client: Pick<HttpClient, 'get'>;
  curl: string;
  progress: Progress;
  /** How long contradictions are left alone before they are requested again. */
  settlesInMs?: number | undefined;
  /** Receives what was observed. */
  add(observation: Observation): void;
  /** Adds observations up. */
  sum(observations: Observation[]): Observation[];
}

/** What a sweep has come to, and how many requests it took: in all its runs, if it was resumed. */
export interface Swept {
  result: SweepResult;
  requests: number;
}

/** What a page, or a block of identifiers, adds: a line of the journal. It holds no value and no identifier. */
export interface SweptLine {
  /** Its number, from 0. */
  number: number;
  requests: number;
  /** Records that it holds, and those of them that were judged for the first time. */
  held: number;
  judged: number;
  observations: Observation[];
  broken: Record<string, BrokenRecords>;
  failed: BlockedRange[];
}

/** A line of what shows no record. */
export const emptyLine = (number: number): SweptLine => ({
  ...{ number, requests: 0, held: 0, judged: 0, observations: [], broken: {}, failed: [] },
});

/** Adds a line to the sums. @param ofRecords how the addresses of what is judged on each record begin */
export function addLine(
  { result, add }: { result: SweepResult } & Pick<SweepContext, 'add'>,
  { judged, observations, broken, failed }: SweptLine,
  ofRecords: string,
): void {
  result.judged += judged;
  result.failed.push(...failed);
  for (const [address, records] of Object.entries(broken))
    result.broken[address] = sumOfBroken(result.broken[address], records);
  for (const observation of observations) {
    const own = Object.keys(observation.exercised).filter((address) => address.startsWith(ofRecords));
    result.exercised.push(...own.filter((address) => !result.exercised.includes(address)));
    add(observation);
  }
}

/** Says why a sweep goes no further than a place, from 0. */
export function stopAt(result: SweepResult, place: number, reason: string): void {
  result.stopped = reason;
  result.failed.push({ from: place + 1, to: undefined, reason });
}

/** What a line of progress tells of a sweep that has looked at so many records. */
export const doneIn = (result: SweepResult, records: number, of: number) => ({
  ...{ noun: result.noun, records, of, violations: violationsIn(result) },
});

/** Judges a response like any other. */
export function takeAnswer(
  context: SweepContext,
  operation: Operation,
  parameters: Arguments,
  answer: HttpResponse & Effort,
): Taken {
  const exchange = { operation, parameters: valuesOf(parameters), answer };
  const { judged, observation } = take(exchange, requestOf(operation, parameters, context.curl), context);
  return { judged, observation: { ...observation, ...effortOf(answer) } };
}

/** What breaks a requirement. A deviation that is tolerated does not; under `documented` none is. */
export const brokenIn = ({ target: { profile } }: SweepContext, { broken }: Judged): Broken[] =>
  broken.filter(({ entry }) => !entry || profile !== 'observed');

/** The secret of the hashes of records: what is configured, or what every shard of a sweep knows. */
export const secretOf = ({ contract: { hash }, target: { sweepKey, baseUrl, name } }: SweepContext) =>
  sweepKey ?? `${hash} ${name} ${baseUrl ?? ''}`;

/** Tells apart the journals of different sweeps. */
export function headOf(context: SweepContext): JournalHead {
  const { name, baseUrl, isMock, sweep, sweepSeed, shard, profile } = context.target;
  return {
    version: '3',
    target: digest(`target ${name} ${isMock ? '' : baseUrl}`),
    key: digest(`key ${secretOf(context)}`),
    contract: context.contract.hash,
    profile,
    mode: `${sweep}${sweepSeed === undefined ? '' : `, seed ${sweepSeed}`}`,
    shard: shard ? `${shard.current}/${shard.total}` : 'all',
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
