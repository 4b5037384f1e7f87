import { findToleratingEntry, type LedgerEntry } from '../contract/ledger.ts';
import type { RequirementAddress } from '../contract/types.ts';
import { maxListedViolations } from '../json.ts';
import type { BrokenRequirement, Counts, Exchange, JudgedResponse, Violation } from './judged.ts';

export const createEmptyResult = () => ({ broken: [], exercised: {}, covered: {}, undeclared: [] });

interface CollectedViolations {
  broken: BrokenRequirement;
  /** Index of the list element with the latest violation, such as `3`; empty if no list; undefined before the first violation. */
  lastElement: string | undefined;
}

/** Collects the violations of one response in `result`. Lists at most `maxListedViolations` of a requirement, but counts all. */
export class Findings {
  readonly result: JudgedResponse;
  readonly entries: LedgerEntry[];
  /** Keyed by requirement and by line of the ledger entry, if one tolerates the violations: `getCard/data/card/id 12`. */
  readonly #collectedByKey = new Map<string, CollectedViolations>();

  constructor(result: JudgedResponse, entries: LedgerEntry[]) {
    this.result = result;
    this.entries = entries;
  }

  countJudgement(requirement: RequirementAddress): void {
    increment(this.result.exercised, requirement);
  }

  countState(state: string): void {
    increment(this.result.covered, state);
  }

  /** Adds an undeclared field to `result.undeclared` instead of `result.broken`: it fails a run only with `FAIL_ON=undeclared`. */
  addUndeclared(violation: Violation): void {
    this.#addTo(this.result.undeclared, violation, 1);
  }

  /** Adds a violation to `result.broken`. @param count number of violations that are represented by this one; default: 1 */
  add(violation: Violation, count = 1): void {
    this.#addTo(this.result.broken, violation, count);
  }

  #addTo(list: BrokenRequirement[], violation: Violation, count: number): void {
    const collected = this.#getOrAddCollected(list, violation);
    const { broken, lastElement } = collected;
    collected.lastElement = findListElement(violation.pointer);
    if (collected.lastElement !== lastElement) broken.elementCount += 1;
    broken.violationCount += count;
    if (broken.listedViolations.length < maxListedViolations) broken.listedViolations.push(violation);
  }

  /** Returns the group for the requirement and ledger entry of a violation. The first violation adds the group to `list`. */
  #getOrAddCollected(list: BrokenRequirement[], violation: Violation): CollectedViolations {
    const { requirement } = violation;
    const entry = findToleratingEntry(violation, this.entries);
    const key = entry ? `${requirement} ${entry.line}` : requirement;
    const collectedBefore = this.#collectedByKey.get(key);
    if (collectedBefore) return collectedBefore;
    const counts = { violationCount: 0, elementCount: 0 };
    const broken = { requirement, ...(entry ? { entry } : {}), ...counts, listedViolations: [] };
    const collected = { broken, lastElement: undefined };
    list.push(broken);
    this.#collectedByKey.set(key, collected);
    return collected;
  }
}

/** Returns the index in the outermost list of a body: `3` for `/data/customers/3/uuid`; empty if there is no list. */
const findListElement = (pointer: string): string => /\/(\d+)/.exec(pointer)?.[1] ?? '';

function increment(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

export interface JudgeContext extends Exchange {
  findings: Findings;
}
