import type { Operation } from '../../schemas/contract.ts';
import { pattern } from '../../schemas/nodes.ts';
import { isCut, whole } from '../../schemas/pointer.ts';
import type { Finding, Request } from './observation.ts';
import { redactPointer } from './redaction.ts';

/** A finding at one place, which is not redacted yet. */
export type UnfoldedFinding = Pick<
  Finding,
  'kind' | 'requirement' | 'pointer' | 'expected' | 'actual' | 'because'
>;

type Folded = Finding & { places: number };

/** Findings of one requirement and kind in one answer that are listed; the others are counted. */
const mostListed = 20;

/**
 * Findings of one answer. Those that differ in nothing but array indices are one. Memory does not grow with their
 * number; each kind has a limit of its own, so that what is tolerated never takes the place of a violation.
 */
export class FoldedFindings {
  readonly #operation: Operation;
  readonly #request: Request;
  readonly #listed = new Map<string, Folded>();
  readonly #counts = new Map<string, number>();
  readonly #others = new Map<string, Folded>();

  constructor(operation: Operation, request: Request) {
    this.#operation = operation;
    this.#request = request;
  }

  add(finding: UnfoldedFinding): void {
    const { kind, requirement, pointer, expected, actual, because } = finding;
    const group = `${kind} ${requirement}`;
    const key = [group, pattern(pointer), expected, actual, because].join('\n');
    const count = this.#counts.get(group) ?? 0;
    const known = this.#listed.get(key) ?? (count < mostListed ? undefined : this.#others.get(group));
    if (known) known.places += 1;
    else if (count < mostListed) {
      this.#listed.set(key, this.#described(finding));
      this.#counts.set(group, count + 1);
    } else this.#others.set(group, this.#described(finding));
  }

  list(): Finding[] {
    const others = [...this.#others.values()].map((finding) => ({
      ...finding,
      actual: `… and ${finding.places} more places with something else, not listed one by one`,
    }));
    return [...this.#listed.values(), ...others];
  }

  #described({ kind, requirement, pointer, expected, actual, because }: UnfoldedFinding): Folded {
    const { exchange, repeat } = this.#request;
    const redacted = redactPointer(this.#operation, whole(pointer)) + (isCut(pointer) ? '/…' : '');
    const why = because === undefined ? {} : { because };
    const what = { kind, requirement, operation: this.#operation.id, pointer: redacted, expected, actual };
    return { ...what, exchange, ...why, repeat, places: 1 };
  }
}
