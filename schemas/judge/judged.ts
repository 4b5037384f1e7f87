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
  /** Parts that a recording holds; undefined for a response received from the target. */
  recorded?: RecordedParts;
}

/** Parts of a response that a recording holds. Only these are judged. */
export interface RecordedParts {
  headers: boolean;
  /** Received text, a value that another program has parsed, or no body. */
  body: 'text' | 'value' | 'nothing';
}

/** Violation of a requirement, with received values that must be redacted before they are written. */
export interface Violation extends ViolationDetails {
  /**
   * Violating part: `http` (status, media type or text of the body), `request` (an invalid request that was not rejected), or a
   * JSON Pointer into the body such as `/data/card/id`.
   */
  pointer: string;
  /** JSON Pointer to the probable replacement of a missing field: `/data/customer/dialCode` for `dial_code`. */
  similarFieldPointer?: JsonPointer;
  schema?: Schema | undefined;
  expected: string;
}

/** Violations of one requirement in one response, all tolerated by the ledger entry `entry` or all untolerated. */
export interface BrokenRequirement {
  requirement: RequirementAddress;
  entry?: LedgerEntry;
  violationCount: number;
  /** Number of list elements, such as customers, with a violation; 1 outside of lists. */
  elementCount: number;
  /** First violations, at most `maxListedViolations` (20). */
  listedViolations: Violation[];
}

/** Number for each key, such as `{ 'getCard/http/status': 3 }`. */
export type Counts = Record<string, number>;

export interface JudgedResponse extends ClassifiedResponse {
  broken: BrokenRequirement[];
  /** Number of times that each requirement was judged. */
  exercised: Counts;
  /**
   * Number of occurrences of each documented value, and of the presence and absence of each optional field:
   * `{ '…/physical_status = Active': 2, '…/name absent': 1 }`.
   */
  documentedValueCounts: Counts;
  /** Undeclared fields, which fail a run only with `FAIL_ON=undeclared`. */
  undeclared: BrokenRequirement[];
  /** Parsed body; undefined if `unreadable` or not recorded. */
  body?: unknown;
  unreadable?: UnreadableBody['problem'];
  /** Reason why the response cannot be judged. */
  blocked?: string;
}
