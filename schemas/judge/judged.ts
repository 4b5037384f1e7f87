import type { Operation, Schema } from '../contract/contract.ts';
import type { LedgerEntry, ViolationDetails } from '../contract/ledger.ts';
import type { RequirementAddress } from '../contract/types.ts';
import type { JsonPointer, UnreadableBody } from '../json.ts';
import type { ClassifiedResponse, HttpResponse } from './classify.ts';

export type { HttpResponse } from './classify.ts';

export interface Exchange {
  operation: Operation;
  parameters: Record<string, string>;
  response: HttpResponse;
  /** Undefined if the response was received from the target. */
  recorded?: RecordedParts;
}

/** Parts of a response that a recording holds. Requirements about other parts are not judged. */
export interface RecordedParts {
  headers: boolean;
  /** A `value` was parsed by another program, and shows no repeated keys. */
  body: 'text' | 'value' | 'nothing';
}

/** Violation of a requirement. Contains received values, which must be redacted before they are written anywhere. */
export interface Violation extends ViolationDetails {
  /** Part of the exchange that has the violation: `http`, `request`, or a JSON Pointer into the body such as `/data/card/id`. */
  pointer: string;
  /** JSON Pointer to an undeclared field that probably replaces a missing one: `/data/customer/dialCode` for `dial_code`. */
  similarFieldPointer?: JsonPointer;
  schema?: Schema | undefined;
  expected: string;
}

/** Violations of one requirement in one response: those that one ledger entry accepts, or those that no entry accepts. */
export interface BrokenRequirement {
  requirement: RequirementAddress;
  entry?: LedgerEntry;
  violationCount: number;
  /** Number of list elements, such as customers, with a violation. All violations outside of lists count as one element. */
  elementCount: number;
  listedViolations: Violation[];
}

/** Counts, keyed for example by requirement (`getCard/http/status`) or by documented value (`…/physical_status = Active`). */
export type Counts = Record<string, number>;

export interface JudgedResponse extends ClassifiedResponse {
  broken: BrokenRequirement[];
  /** Number of times that each requirement was judged. */
  exercised: Counts;
  /** Number of occurrences of documented values, and of optional fields: `{ '…/physical_status = Active': 2, '…/name absent': 1 }`. */
  documentedValueCounts: Counts;
  /** Violations of the rule against undeclared fields. They fail a run only with `FAIL_ON=undeclared`. */
  undeclared: BrokenRequirement[];
  /** Parsed body, unless the body is `unreadable` or not recorded. */
  body?: unknown;
  unreadable?: UnreadableBody['problem'];
  /** Reason why the response cannot be judged. */
  blocked?: string;
}
