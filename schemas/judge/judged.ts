import type { Operation, Schema } from '../contract/contract.ts';
import type { LedgerEntry } from '../contract/ledger.ts';
import type { UnreadableBody } from '../json.ts';
import type { ClassifiedResponse } from './classify.ts';
import type { HttpResponse } from './response.ts';

export type { HttpResponse } from './response.ts';

/** Request of an operation, with its response (`answer`). `parameters` are the raw values that were sent, keyed by name. */
export interface Exchange {
  operation: Operation;
  parameters: Record<string, string>;
  answer: HttpResponse;
  /** Parts of the response that a recording holds; undefined if the suite itself received the response, and so holds all parts. */
  recorded?: RecordedParts;
}

/** Parts of a response that a recording of traffic holds. Requirements about missing parts are not judged. */
export interface RecordedParts {
  headers: boolean;
  /** `text`: original bytes of the body. `value`: JSON value that another program parsed. `nothing`: body not recorded. */
  body: 'text' | 'value' | 'nothing';
}

/** Violation of a requirement at one place of a response. `value` is raw and must be redacted before it is written. */
export interface Violation {
  requirement: string;
  /** JSON Pointer into the body; or `http` for status, media type or JSON; or `request` for the whole response. */
  pointer: string;
  /**
   * Pointer to a field that stands in place of the missing one: under an observed name such as `p_user_id`, or under a name that
   * differs only in case and underscores.
   */
  foundAt?: string;
  /** Schema of the value; undefined if the violation is about no field. */
  schema?: Schema | undefined;
  expected: string;
  /** Received value, unredacted; undefined if the field is missing, or if the violation is about no value. */
  value: unknown;
  parent?: Record<string, unknown>;
  /** Text that reports show instead of a description of `value`, such as `HTTP 404`. */
  actual?: string;
}

/** Violations of one requirement in a response: those that `entry` tolerates, or all that no ledger entry tolerates. */
export interface BrokenRequirement {
  requirement: string;
  /** Ledger entry that tolerates the violations; undefined if they are not tolerated. */
  entry?: LedgerEntry;
  places: number;
  /** Number of elements of the body's outermost list that have a violation; 1 if the body has no list. */
  records: number;
  /** First violations in detail, at most `maxFirst`. */
  first: Violation[];
}

/** Counts, keyed by requirement address such as `getCard/http/status`, or by coverage state such as `…/status = Active`. */
export type Counts = Record<string, number>;

/** Result of judging one response, with raw values. */
export interface JudgedResponse extends ClassifiedResponse {
  broken: BrokenRequirement[];
  /** Number of times that each requirement was judged in the response, keyed by its address. */
  exercised: Counts;
  /** Number of values or fields of each coverage state, such as `…/status = Active` or `…/status absent`. */
  covered: Counts;
  /** Fields that the contract does not declare, in the form of violations; empty if the contract has no rule about them. */
  undeclared: BrokenRequirement[];
  /** Parsed body; undefined if it is not valid JSON. */
  body?: unknown;
  /** Reason why the body could not be read, such as `not JSON`; undefined if it was read. */
  unreadable?: UnreadableBody['problem'];
  /** Reason, as a sentence, why the response says nothing about the contract, such as HTTP 503; undefined if it was judged. */
  blocked?: string;
}
