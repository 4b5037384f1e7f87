import type { Contract } from '../../schemas/contract/contract.ts';
import { type Entry, toleration } from '../../schemas/contract/ledger.ts';
import { judge } from '../../schemas/judge/judge.ts';
import { exchangeOf } from '../../tests/traffic/judge-entry.ts';
import { readTraffic } from '../../tests/traffic/read-traffic.ts';
import type { ExchangeEntry } from '../../tests/traffic/recorded-entry.ts';
import { type FindRequest, requestFinder } from '../../tests/traffic/recorded-request.ts';

/** In how many recorded answers a requirement is kept, and in how many it is violated. */
export interface Tally {
  kept: number;
  violated: number;
}

/** What both contracts say of the same answers. */
export interface Replay {
  /** Answers that were judged. */
  answers: number;
  before: ReadonlyMap<string, Tally>;
  now: ReadonlyMap<string, Tally>;
}

/** Judges recorded answers by two contracts. Only addresses and numbers are kept of them. @param sources HAR or lines of JSON */
export async function replay(before: Contract, now: Contract, sources: string[]): Promise<Replay> {
  const [old, own] = [new Judge(before), new Judge(now)];
  const findRoute = (url: URL) => own.find(url) ?? old.find(url);
  let answers = 0;
  for await (const entry of readTraffic(sources, { findRoute })) {
    if (entry.kind !== 'exchange') continue;
    const judged = [old.judge(entry), own.judge(entry)];
    if (judged.some(Boolean)) answers += 1;
  }
  return { answers, before: old.tallies, now: own.tallies };
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

  /** Adds what is to be said of an answer; false where that is nothing. */
  judge(entry: ExchangeEntry): boolean {
    const request = this.find(new URL(entry.url));
    const exchange = request && exchangeOf(request, entry);
    if (exchange === undefined || typeof exchange === 'string') return false;
    const judgement = judge(exchange);
    const violated = new Set<string>();
    for (const violation of judgement.violations)
      if (!toleration(violation, this.#entries, judgement.body)) violated.add(violation.requirement);
    for (const address of new Set([...Object.keys(judgement.visits), ...violated]))
      this.#count(address, violated.has(address) ? 'violated' : 'kept');
    return true;
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
