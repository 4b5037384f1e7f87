import type { Operation } from '../../../schemas/contract/contract.ts';
import { type Entry, toleration } from '../../../schemas/contract/ledger.ts';
import { addressOf } from '../../../schemas/contract/nodes.ts';
import { iterable } from '../../../schemas/iterable.ts';
import { judge } from '../../../schemas/judge/judge.ts';
import {
  type HttpResponse,
  type Judgement,
  report,
  type Violation,
} from '../../../schemas/judge/judgement.ts';
import { declaredVisitsOf, type Visits } from '../../../schemas/judge/visits.ts';
import { type Effort, effortOf } from '../../client/http-client.ts';
import { observeExchange } from '../../exchanges/observe-exchange.ts';
import { type Arguments, requestOf, valuesOf } from '../../exchanges/request.ts';
import type { Observation, Request } from '../../redaction/observation.ts';
import type { Part } from '../paging/paging.ts';

/** How pages are judged. */
export interface PageRules {
  operation: Operation;
  /** JSON Pointer of the list. */
  pointer: string;
  entries: Entry[];
  /** A deviation that is tolerated breaks nothing; under `documented` none is. */
  tolerates: boolean;
  curl: string;
  part?: Part | undefined;
}

/** What a page says of the contract: of each record that is not skipped, once. */
export interface JudgedPage {
  observation: Observation;
  /** How many records were judged. */
  judged: number;
  /** Indices of the records that break a requirement, by its address. */
  broken: Map<string, Set<number>>;
}

/** What other pages show of the records of a page. */
export interface Beside {
  /** Indices of records that were judged before. */
  skipped: ReadonlySet<number>;
  /** Whether one of these is known to break a requirement: what was right when it was judged may come back broken. */
  isKnownBroken(index: number): boolean;
  /** The rule that was judged by them, and what breaks it. */
  rule?: string;
  violations: Violation[];
  /** Why a contradiction of that rule was neither confirmed nor settled. */
  open?: string | undefined;
}

/** Judges a page like any other response. */
export function judgePage(
  rules: PageRules,
  parameters: Arguments,
  answer: HttpResponse & Effort,
  records: unknown[],
  beside: Beside,
): JudgedPage {
  const { operation, pointer, entries, curl } = rules;
  const request: Request = requestOf(operation, parameters, curl);
  const exchange = { operation, parameters: valuesOf(parameters), answer };
  const judgement = judge(exchange);
  report(judgement, beside.violations);
  const skipped = new Set(beside.skipped);
  const broken = new Map<string, Set<number>>();
  const kept = judgementOfKept(judgement, rules, beside, skipped, broken);
  const seen = withoutSkipped(
    observeExchange(exchange, request, kept, entries),
    rules,
    records,
    beside.skipped,
  );
  const judged = seen.visits[addressOf(operation.id, `${pointer}/*`)] ?? 0;
  const { rule, open } = beside;
  const undecided = rule !== undefined && open !== undefined ? { undecided: { [rule]: open } } : {};
  const visits = rule === undefined || judged === 0 ? seen.visits : { ...seen.visits, [rule]: judged };
  return { observation: { ...seen, visits, ...undecided, ...effortOf(answer) }, judged, broken };
}

/** Of a violation in a record, the index of that. */
function indexOf(pointer: string, place: string): number | undefined {
  if (!place.startsWith(`${pointer}/`)) return undefined;
  const index = Number.parseInt(place.slice(pointer.length + 1), 10);
  return Number.isNaN(index) ? undefined : index;
}

/** The index of the record that a violation breaks, unless it is tolerated. */
function brokenIndex(
  violation: Violation,
  { pointer, entries, tolerates }: PageRules,
  body: unknown,
): number | undefined {
  const index = indexOf(pointer, violation.pointer);
  return index === undefined || (tolerates && toleration(violation, entries, body)) ? undefined : index;
}

/**
 * What a judgement finds in records that are not skipped. What a record breaks for the first time is found, though the record was
 * counted before.
 */
function judgementOfKept(
  judgement: Judgement,
  rules: PageRules,
  { isKnownBroken }: Beside,
  skipped: Set<number>,
  broken: Map<string, Set<number>>,
): Judgement {
  const { body, violations, undeclared } = judgement;
  const isKept = ({ pointer }: { pointer: string }) => !skipped.has(indexOf(rules.pointer, pointer) ?? -1);
  const note = (violation: Violation) => {
    const index = brokenIndex(violation, rules, body);
    if (index === undefined) return isKept(violation);
    if (skipped.has(index) && !isKnownBroken(index)) skipped.delete(index);
    if (!isKept(violation)) return false;
    broken.set(violation.requirement, (broken.get(violation.requirement) ?? new Set()).add(index));
    return true;
  };
  return Object.assign(judgement, {
    violations: iterable(() => filtered(violations, note)),
    undeclared: iterable(() => filtered(undeclared, isKept)),
  });
}

function* filtered<T>(all: Iterable<T>, passes: (one: T) => boolean): Generator<T> {
  for (const one of all) if (passes(one)) yield one;
}

/** What a page exercised, as if some of its records were not listed. */
function withoutSkipped<Seen extends { visits: Visits; states: Visits }>(
  seen: Seen,
  { operation, pointer }: PageRules,
  records: unknown[],
  skipped: ReadonlySet<number>,
): Seen {
  if (skipped.size === 0) return seen;
  const listed = [...skipped].map((index) => records[index]);
  const own = declaredVisitsOf(operation, holding(pointer, listed));
  const ofRecords = addressOf(operation.id, `${pointer}/*`);
  return {
    ...seen,
    visits: subtracted(seen.visits, own.visits, ofRecords),
    states: subtracted(seen.states, own.states, ofRecords),
  };
}

/** Counts below an address without some of them. */
function subtracted(counts: Visits, taken: Visits, address: string): Visits {
  const rest = { ...counts };
  for (const [name, count] of Object.entries(taken)) {
    if (!name.startsWith(address)) continue;
    rest[name] = (rest[name] ?? 0) - count;
    if ((rest[name] ?? 0) <= 0) delete rest[name];
  }
  return rest;
}

/** A body that holds a list at its place, and nothing else. */
export const holding = (pointer: string, list: unknown[]): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduceRight<unknown>((value, step) => ({ [step]: value }), list);

/** Known states of some records: how many have each. */
export function statesOfRecords(operation: Operation, pointer: string, records: unknown[]): Visits {
  const ofRecords = addressOf(operation.id, `${pointer}/*`);
  const { states } = declaredVisitsOf(operation, holding(pointer, records));
  return Object.fromEntries(Object.entries(states).filter(([state]) => state.startsWith(ofRecords)));
}
