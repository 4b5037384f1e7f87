import { findToleratingEntry, formatLedgerLocation, type LedgerEntry } from '../contract/ledger.ts';
import type { RequirementAddress } from '../contract/types.ts';
import { maxListedViolations, omitUndefined, type ParsedBody, type UnreadableBody } from '../json.ts';
import type { BrokenRequirement, Counts, Exchange, JudgedResponse, Violation } from './judged.ts';

export const createEmptyResult = () => ({
  broken: [],
  exercised: {},
  documentedValueCounts: {},
  undeclared: [],
});

interface CollectedViolations {
  broken: BrokenRequirement;
  /**
   * Index of the list element in which the latest violation was found, such as `3`. Outside of lists, the index is ''.
   * Undefined before the first violation.
   */
  lastElement: string | undefined;
}

/** Collects the violations in one response. Also counts the judged requirements, and the documented values that occurred. */
export class Findings {
  readonly result: JudgedResponse;
  readonly entries: LedgerEntry[];
  /**
   * Violations so far, keyed by requirement. If a ledger entry tolerates the violations, the key also has the place of the entry:
   * `getCard/data/card/id spec/ledger.yaml, line 12`.
   */
  readonly #collectedByKey = new Map<string, CollectedViolations>();

  constructor(result: JudgedResponse, entries: LedgerEntry[]) {
    this.result = result;
    this.entries = entries;
  }

  countJudgement(requirement: RequirementAddress): void {
    increment(this.result.exercised, requirement);
  }

  countState(state: string): void {
    increment(this.result.documentedValueCounts, state);
  }

  /** Adds an undeclared field to `result.undeclared`. Such a field fails a run only with `FAIL_ON=undeclared`. */
  addUndeclared(undeclaredField: Violation): void {
    const count = 1;
    this.#addTo(this.result.undeclared, undeclaredField, count);
  }

  /**
   * Adds a violation to `result.broken`.
   * @param count number of violations that `violation` stands for. `count` is above 1 if the pointers of some violations are
   * unknown. By default, `violation` stands for itself only.
   */
  add(violation: Violation, count = 1): void {
    this.#addTo(this.result.broken, violation, count);
  }

  #addTo(list: BrokenRequirement[], violation: Violation, count: number): void {
    const collected = this.#getOrAddCollected(list, violation);
    const { broken } = collected;
    const element = findListElement(violation.pointer);
    // Elements are judged one after the other, so that another element is a new one.
    const isNewElement = element !== collected.lastElement;
    if (isNewElement) broken.elementCount += 1;
    collected.lastElement = element;
    broken.violationCount += count;
    if (broken.listedViolations.length < maxListedViolations) broken.listedViolations.push(violation);
  }

  #getOrAddCollected(list: BrokenRequirement[], violation: Violation): CollectedViolations {
    const { requirement } = violation;
    const entry = findToleratingEntry(violation, this.entries);
    const key = entry ? `${requirement} ${formatLedgerLocation(entry)}` : requirement;
    const knownCollected = this.#collectedByKey.get(key);
    if (knownCollected) return knownCollected;
    const broken: BrokenRequirement = omitUndefined({
      requirement,
      entry,
      violationCount: 0,
      elementCount: 0,
      listedViolations: [],
    });
    const newCollected = { broken, lastElement: undefined };
    list.push(broken);
    this.#collectedByKey.set(key, newCollected);
    return newCollected;
  }
}

/** Returns the first array index in a JSON Pointer, such as `3` for `/data/customers/3/uuid`. Returns '' if there is no index. */
const findListElement = (pointer: string): string => /\/(\d+)(?=\/|$)/.exec(pointer)?.[1] ?? '';

function increment(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

export interface JudgeContext extends Exchange {
  /** Parsed body. An `UnreadableBody` says why the body cannot be judged. Undefined if a recording lacks the body. */
  document: ParsedBody | UnreadableBody | undefined;
  findings: Findings;
}
