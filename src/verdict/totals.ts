import { isClientFault } from '../../schemas/judge/classify.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Extent, Finding, Observation } from '../redact/observation.ts';
import { createRemainderFinding, formatFindingKey, isRemainderFinding } from '../redact/redact.ts';

/** Replaces the value of a parameter in a sum of requests whose values differ. */
const anyValue = '…';

/** Maximum number of values of a parameter that a sum counts, and of rejected or blocked requests of one kind that stay apart. */
const maxDistinct = 50;

const maxListed = 20;

/** Sums similar observations, such as all successful lookups of cards, so that memory does not grow with the number of requests. */
export class Totals {
  readonly #observationsByKey = new Map<string, Observation>();
  /** Details that keep similar observations apart: `blocked`, and the parameters of a rejection. */
  readonly #detailsByKind = new Map<string, Set<string>>();

  constructor(observations: Observation[] = []) {
    for (const observation of observations) this.add(observation);
  }

  /** Adds an observation to the sum of similar ones. Drops `content` and `mockExchange`, which cannot be summed up. */
  add({ content: _, mockExchange: __, ...observation }: Observation): void {
    const key = this.#assignKey(observation);
    const earlierSum = this.#observationsByKey.get(key);
    this.#observationsByKey.set(key, earlierSum ? addObservations(earlierSum, observation) : observation);
  }

  get observations(): Observation[] {
    return [...this.#observationsByKey.values()];
  }

  /**
   * Returns the key of the sum to which an observation belongs. After `maxDistinct` details of a kind, all others share one key.
   */
  #assignKey(observation: Observation): string {
    const { operation, expectsSuccess, configured, kind = 'other', status, parameters } = observation;
    const { blocked, lacksEnvelope, again, swept: isFromSweep, isApiCheck, requests } = observation;
    const flags = [expectsSuccess, configured, lacksEnvelope, again, isFromSweep, isApiCheck, requests > 0];
    const kindKey = JSON.stringify([operation, kind, status, flags, Object.keys(parameters)]);
    // A rejection keeps its parameters, because they show which of them was rejected.
    const detailKey = JSON.stringify([blocked, isClientFault(kind) && parameters]);
    const details = this.#detailsByKind.get(kindKey) ?? new Set();
    this.#detailsByKind.set(kindKey, details);
    if (!details.has(detailKey) && details.size >= maxDistinct) return `${kindKey}\n${anyValue}`;
    details.add(detailKey);
    return `${kindKey}\n${detailKey}`;
  }
}

/** Adds up counts, findings and numbers such as `bytes`. Drops durations. Other fields, such as `exchange`, are those of the first observation. */
function addObservations(first: Observation, second: Observation): Observation {
  const { firstByteMs: _, durationMs: __, ...withoutDurations } = first;
  return {
    ...withoutDurations,
    ...addCounts(pickSums(first), pickSums(second)),
    parameters: keepCommonParameters(first.parameters, second.parameters),
    exercised: mergeRecords(first.exercised, second.exercised, addExtents),
    covered: addCounts(first.covered, second.covered),
    findings: mergeFindings(first.findings, second.findings),
    affected: mergeRecords(first.affected, second.affected, addCounts),
    sent: limitValues(addCounts(first.sent, second.sent)),
    tolerated: [...new Set([...first.tolerated, ...second.tolerated])],
    undecided: mergeRecords(first.undecided, second.undecided, addCounts),
  };
}

const addExtents = (first: Extent, second: Extent): Extent => ({
  places: first.places + second.places,
  requests: first.requests + second.requests,
});

/** Adds two objects of counts: `{ a: 1 }` and `{ a: 2, b: 1 }` yield `{ a: 3, b: 1 }`. */
export const addCounts = (first: Counts = {}, second: Counts = {}): Counts =>
  mergeRecords(first, second, (firstCount, secondCount) => firstCount + secondCount);

function mergeRecords<Value>(
  first: Record<string, Value> = {},
  second: Record<string, Value> = {},
  combine: (firstValue: Value, secondValue: Value) => Value,
): Record<string, Value> {
  const mergedRecord = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const firstValue = Object.hasOwn(mergedRecord, name) ? mergedRecord[name] : undefined;
    mergedRecord[name] = firstValue === undefined ? value : combine(firstValue, value);
  }
  return mergedRecord;
}

/** Picks the numbers of an observation that a sum adds up, such as `bytes`: all but the HTTP status and the durations. */
function pickSums({ status: _, firstByteMs: __, durationMs: ___, ...observation }: Observation): Counts {
  const fields = Object.entries(observation);
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])),
  );
}

/** Returns the parameters of the first request, with `…` for each value that differs in the second. */
const keepCommonParameters = (first: Record<string, string>, second: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(first).map(([name, value]) => [name, second[name] === value ? value : anyValue]),
  );

/**
 * Keeps the counts of the first `maxDistinct` values of each parameter, because each lookup has another identifier.
 * @param valueCounts number of requests, keyed by `name=value`
 */
function limitValues(valueCounts: Counts): Counts {
  const valueNumbers = new Map<string, number>();
  return Object.fromEntries(
    Object.entries(valueCounts).filter(([pair]) => {
      const [name = ''] = pair.split('=');
      const valueNumber = (valueNumbers.get(name) ?? 0) + 1;
      valueNumbers.set(name, valueNumber);
      return valueNumber <= maxDistinct;
    }),
  );
}

/**
 * Adds findings to other ones. Those that differ only in request or array index become one. Beyond `maxListed` of one kind and
 * requirement, findings are counted in one remainder finding (`createRemainderFinding`).
 */
function mergeFindings(first: Finding[], second: Finding[]): Finding[] {
  if (second.length === 0) return first;
  const findings = new Map(first.map((finding) => [formatKey(finding), finding]));
  for (const finding of second) {
    const listedFindings = [...findings.values()].filter(
      (listedFinding) => formatGroup(listedFinding) === formatGroup(finding),
    );
    // A finding beyond `maxListed` is counted in a remainder finding, without a place of its own.
    const isListed =
      findings.has(formatKey(finding)) || isRemainderFinding(finding) || listedFindings.length < maxListed;
    const addedFinding = isListed ? finding : createRemainderFinding(finding, finding.places ?? 1);
    const earlierFinding = findings.get(formatKey(addedFinding));
    findings.set(
      formatKey(addedFinding),
      earlierFinding ? mergeFinding(earlierFinding, addedFinding) : addedFinding,
    );
  }
  return [...findings.values()];
}

const formatGroup = ({ kind, requirement }: Finding) => `${kind} ${requirement}`;
/** Equal for findings that differ at most in request or array index, and for all remainder findings of a group. */
const formatKey = (finding: Finding) =>
  isRemainderFinding(finding) ? `others ${formatGroup(finding)}` : formatFindingKey(finding);

/** Merges two findings with equal `formatKey`: the first one, with `places` and `requests` of both added up. */
function mergeFinding(first: Finding, second: Finding): Finding {
  const places = (first.places ?? 1) + (second.places ?? 1);
  const sum = { ...first, places, requests: (first.requests ?? 1) + (second.requests ?? 1) };
  return isRemainderFinding(first) ? { ...sum, ...createRemainderFinding(sum, places) } : sum;
}
