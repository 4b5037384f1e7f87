import type { Operation, Schema } from '../contract/contract.ts';
import type { LedgerEntry } from '../contract/ledger.ts';
import type { RequirementAddress } from '../contract/types.ts';
import type { JsonPointer, UnreadableBody } from '../json.ts';
import type { ClassifiedResponse } from './classify.ts';
import type { HttpResponse } from './response.ts';

export type { HttpResponse } from './response.ts';

/** Request and its response. `parameters` are the values as sent, keyed by parameter name. */
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

/** Violation of a requirement, with received values. They must be redacted before they are written anywhere. */
export interface Violation {
  requirement: RequirementAddress;
  /**
   * JSON Pointer such as `/data/card/id`; `http` for a violation of HTTP status, media type or JSON syntax; `request` for a
   * request that should have been rejected.
   */
  pointer: string;
  /**
   * If a field is missing, the pointer of a field that is likely meant for it: one with an observed name such as `p_user_id`, or
   * with a name that differs only in letter case and underscores.
   */
  foundAt?: JsonPointer;
  /** Schema of the field; undefined if the violation is not about a field. */
  schema?: Schema | undefined;
  /** Description of what the contract requires, such as "one of Active, Inactive". */
  expected: string;
  /** Received value; undefined if the field is missing, or if the violation is not about a value. */
  value: unknown;
  /** If a field is missing, the object in which it is missing. */
  parent?: Record<string, unknown>;
  /** Description of what was received, such as "HTTP 404". Default: a description of `value`. */
  actual?: string;
}

/**
 * Violations of one requirement in one response. Those that a ledger entry tolerates are in a `BrokenRequirement` of their own.
 */
export interface BrokenRequirement {
  requirement: RequirementAddress;
  /** Ledger entry that tolerates all these violations; undefined if no entry does. */
  entry?: LedgerEntry;
  /** Number of violations, also of those not in `first`. */
  places: number;
  /**
   * Number of elements of the outermost list of the body, such as customers, that have a violation; 1 if the body has no list.
   */
  records: number;
  /** First violations, at most `maxListedPlaces`. */
  first: Violation[];
}

/** Numbers, keyed by `RequirementAddress`, or by coverage state such as `getCard/data/card/status = Active`. */
export type Counts = Record<string, number>;

/** Result of judging a response: its kind, and its violations with received values. */
export interface JudgedResponse extends ClassifiedResponse {
  /**
   * Violations. Each requirement has one element, and another one for each ledger entry that tolerates some of its violations.
   */
  broken: BrokenRequirement[];
  /** Number of times that each requirement was judged in this response. */
  exercised: Counts;
  /**
   * Number of times that a documented value occurred, or that an optional field was present or absent, keyed by coverage state
   * such as `getCard/data/card/status = Active`.
   */
  covered: Counts;
  /** Fields that the contract does not declare. Empty if the operation has no rule about declared fields. */
  undeclared: BrokenRequirement[];
  /** Parsed body; undefined if the body is not valid JSON or not recorded. */
  body?: unknown;
  /** Reason why the body could not be parsed, such as `not JSON`; undefined if it was. */
  unreadable?: UnreadableBody['problem'];
  /**
   * Reason, as a sentence, why the response says nothing about the contract, such as HTTP 503; undefined for any other response.
   */
  blocked?: string;
}
