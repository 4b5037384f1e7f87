import { type Entry, toleration } from '../contract/ledger.ts';
import { maxFirst } from '../json.ts';
import type { Broken, Counts, Exchange, Judged, Violation } from './judged.ts';

/** What is found of one exchange: counted, and the first places kept. */
export class Findings {
  readonly exercised: Counts = {};
  readonly covered: Counts = {};
  readonly undeclared: Judged['undeclared'] = { places: 0, first: [] };
  /** The element of the outermost list that is looked at. */
  record: number | undefined;
  readonly #entries: Entry[];
  readonly #broken = new Map<string, { broken: Broken; lastRecord: number | undefined }>();

  constructor(entries: Entry[]) {
    this.#entries = entries;
  }

  /** Notes that a requirement was judged. */
  exercise(requirement: string): void {
    this.exercised[requirement] = (this.exercised[requirement] ?? 0) + 1;
  }

  /** Adds places that break a requirement: `places` like the violation, of which nothing more is known. */
  add(violation: Violation, places = 1): void {
    const { requirement } = violation;
    const entry = toleration(violation, this.#entries);
    const key = entry ? `${requirement} ${entry.line}` : requirement;
    const begun: Broken = { requirement, ...(entry ? { entry } : {}), places: 0, records: 0, first: [] };
    const known = this.#broken.get(key) ?? { broken: begun, lastRecord: -1 };
    const { broken } = known;
    if (known.lastRecord !== this.record) broken.records += 1;
    this.#broken.set(key, { broken, lastRecord: this.record });
    broken.places += places;
    if (broken.first.length < maxFirst) broken.first.push(violation);
  }

  get isEmpty(): boolean {
    return this.#broken.size === 0;
  }

  /** What was found. What is broken was judged, be it missing. */
  result(): Pick<Judged, 'broken' | 'exercised' | 'covered' | 'undeclared'> {
    const { exercised, covered, undeclared } = this;
    const broken = [...this.#broken.values()].map((one) => one.broken);
    for (const { requirement } of broken) exercised[requirement] ??= 1;
    return { broken, exercised, covered, undeclared };
  }
}

/** An exchange that is judged, and what was found of it so far. */
export interface Judging extends Exchange {
  entries: Entry[];
  found: Findings;
}
