import { isClientFault } from '../../schemas/judge/classify.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Finding, JudgementCounts, Observation } from '../redact/observation.ts';
import { createRemainderFinding, formatFindingKey, isRemainderFinding } from '../redact/redact.ts';

/** Replaces a value that differs between the observations of a sum. */
const differingValues = '…';
const maxCountedValues = 50;
/** Maximum number of sums per group of similar observations. All further failures of the group share one sum. */
const maxSeparateFailures = 50;
const maxListed = 20;

/** Adds up similar observations, such as all successful lookups of cards, so that memory does not grow with each request. */
export class Totals {
  readonly #observationsByKey = new Map<string, Observation>();
  /** Failures that have a sum of their own, such as HTTP 404 to `user_id=1`. Keyed by group of similar observations. */
  readonly #failuresByGroup = new Map<string, Set<string>>();

  constructor(observations: Observation[] = []) {
    for (const observation of observations) this.add(observation);
  }

  /** Adds an observation to the sum of similar ones. Drops `content` and `mockExchange`, which are of a single response. */
  add({ content: _, mockExchange: __, ...observation }: Observation): void {
    const key = this.#assignKey(observation);
    const earlierSum = this.#observationsByKey.get(key);
    const sum = earlierSum ? addObservations(earlierSum, observation) : observation;
    this.#observationsByKey.set(key, sum);
  }

  get observations(): Observation[] {
    return [...this.#observationsByKey.values()];
  }

  /** Returns the key of the sum to which an observation belongs. Similar successes have the same key. */
  #assignKey(observation: Observation): string {
    const group = formatObservationGroup(observation);
    const failure = formatFailureKey(observation);
    const failures = this.#failuresByGroup.get(group) ?? new Set();
    this.#failuresByGroup.set(group, failures);
    const isFull = failures.size >= maxSeparateFailures;
    if (isFull && !failures.has(failure)) return `${group}\n${differingValues}`;
    failures.add(failure);
    return `${group}\n${failure}`;
  }
}

/** Formats the properties that similar observations have in common, such as operation and HTTP status. */
function formatObservationGroup(observation: Observation): string {
  const { operation, expectsSuccess, configured, kind = 'other', status, parameters } = observation;
  const { lacksEnvelope, again, swept: isFromSweep, isApiCheck, requests } = observation;
  const flags = [expectsSuccess, configured, lacksEnvelope, again, isFromSweep, isApiCheck, requests > 0];
  return JSON.stringify([operation, kind, status, flags, Object.keys(parameters)]);
}

/** Formats why a request failed, such as a rejected parameter. Equal for all observations that did not fail. */
function formatFailureKey({ blocked, kind = 'other', parameters }: Observation): string {
  // The parameters of several rejections show together which parameter was rejected.
  return JSON.stringify([blocked, isClientFault(kind) && parameters]);
}

/**
 * Merges two observations. Adds up counts, and numbers such as `bytes`. Joins lists such as `findings`. Takes other fields, such as
 * `exchange`, from `first`.
 */
function addObservations(first: Observation, second: Observation): Observation {
  // A sum of observations has no durations: each is of a single request.
  const { firstByteMs: _, durationMs: __, ...firstWithoutDurations } = first;
  const numberSums = addCounts(pickAddableNumbers(first), pickAddableNumbers(second));
  const requestsByParameterValue = addCounts(first.sent, second.sent);
  const toleratedPlaces = new Set([...first.tolerated, ...second.tolerated]);
  return {
    ...firstWithoutDurations,
    ...numberSums,
    parameters: maskDifferingValues(first.parameters, second.parameters),
    exercised: mergeByKey(first.exercised, second.exercised, addJudgementCounts),
    covered: addCounts(first.covered, second.covered),
    findings: mergeFindings(first.findings, second.findings),
    affected: mergeByKey(first.affected, second.affected, addCounts),
    sent: keepFirstValues(requestsByParameterValue),
    tolerated: [...toleratedPlaces],
    undecided: mergeByKey(first.undecided, second.undecided, addCounts),
  };
}

const addJudgementCounts = (first: JudgementCounts, second: JudgementCounts): JudgementCounts => ({
  places: first.places + second.places,
  requests: first.requests + second.requests,
});

/** Adds up two objects of counts: `{ a: 1 }` and `{ a: 2, b: 1 }` become `{ a: 3, b: 1 }`. */
export const addCounts = (first: Counts = {}, second: Counts = {}): Counts =>
  mergeByKey(first, second, (firstCount, secondCount) => firstCount + secondCount);

/** Merges two objects. For a key in both, combines the two values. */
function mergeByKey<Value>(
  first: Record<string, Value> = {},
  second: Record<string, Value> = {},
  combine: (firstValue: Value, secondValue: Value) => Value,
): Record<string, Value> {
  const merged = { ...first };
  for (const [key, secondValue] of Object.entries(second)) {
    const isInBoth = Object.hasOwn(first, key);
    merged[key] = isInBoth ? combine(first[key] as Value, secondValue) : secondValue;
  }
  return merged;
}

/** Picks the numbers that can be added up, such as `bytes`: all except the HTTP status and the durations. */
function pickAddableNumbers(observation: Observation): Counts {
  const { status: _, firstByteMs: __, durationMs: ___, ...fields } = observation;
  const numbers: Counts = {};
  for (const [name, value] of Object.entries(fields)) if (typeof value === 'number') numbers[name] = value;
  return numbers;
}

/** Replaces values that differ by "…": `{ user_id: '1' }` and `{ user_id: '2' }` become `{ user_id: '…' }`. */
function maskDifferingValues(
  first: Record<string, string>,
  second: Record<string, string>,
): Record<string, string> {
  const masked = { ...first };
  for (const [name, value] of Object.entries(first))
    if (second[name] !== value) masked[name] = differingValues;
  return masked;
}

/**
 * Keeps the counts of the first `maxCountedValues` values of each parameter, so that memory does not grow with each identifier.
 * @param countByPair number of requests, keyed by parameter and value, such as `type=user`
 */
function keepFirstValues(countByPair: Counts): Counts {
  const keptCounts: Counts = {};
  const valueCountByParameter = new Map<string, number>();
  for (const [pair, requestCount] of Object.entries(countByPair)) {
    const [parameterName = ''] = pair.split('=');
    const valueNumber = (valueCountByParameter.get(parameterName) ?? 0) + 1;
    valueCountByParameter.set(parameterName, valueNumber);
    if (valueNumber <= maxCountedValues) keptCounts[pair] = requestCount;
  }
  return keptCounts;
}

/**
 * Merges two lists of findings. Findings that differ only in the request or in an array index become one finding with a count. If a
 * requirement has many findings, only the first ones are listed, and one finding "… and 3 more places" counts the rest.
 */
function mergeFindings(first: Finding[], second: Finding[]): Finding[] {
  if (second.length === 0) return first;
  const findingByKey = new Map(first.map((finding) => [formatKey(finding), finding]));
  for (const finding of second) {
    const isListed = findingByKey.has(formatKey(finding));
    const mayBeListed = isListed || hasRoomForGroup([...findingByKey.values()], finding);
    const addedFinding = mayBeListed ? finding : createRemainderFinding(finding, finding.places ?? 1);
    const key = formatKey(addedFinding);
    const earlierFinding = findingByKey.get(key);
    const sum = earlierFinding ? addUpFindings(earlierFinding, addedFinding) : addedFinding;
    findingByKey.set(key, sum);
  }
  return [...findingByKey.values()];
}

function hasRoomForGroup(listedFindings: Finding[], finding: Finding): boolean {
  const group = formatFindingGroup(finding);
  const findingsOfGroup = listedFindings.filter((listed) => formatFindingGroup(listed) === group);
  return findingsOfGroup.length < maxListed;
}

const formatFindingGroup = ({ kind, requirement }: Finding) => `${kind} ${requirement}`;

/** Formats a key that is equal for findings that become one. A remainder finding counts all further findings of its group. */
const formatKey = (finding: Finding) =>
  isRemainderFinding(finding) ? `others ${formatFindingGroup(finding)}` : formatFindingKey(finding);

function addUpFindings(first: Finding, second: Finding): Finding {
  const places = (first.places ?? 1) + (second.places ?? 1);
  const requests = (first.requests ?? 1) + (second.requests ?? 1);
  const sum = { ...first, places, requests };
  // The text of a remainder finding, "… and 3 more places", contains the number of places.
  return isRemainderFinding(first) ? createRemainderFinding(sum, places) : sum;
}
