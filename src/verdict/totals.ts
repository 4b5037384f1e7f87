import { isClientFault } from '../../schemas/judge/classify.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Finding, JudgementCounts, Observation } from '../redact/observation.ts';
import { createRemainderFinding, formatFindingKey, isRemainderFinding } from '../redact/redact.ts';

const anyValue = '…';

/** Maximum number of values that are counted for a parameter, and of separate sums for one kind of failed requests. */
const maxDistinct = 50;

const maxListed = 20;

/** Adds up similar observations, such as all successful lookups of cards, so that memory does not grow with each request. */
export class Totals {
  readonly #observationsByKey = new Map<string, Observation>();
  /** Details with sums of their own, keyed by `kindKey`: the reason in `blocked`, and the parameters of a rejected request. */
  readonly #detailsByKindKey = new Map<string, Set<string>>();

  constructor(observations: Observation[] = []) {
    for (const observation of observations) this.add(observation);
  }

  /** Adds an observation to the sum of similar ones, without `content` and `mockExchange`. */
  add({ content: _, mockExchange: __, ...observation }: Observation): void {
    const key = this.#assignKey(observation);
    const earlierSum = this.#observationsByKey.get(key);
    this.#observationsByKey.set(key, earlierSum ? addObservations(earlierSum, observation) : observation);
  }

  get observations(): Observation[] {
    return [...this.#observationsByKey.values()];
  }

  /** Returns the key of the sum for an observation. Beyond `maxDistinct` details of one kind, all further ones share one sum. */
  #assignKey(observation: Observation): string {
    const { operation, expectsSuccess, configured, kind = 'other', status, parameters } = observation;
    const { blocked, lacksEnvelope, again, swept: isFromSweep, isApiCheck, requests } = observation;
    const flags = [expectsSuccess, configured, lacksEnvelope, again, isFromSweep, isApiCheck, requests > 0];
    const kindKey = JSON.stringify([operation, kind, status, flags, Object.keys(parameters)]);
    // A rejection keeps its parameters, because they show which of them was rejected.
    const detailKey = JSON.stringify([blocked, isClientFault(kind) && parameters]);
    const details = this.#detailsByKindKey.get(kindKey) ?? new Set();
    this.#detailsByKindKey.set(kindKey, details);
    if (!details.has(detailKey) && details.size >= maxDistinct) return `${kindKey}\n${anyValue}`;
    details.add(detailKey);
    return `${kindKey}\n${detailKey}`;
  }
}

/**
 * Merges two observations: adds up counts and numbers such as `bytes`, unites findings and `tolerated`, and drops durations. All
 * other fields, such as `exchange`, come from the first one.
 */
function addObservations(first: Observation, second: Observation): Observation {
  const { firstByteMs: _, durationMs: __, ...withoutDurations } = first;
  return {
    ...withoutDurations,
    ...addCounts(pickSums(first), pickSums(second)),
    parameters: keepCommonParameters(first.parameters, second.parameters),
    exercised: mergeRecords(first.exercised, second.exercised, addJudgementCounts),
    covered: addCounts(first.covered, second.covered),
    findings: mergeFindings(first.findings, second.findings),
    affected: mergeRecords(first.affected, second.affected, addCounts),
    sent: limitValues(addCounts(first.sent, second.sent)),
    tolerated: [...new Set([...first.tolerated, ...second.tolerated])],
    undecided: mergeRecords(first.undecided, second.undecided, addCounts),
  };
}

const addJudgementCounts = (first: JudgementCounts, second: JudgementCounts): JudgementCounts => ({
  places: first.places + second.places,
  requests: first.requests + second.requests,
});

/** Adds up two objects of counts: `{ a: 1 }` and `{ a: 2, b: 1 }` become `{ a: 3, b: 1 }`. */
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

/** Picks the numbers that can be added up, such as `bytes`: all except the HTTP status and the durations. */
function pickSums({ status: _, firstByteMs: __, durationMs: ___, ...observation }: Observation): Counts {
  const fields = Object.entries(observation);
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])),
  );
}

const keepCommonParameters = (first: Record<string, string>, second: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(first).map(([name, value]) => [name, second[name] === value ? value : anyValue]),
  );

/**
 * Keeps the counts of the first `maxDistinct` values of each parameter, because each lookup has another identifier.
 * @param valueCounts number of requests, keyed by parameter and value, such as `type=user`
 */
function limitValues(valueCounts: Counts): Counts {
  const seenCounts = new Map<string, number>();
  return Object.fromEntries(
    Object.entries(valueCounts).filter(([pair]) => {
      const [parameterName = ''] = pair.split('=');
      const seenCount = (seenCounts.get(parameterName) ?? 0) + 1;
      seenCounts.set(parameterName, seenCount);
      return seenCount <= maxDistinct;
    }),
  );
}

/**
 * Merges two lists of findings. Findings that differ only in the request or in an array index become one. Lists at most
 * `maxListed` findings of one kind and requirement, and counts the rest in a remainder finding.
 */
function mergeFindings(first: Finding[], second: Finding[]): Finding[] {
  if (second.length === 0) return first;
  const findings = new Map(first.map((finding) => [formatKey(finding), finding]));
  for (const finding of second) {
    const isSimilar = (listedFinding: Finding) => formatGroup(listedFinding) === formatGroup(finding);
    const similarCount = [...findings.values()].filter(isSimilar).length;
    const isKnown = findings.has(formatKey(finding));
    const isListed = isKnown || isRemainderFinding(finding) || similarCount < maxListed;
    const addedFinding = isListed ? finding : createRemainderFinding(finding, finding.places ?? 1);
    const key = formatKey(addedFinding);
    const earlierFinding = findings.get(key);
    findings.set(key, earlierFinding ? mergeFinding(earlierFinding, addedFinding) : addedFinding);
  }
  return [...findings.values()];
}

const formatGroup = ({ kind, requirement }: Finding) => `${kind} ${requirement}`;
const formatKey = (finding: Finding) =>
  isRemainderFinding(finding) ? `others ${formatGroup(finding)}` : formatFindingKey(finding);

function mergeFinding(first: Finding, second: Finding): Finding {
  const places = (first.places ?? 1) + (second.places ?? 1);
  const sum = { ...first, places, requests: (first.requests ?? 1) + (second.requests ?? 1) };
  return isRemainderFinding(first) ? { ...sum, ...createRemainderFinding(sum, places) } : sum;
}
