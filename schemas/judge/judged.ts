import type { Operation, Schema } from '../contract/contract.ts';
import type { Entry } from '../contract/ledger.ts';
import type { Classified } from './classify.ts';
import type { HttpResponse } from './response.ts';

export type { HttpResponse } from './response.ts';

/** One request of an operation with its answer. `parameters` are the raw values that were sent. */
export interface Exchange {
  operation: Operation;
  parameters: Record<string, string>;
  answer: HttpResponse;
  /** Set where the answer was recorded elsewhere, and the recording may hold less than what was sent. */
  recorded?: Recorded;
}

/** What a recording holds of an answer. What it does not hold is not exercised. */
export interface Recorded {
  headers: boolean;
  /** The text as it was sent, or only the value that somebody has read from it. */
  body: 'text' | 'value' | 'nothing';
}

/** A place that breaks a requirement. `value` is raw: it must pass redaction before it is written. */
export interface Violation {
  requirement: string;
  /** JSON Pointer into the body, `http` or `request`. */
  pointer: string;
  /** Pointer to the value, if the response has it under another name. */
  foundAt?: string;
  /** Schema of the value, where that is known. */
  schema?: Schema | undefined;
  expected: string;
  value: unknown;
  /** Where the value is missing: the object that lacks it. */
  parent?: Record<string, unknown>;
  /** What to say instead of describing the value. */
  actual?: string;
}

/** A requirement that a response breaks, or breaks as an entry of the ledger tolerates. */
export interface Broken {
  requirement: string;
  /** The entry that tolerates it. */
  entry?: Entry;
  places: number;
  /** Elements of the outermost list that have such a place; 1 where there is no list. */
  records: number;
  /** The first places, at most `maxFirst`. */
  first: Violation[];
}

/** Numbers by address, or by the name of a state of coverage. */
export type Counts = Record<string, number>;

/** All that one exchange says of the contract, with raw values. */
export interface Judged extends Classified {
  broken: Broken[];
  /** How often each requirement was judged. */
  exercised: Counts;
  /** Presence of optional fields and listed values that were seen, such as `…/status = Active` or `…/status absent`. */
  covered: Counts;
  /** Fields that the contract does not name, where a rule is about them. */
  undeclared: Broken[];
  /** The parsed body, if it could be read. */
  body?: unknown;
  /** Why nothing can be said of the answer, through no fault of the target. */
  blocked?: string;
}
