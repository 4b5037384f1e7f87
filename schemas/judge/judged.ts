import type { Operation, Schema } from '../contract/contract.ts';
import type { LedgerEntry, ViolationDetails } from '../contract/ledger.ts';
import type { RequirementAddress } from '../contract/types.ts';
import type { JsonPointer, UnreadableBody } from '../json.ts';
import type { ClassifiedResponse, HttpResponse } from './classify.ts';

export type { HttpResponse } from './classify.ts';

/** Request, with its parameters as sent, and its response. */
export interface Exchange {
  operation: Operation;
  parameters: Record<string, string>;
  response: HttpResponse;
  /** Set only if the response is from a recording, which may lack parts of it. */
  recorded?: RecordedParts;
}

/** Parts of a response that a recording holds. A requirement about another part is not judged. */
export interface RecordedParts {
  headers: boolean;
  /** `text`: the body as received. `value`: the JSON value as another program parsed it. `nothing`: no body. */
  body: 'text' | 'value' | 'nothing';
}

/** Violation with received values, which must be redacted before they are written anywhere. */
export interface Violation extends ViolationDetails {
  /** JSON Pointer such as `/data/card/id`; `http` for status, media type or JSON syntax; `request` if it should be rejected. */
  pointer: string;
  /** Pointer to an undeclared field that probably is the missing one under another name, such as `dialCode` for `dial_code`. */
  similarFieldPointer?: JsonPointer;
  schema?: Schema | undefined;
  /** Description of what the contract requires, such as "one of Active, Inactive". */
  expected: string;
}

/** Violations of one requirement in one response: either those that `entry` tolerates, or those that no entry tolerates. */
export interface BrokenRequirement {
  requirement: RequirementAddress;
  entry?: LedgerEntry;
  violationCount: number;
  /** Number of elements (such as customers) of the outermost list that have a violation; 1 if the body has no list. */
  elementCount: number;
  /** First violations, at most `maxListedViolations`. */
  listedViolations: Violation[];
}

/** Counters, keyed by requirement (`getCard/http/status`) or by coverage state (`getCard/data/card/status = Active`). */
export type Counts = Record<string, number>;

export interface JudgedResponse extends ClassifiedResponse {
  broken: BrokenRequirement[];
  /** Number of times that each requirement was judged. */
  exercised: Counts;
  /** Number of times that each coverage state occurred: `{ '…/status = Active': 2, '…/name absent': 1 }`. */
  covered: Counts;
  /** Violations of the rule against undeclared fields. Separate, because they fail a run only with `FAIL_ON=undeclared`. */
  undeclared: BrokenRequirement[];
  /** Parsed body; undefined if the body is not valid JSON or not recorded. */
  body?: unknown;
  unreadable?: UnreadableBody['problem'];
  /** Reason why the response was not judged, such as HTTP 503: an overload is no violation. Undefined if it was judged. */
  blocked?: string;
}
