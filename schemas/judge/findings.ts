import { findToleratingEntry, type LedgerEntry } from '../contract/ledger.ts';
import { maxListedPlaces } from '../json.ts';
import type { BrokenRequirement, Counts, Exchange, JudgedResponse, Violation } from './judged.ts';

/** Creates the empty lists and counts of a `JudgedResponse` in which nothing was judged. */
export const createEmptyResult = (): Pick<
  JudgedResponse,
  'broken' | 'exercised' | 'covered' | 'undeclared'
> => ({
  broken: [],
  exercised: {},
  covered: {},
  undeclared: [],
});

/**
 * Collects what the judgement of one response finds, in a `JudgedResponse`: counts all violations and keeps the first ones (`maxListedPlaces`).
 */
export class Findings {
  readonly result: JudgedResponse;
  readonly entries: LedgerEntry[];
  /**
   * Violations so far, with the list index of the last one (`3` for `/data/customers/3/uuid`). Keyed by the address of the
   * requirement, and by the line of the ledger entry that tolerates them, if any.
   */
  readonly #violationsByKey = new Map<
    string,
    { broken: BrokenRequirement; lastRecord: string | undefined }
  >();

  constructor(result: JudgedResponse, entries: LedgerEntry[]) {
    this.result = result;
    this.entries = entries;
  }

  /** Counts one check of a requirement (address), whether it passed or failed. */
  countJudgement(requirement: string): void {
    increment(this.result.exercised, requirement);
  }

  /** Counts one value or field that the response contains, by its coverage state such as `getCard/…/status = Active`. */
  countState(state: string): void {
    increment(this.result.covered, state);
  }

  /**
   * Adds a field that the contract does not declare. Keeps such fields apart from violations, because they fail a run only with
   * `FAIL_ON=undeclared`.
   */
  addUndeclared(violation: Violation): void {
    this.add(violation, 1, this.result.undeclared);
  }

  /**
   * Adds violations of one requirement to `list`, in a `BrokenRequirement` for the requirement. Violations that a ledger entry
   * tolerates go to a separate `BrokenRequirement` for this entry.
   * @param violation first of the violations, the only one that is known in detail
   * @param places number of violations; default: 1
   */
  add(violation: Violation, places = 1, list = this.result.broken): void {
    const { requirement, pointer } = violation;
    // Index in the outermost list of the body; undefined if the pointer has none.
    const record = /\/(\d+)/.exec(pointer)?.[1];
    const entry = findToleratingEntry(violation, this.entries);
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
    if (broken.first.length < maxListedPlaces) broken.first.push(violation);
  }
}

function increment(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Request and response that are being judged, with the findings so far. */
export interface JudgeContext extends Exchange {
  findings: Findings;
}
