import type { Operation } from '../../schemas/contract/contract.ts';
import { pattern } from '../../schemas/contract/nodes.ts';
import type { Visits } from '../../schemas/judge/visits.ts';
import { type CountedFinding, FindingGroups, isOthers } from '../redaction/finding-groups.ts';
import { findingKey } from '../redaction/folded-findings.ts';
import type { Finding, Folded, Observation } from '../redaction/observation.ts';
import { undecidedIn } from '../relations/unconfirmed.ts';
import { listsOf, returnsEmptyList } from './empty-lists.ts';
import { isRejection } from './rejections.ts';
import { anyValue, exercisedIn, foundIn, requestCount, sentValues } from './request-counts.ts';

/** Values of one parameter that are kept apart, and different requests that were rejected, or had no response. */
const maxDistinct = 50;

/**
 * Observations of a run of any length, in memory that depends on the contract alone: those of requests of the same
 * kind become one that stands for all of them. What is said of the requirements stays the same; of findings the first
 * request is kept, and how many requests had them.
 */
export class FoldedObservations {
  readonly #folds = new Map<string, Fold>();
  /** What is counted apart of requests that are otherwise of one kind, by that kind. */
  readonly #distinct = new Map<string, Set<string>>();
  readonly #lists: Map<string, ReturnType<typeof listsOf>>;

  constructor(operations: Operation[]) {
    this.#lists = new Map(operations.map((operation) => [operation.id, listsOf(operation)]));
  }

  /** @param kept how often a rule between responses was kept by this one, by address */
  add(observation: Observation, kept: Visits = {}): void {
    const kind = this.#kindOf(observation);
    const detail = detailOf(observation);
    const known = this.#distinct.get(kind) ?? new Set();
    this.#distinct.set(kind, known);
    const isApart = known.has(detail) || known.size < maxDistinct;
    if (isApart) known.add(detail);
    const key = `${kind}\n${isApart ? detail : anyValue}`;
    const fold = this.#folds.get(key) ?? new Fold(observation);
    this.#folds.set(key, fold);
    fold.add(observation, kept);
  }

  list(): Observation[] {
    return [...this.#folds.values()].map((fold) => fold.observation());
  }

  /** What verdicts and notes look at beside sums: nothing that grows with a target's data. */
  #kindOf(observation: Observation): string {
    const { operation, expectsSuccess, configured, response, status, parameters } = observation;
    const { notSent, lacksEnvelope, again, rejectedInBody } = observation;
    const isEmpty = returnsEmptyList(this.#lists.get(operation) ?? [], observation);
    const flags = [expectsSuccess, configured, notSent, lacksEnvelope, again, isEmpty, rejectedInBody];
    return JSON.stringify([operation, response, status, flags, Object.keys(parameters).sort()]);
  }
}

/** A rejection is attributed to a parameter by what else was sent with it. */
function detailOf(observation: Observation): string {
  const { blocked, parameters } = observation;
  const isRejected = isRejection(observation) || observation.rejectedInBody;
  return blocked === undefined && !isRejected ? '' : JSON.stringify([blocked, isRejected ? parameters : {}]);
}

/** One observation in the making. */
class Fold {
  readonly #first: Observation;
  readonly #folded: Folded = { requests: 0, exercised: {}, found: {}, sent: {} };
  readonly #visits: Visits = {};
  readonly #states: Visits = {};
  readonly #findings = new FindingGroups();
  readonly #tolerated = new Set<number>();
  readonly #values = new Map<string, Set<string>>();
  #parameters: Record<string, string>;
  readonly #effort: Visits = {};
  readonly #undecided: Record<string, string> = {};
  /** Whether nothing was added to the first one. */
  #isOne = true;

  constructor(first: Observation) {
    this.#first = first;
    this.#parameters = first.parameters;
  }

  add(observation: Observation, kept: Visits): void {
    const { visits, states, findings, tolerated, bytes = 0, repeated = 0 } = observation;
    const { exercised } = this.#folded;
    if (observation !== this.#first) this.#isOne = false;
    this.#folded.requests += requestCount(observation);
    for (const address of Object.keys(visits))
      increase(exercised, address, exercisedIn(observation, address));
    for (const address of Object.keys(kept))
      if (!Object.hasOwn(visits, address)) increase(exercised, address, 1);
    for (const [address, counts] of Object.entries(foundIn(observation)))
      this.#folded.found[address] = sum(this.#folded.found[address] ?? {}, counts);
    addAll(this.#visits, visits);
    addAll(this.#visits, kept);
    addAll(this.#states, states);
    this.#addFindings(findings);
    for (const line of tolerated) this.#tolerated.add(line);
    this.#addUndecided(observation);
    this.#addParameters(observation);
    addAll(this.#effort, { bytes, repeated });
  }

  #addUndecided(observation: Observation): void {
    for (const [address, reason] of Object.entries(observation.undecided ?? {}))
      this.#undecided[address] ??= reason;
    for (const [address, counts] of Object.entries(undecidedIn(observation))) {
      const { undecided = {} } = this.#folded;
      this.#folded.undecided = { ...undecided, [address]: sum(undecided[address] ?? {}, counts) };
    }
  }

  #addFindings(findings: Finding[]): void {
    const requests = new Map<CountedFinding, number>();
    for (const finding of findings) {
      const key = isOthers(finding) ? undefined : findingKey(pattern(finding.pointer), finding);
      const counted = this.#findings.at(finding, key, () => finding);
      counted.places += finding.places ?? 1;
      requests.set(counted, Math.max(requests.get(counted) ?? 0, finding.requests ?? 1));
    }
    for (const [counted, count] of requests) counted.requests += count;
  }

  #addParameters(observation: Observation): void {
    const { parameters } = this.#first;
    for (const [name, value] of Object.entries(observation.parameters))
      if (parameters[name] !== value) this.#parameters = { ...this.#parameters, [name]: anyValue };
    for (const [pair, count] of Object.entries(sentValues(observation)))
      if (this.#isKept(pair)) increase(this.#folded.sent, pair, count);
  }

  #isKept(pair: string): boolean {
    const name = pair.slice(0, pair.indexOf('='));
    const values = this.#values.get(name) ?? new Set();
    this.#values.set(name, values);
    if (values.size < maxDistinct) values.add(pair);
    return values.has(pair);
  }

  observation(): Observation {
    const { folded } = structuredClone({ folded: this.#folded });
    if (folded.requests === 1 && this.#isOne) return { ...this.#first, visits: { ...this.#visits } };
    const { firstByteMs: _, durationMs: __, ...first } = this.#first;
    return {
      ...first,
      parameters: this.#parameters,
      visits: { ...this.#visits },
      states: { ...this.#states },
      findings: this.#findings.list(),
      tolerated: [...this.#tolerated],
      ...Object.fromEntries(Object.entries(this.#effort).filter(([, total]) => total > 0)),
      ...(Object.keys(this.#undecided).length > 0 ? { undecided: this.#undecided } : {}),
      folded,
    };
  }
}

const sum = (one: Visits, other: Visits): Visits => {
  const sums = { ...one };
  addAll(sums, other);
  return sums;
};

function addAll(sums: Visits, counts: Visits): void {
  for (const name of Object.keys(counts)) increase(sums, name, counts[name] ?? 0);
}

function increase(sums: Visits, name: string, count: number): void {
  sums[name] = (sums[name] ?? 0) + count;
}
