import { findToleration, type LedgerEntry } from '../contract/ledger.ts';
import { maxFirst } from '../json.ts';
import type { BrokenRequirement, Counts, Exchange, Judged, Violation } from './judged.ts';

/** Returns the fields of a result before anything is judged, or if the response turns out to be inconclusive. */
export const createEmptyResult = (): Pick<Judged, 'broken' | 'exercised' | 'covered' | 'undeclared'> => ({
  broken: [],
  exercised: {},
  covered: {},
  undeclared: [],
});

/** Collects the findings of one exchange: counts all places and keeps the first ones. */
export class Findings {
  readonly result: Judged;
  /** Ledger entries that are in force for the target. */
  readonly entries: LedgerEntry[];
  /**
   * Added violations with the list index of the last one, keyed by requirement and line of the ledger entry that tolerates them.
   */
  readonly #violationsByKey = new Map<
    string,
    { broken: BrokenRequirement; lastRecord: string | undefined }
  >();

  constructor(result: Judged, entries: LedgerEntry[]) {
    this.result = result;
    this.entries = entries;
  }

  /** Counts one check of a requirement, whether it passed or failed. */
  exercise(requirement: string): void {
    increment(this.result.exercised, requirement);
  }

  /** Counts an occurrence of a coverage state, such as `…/status = Active`. */
  cover(state: string): void {
    increment(this.result.covered, state);
  }

  /** Adds a field that the contract does not name. Listed apart, because such fields are violations only on request. */
  addUndeclared(violation: Violation): void {
    this.add(violation, 1, this.result.undeclared);
  }

  /**
   * Adds violations of a requirement to its `BrokenRequirement` in `list`. Each ledger entry that tolerates some has its own.
   * @param places number of violations, of which only the given one is known in detail
   */
  add(violation: Violation, places = 1, list = this.result.broken): void {
    const { requirement, pointer } = violation;
    // Index in the outermost list.
    const record = /\/(\d+)/.exec(pointer)?.[1];
    const entry = findToleration(violation, this.entries);
    const key = entry ? `${requirement} ${entry.line}` : requirement;
    const newBroken: BrokenRequirement = {
      requirement,
      ...(entry ? { entry } : {}),
      places: 0,
      records: 0,
      first: [],
    };
    // The empty text differs from every index and from undefined, so that the first violation counts as a record.
    const { broken, lastRecord } = this.#violationsByKey.get(key) ?? { broken: newBroken, lastRecord: '' };
    if (broken === newBroken) list.push(broken);
    if (lastRecord !== record) broken.records += 1;
    this.#violationsByKey.set(key, { broken, lastRecord: record });
    broken.places += places;
    if (broken.first.length < maxFirst) broken.first.push(violation);
  }
}

function increment(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Exchange under judgement, with the findings so far. */
export interface JudgeContext extends Exchange {
  findings: Findings;
}
