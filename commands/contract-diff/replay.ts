import type { Contract } from '../../schemas/contract/contract.ts';
import { type Entry, toleration } from '../../schemas/contract/ledger.ts';
import { judge } from '../../schemas/judge/judge.ts';
import { exchangeOf } from '../../tests/traffic/judge-entry.ts';
import { readTraffic } from '../../tests/traffic/read-traffic.ts';
import type { ExchangeEntry, SkipReason } from '../../tests/traffic/recorded-entry.ts';
import { type FindRequest, requestFinder } from '../../tests/traffic/recorded-request.ts';
import { shownName } from '../../tests/traffic/shown-source.ts';
import { expandSources } from '../../tests/traffic/sources.ts';
import { type Traffic, TrafficCounts } from '../../tests/traffic/traffic-summary.ts';
import { CommandError } from '../command-error.ts';
import { UnreadSources } from '../unread-sources.ts';

/** In how many recorded answers a requirement is kept, and in how many it is violated. */
export interface Tally {
  kept: number;
  violated: number;
}

/** What both contracts say of the same answers. */
export interface Replay {
  /** Answers that were judged. */
  answers: number;
  /** Sentences on sources that could not be read to their end. */
  broken: string[];
  before: ReadonlyMap<string, Tally>;
  now: ReadonlyMap<string, Tally>;
}

/**
 * Judges recorded answers by two contracts. Only addresses and numbers are kept of them.
 * @param sources HAR or lines of JSON
 * @throws {CommandError} when nothing of a source can be read, or no answer of any judged.
 */
export async function replay(before: Contract, now: Contract, sources: string[]): Promise<Replay> {
  const [old, own] = [new Judge(before), new Judge(now)];
  const findRoute = (url: URL) => own.find(url) ?? old.find(url);
  const files = await expandSources(sources);
  const [counts, unread] = [new TrafficCounts(files), new UnreadSources(files)];
  for await (const entry of readTraffic(files, { findRoute })) {
    unread.take(entry);
    if (entry.kind === 'broken') counts.break(entry);
    else if (entry.kind === 'skipped') counts.skip(entry.reason);
    else count(counts, [old.judge(entry), own.judge(entry)]);
  }
  const { judged, broken } = assertJudged(unread, counts);
  return { answers: judged, broken, before: old.tallies, now: own.tallies };
}

/** An answer counts where one of the contracts has something to say of it. */
function count(counts: TrafficCounts, [old, own]: [SkipReason | undefined, SkipReason | undefined]): void {
  if (old && own) counts.skip(own);
  else counts.judge(undefined);
}

function assertJudged(unread: UnreadSources, counts: TrafficCounts): Traffic {
  const [first] = unread.list();
  if (first)
    throw new CommandError(`--judge names ${shownName(first.file)}, which cannot be judged: ${first.reason}`);
  const traffic = counts.traffic();
  if (traffic.judged > 0) return traffic;
  const reasons = Object.entries(traffic.skipped).map(([reason, number]) => `${number} ${reason}`);
  throw new CommandError(`no answer that --judge names can be judged: ${reasons.join(', ')}`);
}

/** Counts what a contract says of recorded answers. */
class Judge {
  readonly tallies = new Map<string, Tally>();
  readonly find: FindRequest;
  readonly #entries: Entry[];

  constructor({ operations, ledger }: Contract) {
    this.find = requestFinder(operations);
    // Whose answers were recorded is not known.
    this.#entries = ledger.filter(({ target }) => !target);
  }

  /** Adds what is to be said of an answer; why that is nothing, where it is. */
  judge(entry: ExchangeEntry): SkipReason | undefined {
    const request = this.find(new URL(entry.url));
    if (!request) return 'other path';
    const exchange = exchangeOf(request, entry);
    if (typeof exchange === 'string') return exchange;
    const judgement = judge(exchange);
    const violated = new Set<string>();
    for (const violation of judgement.violations)
      if (!toleration(violation, this.#entries, judgement.body)) violated.add(violation.requirement);
    for (const address of new Set([...Object.keys(judgement.visits), ...violated]))
      this.#count(address, violated.has(address) ? 'violated' : 'kept');
    return undefined;
  }

  #count(address: string, outcome: keyof Tally): void {
    const tally = this.tallies.get(address) ?? { kept: 0, violated: 0 };
    tally[outcome] += 1;
    this.tallies.set(address, tally);
  }
}

/** A requirement of which the same answers say something else now. */
export interface ChangedVerdict {
  address: string;
  before: string;
  now: string;
}

/** @param names operations that are called otherwise now */
export function changedVerdicts(
  { before, now }: Replay,
  names: ReadonlyMap<string, string>,
): ChangedVerdict[] {
  const addressNow = (address: string) => {
    const [operation = '', ...rest] = address.split('/');
    return [names.get(operation) ?? operation, ...rest].join('/');
  };
  const old = new Map([...before].map(([address, tally]) => [addressNow(address), tally]));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((address) => ({ address, before: textOf(old.get(address)), now: textOf(now.get(address)) }))
    .filter((one) => verdictOf(one.before) !== verdictOf(one.now));
}

function textOf(tally: Tally | undefined): string {
  if (!tally) return 'not judged';
  return tally.violated > 0
    ? `violation in ${tally.violated} of ${tally.violated + tally.kept} answers`
    : 'pass';
}

const verdictOf = (text: string) => text.split(' in ')[0];
