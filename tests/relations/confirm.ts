import type { AskAgain, Doubt, RelationResult, SeenAgain } from './doubt.ts';
import type { Lag } from './lag.ts';
import type { ComparePlan, RelationRule } from './relation-rules.ts';
import { type Sighting, sightingsIn } from './sightings.ts';
import type { Seen } from './sightings-of-run.ts';
import { noRequestsLeft } from './unconfirmed.ts';

/** Requests that are sent to confirm contradictions, at most. */
export const maxConfirmations = 24;

const notAsked = { undecided: noRequestsLeft };
const alreadyBroken = { undecided: 'another contradiction of the same rule was confirmed' };

/**
 * Requests again what settles doubts, the first ones first. A page that is requested again says something of all doubts
 * about its records.
 */
export class Confirmation<Source> {
  readonly #doubts: Doubt<Source>[];
  readonly #ask: AskAgain<Source>;
  readonly #broken: Set<RelationRule>;
  readonly #lag: Pick<Lag, 'pass' | 'exclude'>;
  readonly #ready = new Map<RelationRule, Set<Doubt<Source>>>();
  #passed: Promise<boolean> | undefined;
  #left = maxConfirmations;

  /** @param broken rules that are known to be broken: nothing is requested for these */
  constructor(
    doubts: Doubt<Source>[],
    ask: AskAgain<Source>,
    broken: Set<RelationRule>,
    lag: Pick<Lag, 'pass' | 'exclude'>,
  ) {
    this.#doubts = doubts;
    this.#ask = ask;
    this.#broken = broken;
    this.#lag = lag;
  }

  /** What is known of each doubt in the end: one contradiction of each rule is confirmed, as far as requests go. */
  async results(): Promise<RelationResult<Source>[]> {
    for (const doubt of this.#doubts) {
      await this.#settleReady(doubt.rule);
      for (let sent = 0; sent < doubt.cost && (await this.#send(doubt)); sent += 1);
    }
    return this.#doubts.map((doubt) => this.#resultOf(doubt));
  }

  /** What a page has shown of another doubt of a rule may confirm it with few requests. */
  async #settleReady(rule: RelationRule): Promise<void> {
    const [ready] = this.#ready.get(rule) ?? [];
    while (ready?.isReady && (await this.#send(ready)));
  }

  #resultOf(doubt: Doubt<Source>): RelationResult<Source> {
    const { rule, second } = doubt;
    const result = doubt.result();
    if (result && !isUnasked(result)) return result;
    return { rule, second, conclusion: this.#broken.has(rule) ? alreadyBroken : notAsked, count: 1 };
  }

  /** @returns whether a request was sent */
  async #send(doubt: Doubt<Source>): Promise<boolean> {
    if (this.#left === 0 || this.#broken.has(doubt.rule)) return false;
    const source = doubt.next();
    if (source === undefined) return false;
    this.#passed ??= this.#lag.pass();
    if (!(await this.#passed)) return false;
    this.#left -= 1;
    const seen = await this.#ask(source);
    if (doubt.listed?.plan.operation === seen.operation.id) this.#takePage(source, seen);
    else this.#take(doubt, { source, seen });
    return true;
  }

  #takePage(source: Source, seen: Seen<Source>): void {
    const shown = new Map<ComparePlan, Map<number, Sighting[]> | undefined>();
    for (const doubt of this.#doubts) {
      const { plan, key } = doubt.listed ?? {};
      if (!plan || key === undefined || plan.operation !== seen.operation.id) continue;
      if (!shown.has(plan)) shown.set(plan, recordsOn(plan, seen));
      const records = shown.get(plan);
      this.#take(doubt, { source, seen, records: records && (records.get(key) ?? []) });
    }
  }

  #take(doubt: Doubt<Source>, again: SeenAgain<Source>): void {
    const { rule } = doubt;
    doubt.take(again);
    if (doubt.isBroken) {
      this.#broken.add(rule);
      this.#lag.exclude();
    }
    const ready = this.#ready.get(rule) ?? new Set();
    this.#ready.set(rule, ready);
    if (doubt.isReady) ready.add(doubt);
    else ready.delete(doubt);
  }
}

/** Whether a page may have shown a record again, but requests ran out before anything could be said of it. */
const isUnasked = ({ conclusion }: RelationResult<unknown>): boolean =>
  typeof conclusion === 'object' && conclusion.undecided === noRequestsLeft;

/** The records of a page by their keys; undefined where it shows nothing. */
function recordsOn(plan: ComparePlan, { operation, outcome, body }: Seen<unknown>) {
  if (outcome !== 'success') return undefined;
  const records = new Map<number, Sighting[]>();
  for (const one of sightingsIn(operation, plan, body)) {
    const same = records.get(one.key);
    if (same) same.push(one);
    else records.set(one.key, [one]);
  }
  return records;
}

/** The first doubt of each rule, then the second of each, and so on. */
export function inRounds<Source>(doubts: Doubt<Source>[]): Doubt<Source>[] {
  const counts = new Map<RelationRule, number>();
  const rounds: Doubt<Source>[][] = [];
  for (const doubt of doubts) {
    const round = counts.get(doubt.rule) ?? 0;
    counts.set(doubt.rule, round + 1);
    const own = rounds[round] ?? [];
    if (own.length === 0) rounds[round] = own;
    own.push(doubt);
  }
  return rounds.flat();
}
