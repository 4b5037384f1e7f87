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
  /** Undefined for a response that the suite received from the target. */
  recorded?: RecordedParts;
}

/** Parts of a response that a recording holds. Parts that the recording lacks are not judged. */
export interface RecordedParts {
  headers: boolean;
  /** `text` stands for the received text, and `value` for a value that another program has parsed. `nothing` means no body. */
  body: 'text' | 'value' | 'nothing';
}

/** Violation of a requirement. A violation holds received values, which must be redacted before anything is written to a file. */
export interface Violation extends ViolationDetails {
  /**
   * Part that violates the requirement. A JSON Pointer such as `/data/card/id` stands for a part of the body.
   * `http` stands for status, media type and JSON syntax. `request` stands for an invalid request that was not rejected.
   */
  pointer: string;
  /** JSON Pointer to a field that probably replaces a missing field, such as `/data/customer/dialCode` for `dial_code`. */
  similarFieldPointer?: JsonPointer;
  schema?: Schema | undefined;
  expected: string;
}

/** Violations of one requirement in one response. If `entry` is set, this ledger entry tolerates each violation. */
export interface BrokenRequirement {
  requirement: RequirementAddress;
  entry?: LedgerEntry;
  violationCount: number;
  /** Number of list elements with a violation, such as 3 for three customers. Violations outside of lists count as one element. */
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
   * Number of times that each documented value occurred, such as `{ '…/physical_status = Active': 2 }`.
   * The presence and absence of each optional field are counted, too: `{ '…/name absent': 1 }`.
   */
  documentedValueCounts: Counts;
  /** Undeclared fields, which fail a run only with `FAIL_ON=undeclared`. */
  undeclared: BrokenRequirement[];
  /** Parsed body. Undefined if the body is unreadable, or if a recording lacks the body. */
  body?: unknown;
  unreadable?: UnreadableBody['problem'];
  /** True if a shared cache has sent a stored response (`Age` above 0, RFC 9111 section 5.1). */
  isFromCache?: true;
  /** Reason why the response cannot be judged. */
  blocked?: string;
}
