import type { Operation } from '../../schemas/contract.ts';
import { pattern } from '../../schemas/nodes.ts';
import { isCut, whole } from '../../schemas/pointer.ts';
import { atPlace } from './curl.ts';
import type { Finding, Request } from './observation.ts';
import { redactPointer } from './redaction.ts';

/** A finding at one place, which is not redacted yet; `place` is its pointer with every array index as `*`. */
export interface UnfoldedFinding
  extends Pick<Finding, 'kind' | 'requirement' | 'pointer' | 'expected' | 'actual' | 'ledger'> {
  because?: string | undefined;
  place?: string | undefined;
  /** At how many places it is, that differ in nothing but an index; 1 where it is left out. */
  places?: number | undefined;
}

type Folded = Finding & { places: number };

/** Findings of one kind and requirement: some by what is the same of them, and one for all others. */
interface Group {
  listed: Map<string, Folded>;
  others?: Folded;
  /** What was added last, and as what. */
  last?: { finding: UnfoldedFinding; place: string; folded: Folded };
  /** How many places were held against those that are listed. */
  compared: number;
}

/** Beside the place, in what findings of one group may differ. */
const same = ['expected', 'actual', 'because', 'ledger'] as const;

/** Findings of one requirement and kind in one answer that are listed; the others are counted. */
const mostListed = 20;

/** Beyond so many places, what is found there is not described any more, if there is more than can be listed. */
const mostCompared = 20_000;

/**
 * Findings of one answer. Those that differ in nothing but array indices are one. Memory does not grow with their
 * number; each kind has a limit of its own, so that what is tolerated never takes the place of a violation.
 */
export class FoldedFindings {
  readonly #operation: Operation;
  readonly #request: Request;
  readonly #groups = new Map<Finding['kind'], Map<string, Group>>();

  constructor(operation: Operation, request: Request) {
    this.#operation = operation;
    this.#request = request;
  }

  /** Counts a finding that need not be described, since many others were. @returns whether it is done with that */
  count(kind: Finding['kind'], requirement: string, places = 1): boolean {
    const { others, compared } = this.#groupOf(kind, requirement);
    if (!others || compared < mostCompared) return false;
    others.places += places;
    return true;
  }

  add(finding: UnfoldedFinding): void {
    const group = this.#groupOf(finding.kind, finding.requirement);
    group.compared += 1;
    const { place = pattern(finding.pointer), places = 1, expected, actual, because, ledger } = finding;
    // Most often the same is found again: then nothing needs to be put together.
    const { last } = group;
    if (last && same.every((name) => last.finding[name] === finding[name]) && last.place === place) {
      last.folded.places += places;
      return;
    }
    const key = `${place}\n${expected}\n${actual}\n${because}\n${ledger?.line}`;
    const isFull = group.listed.size >= mostListed;
    const known = group.listed.get(key) ?? (isFull ? group.others : undefined);
    const folded = known ?? this.#described(finding);
    if (known) known.places += places;
    else if (isFull) group.others = folded;
    else group.listed.set(key, folded);
    group.last = { finding, place, folded };
  }

  #groupOf(kind: Finding['kind'], requirement: string): Group {
    const known = this.#groups.get(kind)?.get(requirement);
    if (known) return known;
    const group: Group = { listed: new Map(), compared: 0 };
    this.#groups.set(kind, (this.#groups.get(kind) ?? new Map()).set(requirement, group));
    return group;
  }

  list(): Finding[] {
    const groups = [...this.#groups.values()].flatMap((ofKind) => [...ofKind.values()]);
    return groups.flatMap(({ listed, others, compared }) => [
      ...listed.values(),
      ...(others ? [summed(others, compared < mostCompared ? ' with something else' : '')] : []),
    ]);
  }

  #described(finding: UnfoldedFinding): Folded {
    const { kind, requirement, pointer, expected, actual, because, ledger, places = 1 } = finding;
    const { exchange, repeat } = this.#request;
    const shown = redactPointer(this.#operation, whole(pointer));
    const redacted = isCut(pointer) && !shown.endsWith('/…') ? `${shown}/…` : shown;
    const why = { ...(because === undefined ? {} : { because }), ...(ledger ? { ledger } : {}) };
    const what = { kind, requirement, operation: this.#operation.id, pointer: redacted, expected, actual };
    return { ...what, exchange, ...why, repeat: atPlace(repeat, redacted), places };
  }
}

const summed = (finding: Folded, withElse: string): Finding => ({
  ...finding,
  actual: `… and ${finding.places} more places${withElse}, not listed one by one`,
});
