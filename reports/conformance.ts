import { readFileSync } from 'node:fs';
import { groupBy } from '../schemas/group-by.ts';
import { omitUndefined, pickDefined } from '../schemas/json.ts';
import type { Shard, Target } from '../src/client/target.ts';
import type { ProbeAnswer } from '../src/questions/answers.ts';
import type { ErrorResponses } from '../src/questions/error-responses.ts';
import type { Finding } from '../src/redact/observation.ts';
import { joinLines } from '../src/redact/printable.ts';
import type { Traffic } from '../src/traffic/traffic-summary.ts';
import type { Changes, VerdictHistory } from '../src/verdict/changes.ts';
import type { RequestMade } from '../src/verdict/requests-made.ts';
import type { OperationExchange, RequirementResult } from '../src/verdict/results.ts';
import { concludeRun, type RunConclusion, type RunInput } from '../src/verdict/verdict.ts';
import type { Verdict } from '../src/verdict/verdicts.ts';
import { listReliableFields, type ReliableField } from './reliable-fields.ts';

/** Content of `conformance.json` (schema: `reports/schemas/conformance.schema.json`). */
export interface Conformance extends Omit<RunConclusion, 'complete' | 'requirements'> {
  schemaVersion: 5;
  suite: string;
  target: string;
  mock: boolean;
  profile: Target['profile'];
  durationMs: number;
  requests: number;
  trace?: string;
  incomplete?: true;
  shard?: ReportedShard;
  edition: string;
  contract: string;
  requirements: ReportedRequirement[];
  observed: ProbeAnswer[];
  errorResponses?: ErrorResponses[];
  requestsMade: RequestMade[];
  mockExchanges?: OperationExchange[];
  traffic?: Traffic;
  durations: Durations[];
  changes?: Changes;
  optionalAlwaysPresent?: ReliableField[];
}

export interface ReportedShard extends Shard {
  /**
   * Addresses of the selected requirements and gates of all shards, such as `getCard/code`.
   * Undefined if the run ended before Playwright selected the tests.
   */
  selected?: string[];
  /** False if the shard has no results, or if the shard had a problem such as an interruption. Undefined counts as true. */
  complete?: boolean;
}

const reportedKeys = [
  ...(['address', 'operation', 'level', 'statement', 'source', 'verdict', 'exercised', 'requests'] as const),
  ...(['affected', 'swept', 'reason', 'cause'] as const),
];

export type ReportedRequirement = Pick<RequirementResult, (typeof reportedKeys)[number]> & VerdictHistory;

const { version: suiteVersion }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** Builds the content of `conformance.json`, without the comparison with an earlier run. */
export function buildReport(input: RunInput, endedAt: Date): Conformance {
  const { contract, target, results } = input;
  const { run, behaviour, requests: requestsMade = [] } = results;
  // `conclusion` has keys such as `verdict`, `gates` and `findings`. None of them is set again below.
  const { complete, requirements, ...conclusion } = concludeRun(input);
  const reportedRequirements = requirements.map((requirement) => pickDefined(requirement, reportedKeys));
  const { coverage } = conclusion;
  const reliableFields = listReliableFields(contract, {
    coverage,
    requirements: reportedRequirements,
    observations: results.observations,
    traffic: results.traffic,
  });
  return omitUndefined({
    schemaVersion: 5 as const,
    suite: suiteVersion,
    target: target.name,
    mock: target.isMock,
    profile: target.profile,
    durationMs: Math.max(0, endedAt.getTime() - Date.parse(conclusion.startedAt)),
    requests: run?.requests ?? 0,
    trace: run?.trace,
    incomplete: complete && !input.endedEarly ? undefined : (true as const),
    shard: describeShard(input, complete),
    edition: contract.edition,
    contract: contract.hash,
    ...conclusion,
    requirements: reportedRequirements,
    optionalAlwaysPresent: reliableFields.length > 0 ? reliableFields : undefined,
    observed: behaviour?.observed ?? [],
    errorResponses: behaviour?.errorResponses,
    requestsMade,
    mockExchanges: results.mockExchanges,
    traffic: results.traffic,
    durations: measureDurations(requestsMade),
  });
}

function describeShard(
  { shard, results, selected: testAddresses }: RunInput,
  isComplete: boolean,
): ReportedShard | undefined {
  if (!shard) return undefined;
  if (!testAddresses) return { ...shard, complete: isComplete };
  const requirementAddresses = new Set(results.requirementResults.map(({ address }) => address));
  // A merge needs the addresses of requirements and gates, and of no other test.
  const isRequirement = (address: string) => requirementAddresses.has(address);
  const isGate = (address: string) => address.startsWith('run/');
  const selected = testAddresses.filter((address) => isRequirement(address) || isGate(address));
  return { ...shard, selected, complete: isComplete };
}

const emptyShare = { exercised: 0, total: 0, percentage: 0, missing: [] };
/** Placeholder for the hash of an unreadable contract: 12 hex digits. */
const unknownHash = '0'.repeat(12);

/** Builds the report of a run that could not be judged. @param notes reasons why the run could not be judged */
export const buildFailedReport = (
  { name, isMock, profile }: Pick<Target, 'name' | 'isMock' | 'profile'>,
  notes: string[],
  startedAt: Date,
): Conformance => ({
  schemaVersion: 5,
  suite: suiteVersion,
  target: name,
  mock: isMock,
  profile,
  edition: 'unknown',
  contract: unknownHash,
  verdict: 'error',
  startedAt: startedAt.toISOString(),
  durationMs: 0,
  requests: 0,
  notes: notes.map(joinLines),
  coverage: { nodes: emptyShare, states: emptyShare, seen: {} },
  gates: [],
  requirements: [],
  findings: [],
  observed: [],
  requestsMade: [],
  durations: [],
});

export const filterByVerdict = ({ requirements }: Conformance, verdict: Verdict) =>
  requirements.filter((requirement) => requirement.verdict === verdict);

export const selectFindings = ({ findings }: Conformance, kind: Finding['kind']) =>
  findings.filter((finding) => finding.kind === kind);

/** Percentiles of response times in milliseconds (nearest-rank method). */
interface Percentiles {
  median: number;
  p95: number;
  slowest: number;
}

/** Response times of one operation. Probes, which are requests that answer open questions, are left out. */
export interface Durations {
  operation: string;
  responses: number;
  /** Number of responses that arrived only after a retry. */
  repeated: number;
  firstByteMs: Percentiles;
  wholeMs: Percentiles;
}

export function measureDurations(requests: RequestMade[]): Durations[] {
  // A target often rejects probes, which are unusual requests, faster than it looks up a record.
  const timedRequests = requests.filter(({ firstByteMs, probe }) => firstByteMs !== undefined && !probe);
  const requestsByOperation = groupBy(timedRequests, ({ operation }) => operation);
  const isRetried = ({ repeated: retries = 0 }: RequestMade) => retries > 0;
  return [...requestsByOperation].map(([operation, operationRequests]) => ({
    operation,
    responses: operationRequests.length,
    repeated: operationRequests.filter(isRetried).length,
    firstByteMs: computePercentiles(operationRequests.flatMap(({ firstByteMs }) => firstByteMs ?? [])),
    wholeMs: computePercentiles(operationRequests.flatMap(({ durationMs }) => durationMs ?? [])),
  }));
}

function computePercentiles(times: number[]): Percentiles {
  const sortedTimes = times.toSorted((time, otherTime) => time - otherTime);
  const getPercentile = (share: number) => {
    // At least this many responses are not slower than the percentile.
    const rank = Math.ceil(share * sortedTimes.length);
    return sortedTimes[rank - 1] as number;
  };
  return { median: getPercentile(0.5), p95: getPercentile(0.95), slowest: getPercentile(1) };
}
