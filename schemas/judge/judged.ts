import type { Operation, Schema } from '../contract/contract.ts';
import type { LedgerEntry } from '../contract/ledger.ts';
import type { Unreadable } from '../json.ts';
import type { ResponseClass } from './classify.ts';
import type { HttpResponse } from './response.ts';

export type { HttpResponse } from './response.ts';

/** Request of an operation with its response. `parameters` are the raw values of the request. */
export interface Exchange {
  operation: Operation;
  parameters: Record<string, string>;
  answer: HttpResponse;
  /** Parts of the response that a recording holds; undefined if the suite itself received the response. */
  recorded?: RecordedParts;
}

/** Parts of a response that a recording holds. Requirements about the missing parts are not exercised. */
export interface RecordedParts {
  headers: boolean;
  /** Original text, or only a value that another program parsed from it. */
  body: 'text' | 'value' | 'nothing';
}

/** Violation of a requirement at one place. `value` is raw and must be redacted before it is written. */
export interface Violation {
  requirement: string;
  /** JSON Pointer into the body, or `http` or `request`. */
  pointer: string;
  /** Pointer to a field that resembles the missing one: an observed name, or a name that differs only in case and underscores. */
  foundAt?: string;
  /** Schema of the value; undefined if the violation is about no field. */
  schema?: Schema | undefined;
  expected: string;
  value: unknown;
  /** Object that lacks the value, if the value is missing. */
  parent?: Record<string, unknown>;
  /** Text to show instead of a description of the value. */
  actual?: string;
}

/** Violations of one requirement by a response, or its violations that one ledger entry tolerates. */
export interface BrokenRequirement {
  requirement: string;
  /** Ledger entry that tolerates the violations. */
  entry?: LedgerEntry;
  /** Number of violations. */
  places: number;
  /** Number of elements of the outermost list with a violation; 1 without a list. */
  records: number;
  /** First violations, at most `maxFirst`. */
  first: Violation[];
}

/** Counts, keyed by requirement address or by coverage state. */
export type Counts = Record<string, number>;

/** Result of judging one exchange, with raw values. */
export interface Judged extends ResponseClass {
  broken: BrokenRequirement[];
  /** Number of judgements, keyed by requirement address. */
  exercised: Counts;
  /** Number of occurrences, keyed by coverage state such as `…/status = Active` or `…/status absent`. */
  covered: Counts;
  /** Undeclared fields, if the contract has a rule about them. */
  undeclared: BrokenRequirement[];
  /** Parsed body, if it is valid JSON. */
  body?: unknown;
  /** Reason why the body could not be read. */
  unreadable?: Unreadable['problem'];
  /** Reason why the response is inconclusive, through no fault of the target. */
  blocked?: string;
}
