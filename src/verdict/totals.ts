import { isClientFault } from '../../schemas/judge/classify.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Finding, JudgementCounts, Observation } from '../redact/observation.ts';
import { createRemainderFinding, formatFindingKey, isRemainderFinding } from '../redact/redact.ts';

/** Placeholder for parameter values that differ between summed observations. */
const differingValues = '…';
const maxCountedValues = 50;
/** Maximum number of separate sums for similar failures, such as of identifiers that get HTTP 404. Further ones share one sum. */
const maxSeparateFailures = 50;
const maxFindingsPerRequirement = 20;

/** Adds up similar observations to save memory: 1000 lookups of cards become one `Observation` with `requests: 1000`. */
export class Totals {
  readonly #observationsByKey = new Map<string, Observation>();
  readonly #failuresBySimilarity = new Map<string, Set<string>>();

  constructor(observations: Observation[] = []) {
    for (const observation of observations) this.add(observation);
  }

  // `content` and `mockExchange` describe a single response.
  add({ content: _, mockExchange: __, ...observation }: Observation): void {
    const key = this.#chooseKey(observation);
    const earlierSum = this.#observationsByKey.get(key);
    const sum = earlierSum ? addObservations(earlierSum, observation) : observation;
    this.#observationsByKey.set(key, sum);
  }

  get observations(): Observation[] {
    return [...this.#observationsByKey.values()];
  }

  #chooseKey(observation: Observation): string {
    const similarity = formatSimilarity(observation);
    const failure = formatFailure(observation);
    const separateFailures = this.#failuresBySimilarity.get(similarity) ?? new Set();
    this.#failuresBySimilarity.set(similarity, separateFailures);
    const isFull = separateFailures.size >= maxSeparateFailures;
    if (isFull && !separateFailures.has(failure)) return `${similarity}\nfurther failures`;
    separateFailures.add(failure);
    return `${similarity}\n${failure}`;
  }
}

function formatSimilarity(observation: Observation): string {
  const { operation, kind = 'other', status, parameters } = observation;
  const { expectsSuccess, configured, lacksEnvelope, again, swept, isApiCheck } = observation;
  // A contradiction between two responses has `requests: 0`.
  const isContradiction = observation.requests === 0;
  const flags = [expectsSuccess, configured, lacksEnvelope, again, swept, isApiCheck, isContradiction];
  return JSON.stringify([operation, kind, status, flags, Object.keys(parameters)]);
}

function formatFailure({ blocked, kind = 'other', parameters }: Observation): string {
  // Rejections with different parameters are kept apart, because a comparison of them shows which parameter was rejected.
  const rejectedParameters = isClientFault(kind) ? parameters : undefined;
  return JSON.stringify([blocked, rejectedParameters]);
}

function addObservations(first: Observation, second: Observation): Observation {
  const { firstByteMs: _, durationMs: __, ...firstWithoutDurations } = first;
  const numberSums = addCounts(pickAddableNumbers(first), pickAddableNumbers(second));
  const requestsByParameterValue = addCounts(first.parameterValueCounts, second.parameterValueCounts);
  const locationsOfUsedEntries = new Set([...first.usedLedgerEntries, ...second.usedLedgerEntries]);
  return {
    // Texts such as `requestText` stay those of the first observation.
    ...firstWithoutDurations,
    ...numberSums,
    // Similar observations have the same parameter names. Values that differ become `…`.
    parameters: mergeByKey(first.parameters, second.parameters, maskIfDifferent),
    exercised: mergeByKey(first.exercised, second.exercised, addJudgementCounts),
    documentedValueCounts: addCounts(first.documentedValueCounts, second.documentedValueCounts),
    findings: mergeFindings(first.findings, second.findings),
    affectedRequests: mergeByKey(first.affectedRequests, second.affectedRequests, addCounts),
    parameterValueCounts: keepFirstValues(requestsByParameterValue),
    usedLedgerEntries: [...locationsOfUsedEntries],
    undecided: mergeByKey(first.undecided, second.undecided, addCounts),
  };
}

const maskIfDifferent = (value: string, otherValue: string): string =>
  value === otherValue ? value : differingValues;

const addJudgementCounts = (first: JudgementCounts, second: JudgementCounts): JudgementCounts => ({
  places: first.places + second.places,
  requests: first.requests + second.requests,
});

/** Adds up two `Counts` key by key. For example, `{ a: 1 }` and `{ a: 2, b: 1 }` become `{ a: 3, b: 1 }`. */
export const addCounts = (first: Counts = {}, second: Counts = {}): Counts =>
  mergeByKey(first, second, (firstCount, secondCount) => firstCount + secondCount);

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

function pickAddableNumbers(observation: Observation): Counts {
  const { status: _, firstByteMs: __, durationMs: ___, ...fields } = observation;
  const numbers: Counts = {};
  for (const [name, value] of Object.entries(fields)) if (typeof value === 'number') numbers[name] = value;
  return numbers;
}

/**
 * Keeps the counts of the first `maxCountedValues` values of each parameter. Drops the counts of further values to limit memory. A
 * key is a parameter with its value, such as `type=user`.
 */
function keepFirstValues(requestsByParameterValue: Counts): Counts {
  const keptCounts: Counts = {};
  const valueCountByParameter = new Map<string, number>();
  for (const [key, requestCount] of Object.entries(requestsByParameterValue)) {
    const [parameterName = ''] = key.split('=');
    const valueNumber = (valueCountByParameter.get(parameterName) ?? 0) + 1;
    valueCountByParameter.set(parameterName, valueNumber);
    if (valueNumber <= maxCountedValues) keptCounts[key] = requestCount;
  }
  return keptCounts;
}

/**
 * Merges two lists of findings. Findings that differ only in request or array index become one finding. For each kind and
 * requirement, up to 20 findings are listed, and one more finding counts the rest.
 */
function mergeFindings(first: Finding[], second: Finding[]): Finding[] {
  if (second.length === 0) return first;
  const findingByKey = new Map(first.map((finding) => [formatKey(finding), finding]));
  for (const finding of second) addFinding(findingByKey, finding);
  return [...findingByKey.values()];
}

function addFinding(findingByKey: Map<string, Finding>, finding: Finding): void {
  const isListed = findingByKey.has(formatKey(finding));
  const mayBeListed = isListed || hasRoomFor(finding, [...findingByKey.values()]);
  // Too many findings of one requirement: the finding "… and 3 more places" counts the further ones.
  const addedFinding = mayBeListed ? finding : createRemainderFinding(finding, finding.places ?? 1);
  // All remainder findings of one kind and requirement have the same key, so they become one finding.
  const key = formatKey(addedFinding);
  const earlierFinding = findingByKey.get(key);
  const sum = earlierFinding ? addUpFindings(earlierFinding, addedFinding) : addedFinding;
  findingByKey.set(key, sum);
}

function hasRoomFor({ kind, requirement }: Finding, listedFindings: Finding[]): boolean {
  const similarFindings = listedFindings.filter(
    (listed) => listed.kind === kind && listed.requirement === requirement,
  );
  return similarFindings.length < maxFindingsPerRequirement;
}

function formatKey(finding: Finding): string {
  const { kind, requirement } = finding;
  return isRemainderFinding(finding) ? `others ${kind} ${requirement}` : formatFindingKey(finding);
}

function addUpFindings(first: Finding, second: Finding): Finding {
  const places = (first.places ?? 1) + (second.places ?? 1);
  const requests = (first.requests ?? 1) + (second.requests ?? 1);
  const sum = { ...first, places, requests };
  // The text of a remainder finding, "… and 3 more places", contains the number of places.
  return isRemainderFinding(first) ? createRemainderFinding(sum, places) : sum;
}
