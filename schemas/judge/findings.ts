import { type Entry, toleration } from '../contract/ledger.ts';
import { maxFirst } from '../json.ts';
import type { Broken, Counts, Exchange, Judged, Violation } from './judged.ts';

/** What is said of an exchange of which nothing was judged yet. */
export const nothingFound = (): Pick<Judged, 'broken' | 'exercised' | 'covered' | 'undeclared'> => ({
  broken: [],
  exercised: {},
  covered: {},
  undeclared: [],
});

/** Adds what is found of one exchange to what is said of it: counted, and the first places kept. */
export class Findings {
  readonly judged: Judged;
  /** Of the ledger, which tolerate some of what is broken. */
  readonly entries: Entry[];
  /** What is broken, by requirement and entry of the ledger. */
  readonly #known = new Map<string, { broken: Broken; lastRecord: string | undefined }>();

  constructor(judged: Judged, entries: Entry[]) {
    this.judged = judged;
    this.entries = entries;
  }

  /** Notes that a requirement was judged. */
  exercise(requirement: string): void {
    count(this.judged.exercised, requirement);
  }

  /** Notes that a state of coverage was seen. */
  cover(state: string): void {
    count(this.judged.covered, state);
  }

  /** Adds a field that the contract does not name. */
  addUndeclared(violation: Violation): void {
    this.add(violation, 1, this.judged.undeclared);
  }

  /** Adds places that break a requirement: `places` like the violation, of which nothing more is known. */
  add(violation: Violation, places = 1, list = this.judged.broken): void {
    const { requirement, pointer } = violation;
    // The element of the outermost list.
    const record = /\/(\d+)/.exec(pointer)?.[1];
    const entry = toleration(violation, this.entries);
    const key = entry ? `${requirement} ${entry.line}` : requirement;
    const begun: Broken = { requirement, ...(entry ? { entry } : {}), places: 0, records: 0, first: [] };
    const { broken, lastRecord } = this.#known.get(key) ?? { broken: begun, lastRecord: '' };
    if (broken === begun) list.push(broken);
    if (lastRecord !== record) broken.records += 1;
    this.#known.set(key, { broken, lastRecord: record });
    broken.places += places;
    if (broken.first.length < maxFirst) broken.first.push(violation);
  }
}

function count(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** An exchange that is judged, and what was found of it so far. */
export interface Judging extends Exchange {
  found: Findings;
}
