import type { Operation, Schema } from '../contract/contract.ts';
import { iterable } from '../iterable.ts';
import type { Undeclared } from './undeclared.ts';
import type { Visits } from './visits.ts';

/** The response to one request, as it was received. */
export interface HttpResponse {
  status: number;
  /** The Content-Type header, if there was one. */
  contentType: string | undefined;
  body: Uint8Array;
  /** All headers, names in lower case. */
  headers?: Readonly<Record<string, string>>;
}

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

/** A requirement that an answer breaks. `value` is raw: it must pass redaction before it is written. */
export interface Violation {
  requirement: string;
  /** JSON Pointer into the body, `http` or `request`. */
  pointer: string;
  /** The pointer with every array index as `*`, where that is known. */
  place?: string;
  /** Schema of the value, where that is known. */
  schema?: Schema;
  expected: string;
  value: unknown;
  /** How often it is there, at places that differ in nothing but an index; 1 where it is left out. */
  places?: number;
  /** What to say instead of describing the value. */
  actual?: string;
}

/**
 * All that one exchange says of the contract. Violations and undeclared fields are found one by one, on demand,
 * and not kept: an answer may hold millions.
 */
export interface Judgement {
  violations: Iterable<Violation>;
  /** How often each requirement was exercised, by address. */
  visits: Visits;
  states: Visits;
  undeclared: Iterable<Undeclared>;
  /** Set when the body says of itself that it is an error response. */
  isErrorEnvelope?: true;
  /** The parsed body, when it could be read. */
  body?: unknown;
  /** Set when nothing can be said of the answer, through no fault of the target. That may show only while violations are looked for. */
  blocked?: string;
}

/** Adds violations to those of a judgement. */
export function report(judgement: Judgement, ...more: Iterable<Violation>[]): void {
  const before = judgement.violations;
  const all = Array.isArray(before) ? [...before, ...more] : [before, ...more];
  judgement.violations = iterable(() => chained(all));
}

function* chained(all: Iterable<Violation>[]): Generator<Violation> {
  for (const violations of all) yield* violations;
}

/** Whether there is nothing to iterate over. */
export function isEmpty(iterable: Iterable<unknown>): boolean {
  for (const _ of iterable) return false;
  return true;
}

/** Notes that an exchange exercised a requirement. */
export function visit(judgement: Judgement, requirement: string): void {
  judgement.visits[requirement] = (judgement.visits[requirement] ?? 0) + 1;
}
