import { findToleratingEntry, type LedgerEntry } from '../contract/ledger.ts';
import type { RequirementAddress } from '../contract/types.ts';
import { maxListedPlaces } from '../json.ts';
import type { BrokenRequirement, Counts, Exchange, JudgedResponse, Violation } from './judged.ts';

/** Creates the empty lists and counts that a `JudgedResponse` has before anything is judged. */
export const createEmptyResult = (): Pick<
  JudgedResponse,
  'broken' | 'exercised' | 'covered' | 'undeclared'
> => ({
  broken: [],
  exercised: {},
  covered: {},
  undeclared: [],
});

/** Violations of one requirement that were found so far in the response. */
interface CollectedViolations {
  broken: BrokenRequirement;
  /**
   * Index of the list element with the latest violation, such as `3`; an empty text if the body has no list; undefined before the
   * first violation.
   */
  lastElement: string | undefined;
}

/**
 * Collects the violations in one response, and counts what was judged, in `result`. Keeps the first violations of each
 * requirement, at most `maxListedPlaces`, and only counts the others.
 */
export class Findings {
  readonly result: JudgedResponse;
  readonly entries: LedgerEntry[];
  /**
   * Keyed by the address of the requirement. For violations that a ledger entry tolerates, the line of the entry is added to the
   * key.
   */
  readonly #collectedByKey = new Map<string, CollectedViolations>();

  constructor(result: JudgedResponse, entries: LedgerEntry[]) {
    this.result = result;
    this.entries = entries;
  }

  /** Counts that a requirement, such as `getCard/http/status`, was judged once, whatever the outcome. */
  countJudgement(requirement: RequirementAddress): void {
    increment(this.result.exercised, requirement);
  }

  /** Counts that a value or field occurred once, under a key such as `getCard/data/card/status = Active`. */
  countState(state: string): void {
    increment(this.result.covered, state);
  }

  /** Adds a field that the contract does not declare, to a list of its own: it fails a run only with `FAIL_ON=undeclared`. */
  addUndeclared(violation: Violation): void {
    this.#addTo(this.result.undeclared, violation, 1);
  }

  /**
   * Adds a violation to `result.broken`.
   * @param count number of violations to count, if only the first of several is known in detail; default: 1
   */
  add(violation: Violation, count = 1): void {
    this.#addTo(this.result.broken, violation, count);
  }

  #addTo(list: BrokenRequirement[], violation: Violation, count: number): void {
    const collected = this.#getCollected(list, violation);
    const { broken, lastElement } = collected;
    collected.lastElement = findListElement(violation.pointer);
    if (collected.lastElement !== lastElement) broken.records += 1;
    broken.places += count;
    if (broken.first.length < maxListedPlaces) broken.first.push(violation);
  }

  /**
   * Returns the collected violations of the requirement and ledger entry of a new violation. If it is their first violation,
   * creates an empty collection, and adds its `broken` to `list`.
   */
  #getCollected(list: BrokenRequirement[], violation: Violation): CollectedViolations {
    const { requirement } = violation;
    const entry = findToleratingEntry(violation, this.entries);
    const key = entry ? `${requirement} ${entry.line}` : requirement;
    const known = this.#collectedByKey.get(key);
    if (known) return known;
    const broken = { requirement, ...(entry ? { entry } : {}), places: 0, records: 0, first: [] };
    const collected = { broken, lastElement: undefined };
    list.push(broken);
    this.#collectedByKey.set(key, collected);
    return collected;
  }
}

/** Returns the index in the outermost list of a body: `3` for `/data/customers/3/uuid`; or an empty text if there is no index. */
const findListElement = (pointer: string): string => /\/(\d+)/.exec(pointer)?.[1] ?? '';

function increment(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Request and response to judge, and the collection to which each judging function adds violations and counts. */
export interface JudgeContext extends Exchange {
  findings: Findings;
}
