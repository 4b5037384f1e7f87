import { pick } from '../../schemas/json.ts';
import { isClientFault } from '../../schemas/judge/classify.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Extent, Finding, Observation } from '../redact/observation.ts';
import { createRemainderFinding, formatFindingKey, isRemainderFinding } from '../redact/redact.ts';

/** What stands for the values of a parameter, where requests of one kind were sent with several. */
const anyValue = '…';

/** Values of one parameter, and requests that were rejected or had no response, that are kept apart. */
const maxDistinct = 50;

/** Findings of one kind and requirement that are listed; the others are counted. */
const maxListed = 20;

/**
 * What the observations of a run add up to, in memory that depends on the contract alone: those of requests of one kind
 * become one that stands for all of them. Plain JSON, so that it is written to disk as it is, and merged by being added.
 */
export class Totals {
  /** By their kinds, in the order in which these were first added. */
  readonly #sums = new Map<string, Observation>();
  /** What is kept apart of requests that are otherwise of one kind, by that kind. */
  readonly #distinct = new Map<string, Set<string>>();

  constructor(observations: Observation[] = []) {
    for (const observation of observations) this.add(observation);
  }

  add(observation: Observation): void {
    const key = this.#keyOf(observation);
    const known = this.#sums.get(key);
    this.#sums.set(key, known ? sumOf(known, observation) : observation);
  }

  get observations(): Observation[] {
    return [...this.#sums.values()];
  }

  /** What verdicts and notes look at beside sums: nothing that grows with a target's data. */
  #keyOf(observation: Observation): string {
    const { operation, expectsSuccess, configured, kind = 'other', status, parameters } = observation;
    const { blocked, lacksEnvelope, again, swept, requests } = observation;
    const flags = [expectsSuccess, configured, lacksEnvelope, again, swept, requests > 0];
    const shared = JSON.stringify([operation, kind, status, flags, Object.keys(parameters)]);
    // A rejection is attributed to a parameter by what else was sent with it.
    const detail = JSON.stringify([blocked, isClientFault(kind) && parameters]);
    const known = this.#distinct.get(shared) ?? new Set();
    this.#distinct.set(shared, known);
    if (!known.has(detail) && known.size >= maxDistinct) return `${shared}\n${anyValue}`;
    known.add(detail);
    return `${shared}\n${detail}`;
  }
}

/** Two observations of one kind as one; what cannot be added is that of the first. */
function sumOf(one: Observation, more: Observation): Observation {
  const { firstByteMs: _, durationMs: __, ...first } = one;
  return {
    ...first,
    requests: one.requests + more.requests,
    parameters: commonParameters(one.parameters, more.parameters),
    exercised: merged(one.exercised, more.exercised, sumOfExtents),
    covered: sumOfCounts(one.covered, more.covered),
    findings: sumOfFindings(one.findings, more.findings),
    affected: merged(one.affected, more.affected, sumOfCounts),
    sent: withoutRareValues(sumOfCounts(one.sent, more.sent)),
    tolerated: [...new Set([...one.tolerated, ...more.tolerated])],
    ...sumOfCounts(pick(one, sizes), pick(more, sizes)),
    undecided: merged(one.undecided, more.undecided, sumOfCounts),
  };
}

const sumOfExtents = (one: Extent, more: Extent): Extent => ({
  places: one.places + more.places,
  requests: one.requests + more.requests,
});

/** Numbers by name, summed. */
export const sumOfCounts = (one: Counts = {}, more: Counts = {}): Counts =>
  merged(one, more, (first, second) => first + second);

/** All that either has; what both have, as one. */
function merged<Value>(
  one: Record<string, Value> = {},
  more: Record<string, Value> = {},
  sum: (one: Value, more: Value) => Value,
): Record<string, Value> {
  const all = { ...one };
  for (const [name, value] of Object.entries(more)) {
    const known = Object.hasOwn(all, name) ? all[name] : undefined;
    all[name] = known === undefined ? value : sum(known, value);
  }
  return all;
}

const sizes = ['bytes', 'repeated'] as const;

const commonParameters = (one: Record<string, string>, more: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(one).map(([name, value]) => [name, more[name] === value ? value : anyValue]),
  );

/** Of each parameter some values: of one that only identifies a record, there are as many as requests. */
function withoutRareValues(sent: Counts): Counts {
  const kept = new Map<string, number>();
  return Object.fromEntries(
    Object.entries(sent).filter(([pair]) => {
      const [name = ''] = pair.split('=');
      const count = (kept.get(name) ?? 0) + 1;
      kept.set(name, count);
      return count <= maxDistinct;
    }),
  );
}

/** Those that differ in nothing but the request and indices are one; of many the first are listed, and the others counted. */
function sumOfFindings(one: Finding[], more: Finding[]): Finding[] {
  if (more.length === 0) return one;
  const findings = new Map(one.map((finding) => [keyOf(finding), finding]));
  for (const finding of more) {
    const alike = [...findings.values()].filter((known) => groupOf(known) === groupOf(finding));
    const isListed = findings.has(keyOf(finding)) || isRemainderFinding(finding) || alike.length < maxListed;
    const added = isListed ? finding : createRemainderFinding(finding, finding.places ?? 1);
    const known = findings.get(keyOf(added));
    findings.set(keyOf(added), known ? sumOfFinding(known, added) : added);
  }
  return [...findings.values()];
}

const groupOf = ({ kind, requirement }: Finding) => `${kind} ${requirement}`;
const keyOf = (finding: Finding) =>
  isRemainderFinding(finding) ? `others ${groupOf(finding)}` : formatFindingKey(finding);

function sumOfFinding(one: Finding, more: Finding): Finding {
  const places = (one.places ?? 1) + (more.places ?? 1);
  const sum = { ...one, places, requests: (one.requests ?? 1) + (more.requests ?? 1) };
  return isRemainderFinding(one) ? { ...sum, ...createRemainderFinding(sum, places) } : sum;
}
