import type { Operation } from '../../schemas/contract.ts';
import { iterable } from '../../schemas/iterable.ts';
import { judge } from '../../schemas/judge.ts';
import { type HttpResponse, type Judgement, report, type Violation } from '../../schemas/judgement.ts';
import { type Entry, toleration } from '../../schemas/ledger.ts';
import { addressOf } from '../../schemas/nodes.ts';
import { type Visits, visitsOf } from '../../schemas/visits.ts';
import { type Effort, effortOf } from '../client/http-client.ts';
import type { Observation, Request } from '../client/observation.ts';
import { observeExchange } from '../exchanges/observe-exchange.ts';
import { type Arguments, requestOf, valuesOf } from '../exchanges/request.ts';
import type { Part } from './paging.ts';

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

/** What a page says of the contract: of each record that is not left out, once. */
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
  left: ReadonlySet<number>;
  /** Whether one of these is known to break a requirement: what was right when it was judged may come back broken. */
  isKnownBroken(index: number): boolean;
  /** The rule that was judged by them, and what breaks it. */
  rule?: string;
  violations: Violation[];
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
  const whole = judge(exchange);
  const { rule, violations } = beside;
  const left = beside.left.size > 0 ? stillLeft(whole, rules, beside) : beside.left;
  const judgement = left.size > 0 ? without(whole, rules, records, left) : whole;
  const judged = judgement.visits[addressOf(operation.id, `${pointer}/*`)] ?? 0;
  if (rule !== undefined && judged > 0) judgement.visits[rule] = judged;
  report(judgement, violations);
  const broken = new Map<string, Set<number>>();
  const noted: Judgement = { ...judgement, violations: noting(judgement, rules, broken) };
  const observation = { ...observeExchange(exchange, request, noted, entries), ...effortOf(answer) };
  return { observation, judged, broken };
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

/** What is left out of a page: a record that breaks something for the first time is judged again. */
function stillLeft(
  { violations, body }: Judgement,
  rules: PageRules,
  { left, isKnownBroken }: Beside,
): Set<number> {
  const still = new Set(left);
  for (const violation of violations) {
    const index = brokenIndex(violation, rules, body);
    if (index !== undefined && still.has(index) && !isKnownBroken(index)) still.delete(index);
  }
  return still;
}

/** The violations of a judgement, noted as they pass. */
function noting(
  { violations, body }: Judgement,
  rules: PageRules,
  broken: Map<string, Set<number>>,
): Iterable<Violation> {
  const note = (violation: Violation) => {
    const index = brokenIndex(violation, rules, body);
    if (index !== undefined)
      broken.set(violation.requirement, (broken.get(violation.requirement) ?? new Set()).add(index));
  };
  return iterable(() => passing(violations, note));
}

function* passing<T>(all: Iterable<T>, note: (one: T) => void): Generator<T> {
  for (const one of all) {
    note(one);
    yield one;
  }
}

/** A judgement as if some records were not listed. */
function without(
  judgement: Judgement,
  { operation, pointer }: PageRules,
  records: unknown[],
  left: ReadonlySet<number>,
): Judgement {
  const isLeft = ({ pointer: place }: { pointer: string }) => left.has(indexOf(pointer, place) ?? -1);
  const own = visitsOf(
    operation,
    holding(
      pointer,
      [...left].map((index) => records[index]),
    ),
  );
  const ofRecords = addressOf(operation.id, `${pointer}/*`);
  return {
    ...judgement,
    violations: filtered(judgement.violations, isLeft),
    undeclared: filtered(judgement.undeclared, isLeft),
    visits: less(judgement.visits, own.visits, ofRecords),
    states: less(judgement.states, own.states, ofRecords),
  };
}

const filtered = <T>(all: Iterable<T>, isLeft: (one: T) => boolean): Iterable<T> =>
  iterable(() => remaining(all, isLeft));

function* remaining<T>(all: Iterable<T>, isLeft: (one: T) => boolean): Generator<T> {
  for (const one of all) if (!isLeft(one)) yield one;
}

/** Counts below an address without some of them. */
function less(counts: Visits, taken: Visits, address: string): Visits {
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
  const { states } = visitsOf(operation, holding(pointer, records));
  return Object.fromEntries(Object.entries(states).filter(([state]) => state.startsWith(ofRecords)));
}
