import type { Operation } from '../../schemas/contract/contract.ts';
import { type Entry, toleration } from '../../schemas/contract/ledger.ts';
import { http, ruleAddress } from '../../schemas/contract/requirements.ts';
import { notJudged } from '../../schemas/judge/judge.ts';
import type { Judgement, Violation } from '../../schemas/judge/judgement.ts';
import { declaredFieldsRule } from '../../schemas/judge/rules.ts';
import type { Undeclared } from '../../schemas/judge/undeclared.ts';
import { schemaAt } from '../../schemas/judge/violations.ts';
import type { Visits } from '../../schemas/judge/visits.ts';
import { describeMediaType, describeValue } from './describe-value.ts';
import { FoldedFindings, type UnfoldedFinding } from './folded-findings.ts';
import type { LedgerPlace, Observation, Request } from './observation.ts';
import { receivedOf } from './received.ts';
import { describeUndeclared, isToleratedName } from './undeclared-fields.ts';

/**
 * Turns a judgement into what may be kept of it; the single point at which values are redacted. What was found is
 * taken one by one, held against the ledger, and folded: an answer may hold millions of the same.
 */
export function observe(
  operation: Operation,
  request: Request,
  judgement: Judgement,
  entries: Entry[],
): Omit<Observation, 'expectsSuccess'> {
  const builder = new ObservationBuilder(operation, request, judgement.visits);
  try {
    for (const violation of judgement.violations)
      keepViolation(builder, operation, violation, judgement, entries);
    for (const field of judgement.undeclared) keepUndeclared(builder, operation, field, judgement, entries);
    // Only now is it known whether looking for them has failed.
    const { states, blocked } = judgement;
    if (blocked) return blockedObservation(request, builder, blocked);
    // Of each exchange: spreading would take ten times as long.
    return Object.assign({}, request, { states, visits: builder.visits }, builder.list());
  } catch (error) {
    return blockedObservation(request, builder, notJudged(error));
  }
}

const blockedObservation = (request: Request, builder: ObservationBuilder, blocked: string) => ({
  ...request,
  ...builder.list(),
  blocked,
  visits: {},
  states: {},
});

/** The findings of a judgement so far. Most often nothing is found: then nothing is made ready for it. */
class ObservationBuilder {
  readonly #operation: Operation;
  readonly #request: Request;
  #findings: FoldedFindings | undefined;
  #tolerated: Set<number> | undefined;
  visits: Visits;

  constructor(operation: Operation, request: Request, visits: Visits) {
    this.#operation = operation;
    this.#request = request;
    this.visits = visits;
  }

  get findings(): FoldedFindings {
    this.#findings ??= new FoldedFindings(this.#operation, this.#request);
    return this.#findings;
  }

  tolerate({ line }: Entry): void {
    this.#tolerated ??= new Set();
    this.#tolerated.add(line);
  }

  list(): Pick<Observation, 'findings' | 'tolerated'> {
    return { findings: this.#findings?.list() ?? [], tolerated: [...(this.#tolerated ?? [])] };
  }
}

function keepViolation(
  builder: ObservationBuilder,
  operation: Operation,
  violation: Violation,
  { body }: Judgement,
  entries: Entry[],
): void {
  const { findings, visits } = builder;
  const entry = toleration(violation, entries, body);
  if (entry) builder.tolerate(entry);
  const { requirement, places } = violation;
  // Most often nothing is missing: then nothing is copied.
  if (!Object.hasOwn(visits, requirement)) builder.visits = { ...visits, [requirement]: 1 };
  if (!findings.count(kindOf(entry), requirement, places))
    findings.add(unfolded(operation, violation, entry));
}

function unfolded(operation: Operation, found: Violation, entry: Entry | undefined): UnfoldedFinding {
  const violation = withSchema(operation, found);
  const { requirement, pointer, place, places, expected } = violation;
  const actual = violation.actual ?? describeActual(operation, violation);
  const tolerated = entry ? { because: entry.because, ledger: ledgerPlaceOf(entry) } : {};
  const received = entry ? undefined : () => receivedOf(operation, violation);
  return {
    kind: kindOf(entry),
    requirement,
    pointer,
    place,
    places,
    expected,
    actual,
    received,
    ...tolerated,
  };
}

const kindOf = (entry: Entry | undefined) => (entry ? 'deviation' : 'violation');

/** Where an entry stands, as a finding says it. */
export const ledgerPlaceOf = ({ line, until, link }: Entry): LedgerPlace => ({
  line,
  ...(until ? { until } : {}),
  ...(link ? { link } : {}),
});

function describeActual(operation: Operation, { requirement, value, schema }: Violation): string {
  return requirement === http(operation.id).contentType
    ? describeMediaType(value)
    : describeValue(value, schema);
}

/** With the schema of its place, should only that be known. */
function withSchema(operation: Operation, violation: Violation): Violation {
  const { schema, pointer } = violation;
  const own = schema ?? (pointer.startsWith('/') ? schemaAt(operation, pointer) : undefined);
  return own ? { ...violation, schema: own } : violation;
}

function keepUndeclared(
  { findings }: ObservationBuilder,
  operation: Operation,
  field: Undeclared,
  { body }: Judgement,
  entries: Entry[],
): void {
  const rule = declaredFieldsRule(operation);
  if (!rule || isToleratedName(operation, field, entries, body)) return;
  const requirement = ruleAddress(operation.id, rule);
  if (findings.count('undeclared', requirement)) return;
  findings.add({ kind: 'undeclared', requirement, pointer: field.pointer, ...describeUndeclared(field) });
}
