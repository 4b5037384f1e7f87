import type { Operation } from '../../schemas/contract.ts';
import { pattern } from '../../schemas/nodes.ts';
import { isCut, whole } from '../../schemas/pointer.ts';
import { atPlace } from './curl.ts';
import type { Finding, Request } from './observation.ts';
import type { Received } from './received.ts';
import { redactPointer } from './redaction.ts';

/** A finding at one place, which is not redacted yet; `place` is its pointer with every array index as `*`. */
export interface UnfoldedFinding
  extends Pick<Finding, 'kind' | 'requirement' | 'pointer' | 'expected' | 'actual' | 'ledger'> {
  because?: string | undefined;
  place?: string | undefined;
  /** Looked at only for what is listed. */
  received?: (() => Received | undefined) | undefined;
}

type Folded = Finding & { places: number };

/** Findings of one kind and requirement: some by what is the same of them, and one for all others. */
interface Group {
  listed: Map<string, Folded>;
  others?: Folded;
}

/** Findings of one requirement and kind in one answer that are listed; the others are counted. */
const mostListed = 20;

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

  add(finding: UnfoldedFinding): void {
    const group = this.#groupOf(finding);
    const { place = pattern(finding.pointer), expected, actual, because, ledger } = finding;
    const key = `${place}\n${expected}\n${actual}\n${because}\n${ledger?.line}`;
    const isFull = group.listed.size >= mostListed;
    const known = group.listed.get(key) ?? (isFull ? group.others : undefined);
    if (known) known.places += 1;
    else if (isFull) group.others = this.#described(finding);
    else group.listed.set(key, this.#described(finding));
  }

  #groupOf({ kind, requirement }: UnfoldedFinding): Group {
    const ofKind = this.#groups.get(kind) ?? new Map<string, Group>();
    this.#groups.set(kind, ofKind);
    const group = ofKind.get(requirement) ?? { listed: new Map() };
    ofKind.set(requirement, group);
    return group;
  }

  list(): Finding[] {
    const groups = [...this.#groups.values()].flatMap((ofKind) => [...ofKind.values()]);
    return groups.flatMap(({ listed, others }) => [...listed.values(), ...(others ? [summed(others)] : [])]);
  }

  #described({
    kind,
    requirement,
    pointer,
    expected,
    actual,
    because,
    ledger,
    ...more
  }: UnfoldedFinding): Folded {
    const received = more.received?.();
    const { exchange, repeat } = this.#request;
    const shown = redactPointer(this.#operation, whole(pointer));
    const redacted = isCut(pointer) && !shown.endsWith('/…') ? `${shown}/…` : shown;
    const why = { ...(because === undefined ? {} : { because }), ...(ledger ? { ledger } : {}) };
    const form = received ? { received } : {};
    const what = { kind, requirement, operation: this.#operation.id, pointer: redacted, expected, actual };
    return { ...what, ...form, exchange, ...why, repeat: atPlace(repeat, redacted), places: 1 };
  }
}

const summed = ({ received: _, ...finding }: Folded): Finding => ({
  ...finding,
  actual: `… and ${finding.places} more places with something else, not listed one by one`,
});
