import type { Operation } from '../../schemas/contract/contract.ts';
import { pattern } from '../../schemas/contract/nodes.ts';
import { ruleAddress } from '../../schemas/contract/requirements.ts';
import { isCut, whole } from '../../schemas/json/pointer.ts';
import { atEachKey, atPlace } from '../client/curl.ts';
import { redactPointer } from './describe-value.ts';
import { type CountedFinding, FindingGroups } from './finding-groups.ts';
import type { Finding, Request } from './observation.ts';
import type { Received } from './received.ts';

/** A finding at one place, which is not redacted yet; `place` is its pointer with every array index as `*`. */
export interface UnfoldedFinding
  extends Pick<Finding, 'kind' | 'requirement' | 'pointer' | 'expected' | 'actual' | 'ledger'> {
  because?: string | undefined;
  place?: string | undefined;
  /** At how many places it is, that differ in nothing but an index; 1 where it is left out. */
  places?: number | undefined;
  /** Looked at only for what is listed. */
  received?: (() => Received | undefined) | undefined;
}

/** What is the same of findings that are listed as one, at a place with every array index as `*`. */
export const findingKey = (
  place: string,
  { expected, actual, because, ledger }: Pick<UnfoldedFinding, 'expected' | 'actual' | 'because' | 'ledger'>,
) => `${place}\n${expected}\n${actual}\n${because}\n${ledger?.line}`;

/** Beside the place, in what findings of one requirement may differ. */
const compared = ['kind', 'expected', 'actual', 'because', 'ledger'] as const;

/** Findings of one answer. Those that differ in nothing but array indices are one. */
export class FoldedFindings {
  readonly #operation: Operation;
  readonly #request: Request;
  readonly #groups = new FindingGroups();
  /** What was added last, by requirement: most often the same is found again, and nothing needs to be looked up. */
  readonly #last = new Map<string, { finding: UnfoldedFinding; place: string; counted: CountedFinding }>();

  constructor(operation: Operation, request: Request) {
    this.#operation = operation;
    this.#request = request;
  }

  /** Counts a finding that need not be described, since many others were. @returns whether it is done with that */
  count(kind: Finding['kind'], requirement: string, places = 1): boolean {
    const counted = this.#groups.uncompared(kind, requirement);
    if (counted) counted.places += places;
    return counted !== undefined;
  }

  add(finding: UnfoldedFinding): void {
    const { place = pattern(finding.pointer), places = 1 } = finding;
    const last = this.#last.get(finding.requirement);
    const isSame = last?.place === place && compared.every((name) => last.finding[name] === finding[name]);
    const counted = isSame
      ? last.counted
      : this.#groups.at(finding, findingKey(place, finding), () => this.#described(finding));
    counted.places += places;
    if (!isSame) this.#last.set(finding.requirement, { finding, place, counted });
  }

  list(): Finding[] {
    return this.#groups.list().map(({ requests: _, ...finding }) => finding);
  }

  #described(finding: UnfoldedFinding): Finding {
    const { kind, requirement, pointer, expected, actual, because, ledger } = finding;
    const received = finding.received?.();
    const { exchange, repeat } = this.#request;
    const shown = redactPointer(this.#operation, whole(pointer));
    const redacted = isCut(pointer) && !shown.endsWith('/…') ? `${shown}/…` : shown;
    const why = { ...(because === undefined ? {} : { because }), ...(ledger ? { ledger } : {}) };
    const form = received ? { received } : {};
    const what = { kind, requirement, operation: this.#operation.id, pointer: redacted, expected, actual };
    const repeatAt = isAboutKeys(this.#operation, requirement) ? atEachKey : atPlace;
    return { ...what, ...form, exchange, ...why, repeat: repeatAt(repeat, redacted) };
  }
}

/** Whether a requirement is broken by a key that is there twice. */
const isAboutKeys = (operation: Operation, requirement: string) =>
  operation.rules.some(
    (rule) => 'uniqueKeys' in rule.check && ruleAddress(operation.id, rule) === requirement,
  );
