import { readFileSync } from 'node:fs';
import { pickDefined } from '../schemas/json.ts';
import type { Shard, Target } from '../src/client/target.ts';
import type { ProbeAnswer } from '../src/questions/answers.ts';
import type { Finding } from '../src/redact/observation.ts';
import { joinLines } from '../src/redact/printable.ts';
import type { Traffic } from '../src/traffic/traffic-summary.ts';
import type { Changes, EarlierVerdict } from '../src/verdict/changes.ts';
import type { RequestMade } from '../src/verdict/requests-made.ts';
import type { OperationExchange, RequirementResult } from '../src/verdict/results.ts';
import { concludeRun, type RunConclusion, type RunInput } from '../src/verdict/verdict.ts';
import type { Verdict } from '../src/verdict/verdicts.ts';
import { listReliableFields, type ReliableField } from './reliable-fields.ts';

/** Content of `conformance.json`; `reports/schemas/conformance.schema.json` describes each key. */
export interface Conformance extends Omit<RunConclusion, 'complete' | 'requirements'> {
  schemaVersion: 5;
  suite: string;
  target: string;
  mock: boolean;
  profile: Target['profile'];
  durationMs: number;
  requests: number;
  trace?: string;
  shard?: ReportedShard;
  edition: string;
  contract: string;
  requirements: ReportedRequirement[];
  observed: ProbeAnswer[];
  requestsMade: RequestMade[];
  mockExchanges?: OperationExchange[];
  traffic?: Traffic;
  durations: Durations[];
  changes?: Changes;
  optionalAlwaysPresent?: ReliableField[];
}

/** Shard of a run, with what a merge needs to see whether all shards are complete. */
export interface ReportedShard extends Shard {
  selected?: string[];
  complete?: boolean;
}

/** Keys of a requirement's result that reports list; the `findings` of all requirements form one list. */
const reportedKeys = [
  ...(['address', 'operation', 'level', 'statement', 'source', 'verdict', 'exercised', 'requests'] as const),
  ...(['affected', 'swept', 'reason', 'cause'] as const),
];

/** Requirement with its verdict, and the relation of that verdict to earlier runs. */
export type ReportedRequirement = Pick<RequirementResult, (typeof reportedKeys)[number]> & EarlierVerdict;

const { version: suiteVersion }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** Builds `conformance.json` of a run. Pure. */
export function buildReport(input: RunInput, endedAt: Date): Conformance {
  const { contract, target, results, shard } = input;
  const { complete, requirements, ...conclusion } = concludeRun(input);
  const requestsMade = results.requests ?? [];
  const reported = requirements.map((requirement) => pickDefined(requirement, reportedKeys));
  const reliable = listReliableFields(contract, { ...conclusion, requirements: reported, requestsMade });
  return {
    schemaVersion: 5,
    suite: suiteVersion,
    target: target.name,
    mock: target.isMock,
    profile: target.profile,
    durationMs: Math.max(0, endedAt.getTime() - Date.parse(conclusion.startedAt)),
    requests: results.run?.requests ?? 0,
    ...(results.run?.trace ? { trace: results.run.trace } : {}),
    ...(shard ? { shard: { ...shard, ...pickSelected(input), complete } } : {}),
    edition: contract.edition,
    contract: contract.hash,
    ...conclusion,
    requirements: reported,
    ...(reliable.length > 0 ? { optionalAlwaysPresent: reliable } : {}),
    observed: results.behaviour?.observed ?? [],
    requestsMade,
    ...pickDefined(results, ['mockExchanges']),
    ...(results.traffic ? { traffic: results.traffic } : {}),
    durations: measureDurations(requestsMade),
  };
}

/** Returns the selected addresses of all shards. Leaves out tests that judge nothing, such as the list of requests. */
function pickSelected({ results, selected }: RunInput): { selected?: string[] } {
  const requirementAddresses = new Set(results.requirementResults.map(({ address }) => address));
  const isJudgement = (address: string) => requirementAddresses.has(address) || address.startsWith('run/');
  return selected ? { selected: selected.filter(isJudgement) } : {};
}

const emptyShare = { exercised: 0, total: 0, percentage: 0, missing: [] };

/** Builds `conformance.json` of a run that could not begin. @param notes reasons, in sentences */
export const buildFailedReport = (
  { name, isMock, profile }: Pick<Target, 'name' | 'isMock' | 'profile'>,
  notes: string[],
  startedAt: Date,
): Conformance => ({
  schemaVersion: 5,
  ...{ suite: suiteVersion, target: name, mock: isMock, profile },
  ...{ edition: 'unknown', contract: '0'.repeat(12), verdict: 'error' },
  ...{ startedAt: startedAt.toISOString(), durationMs: 0, requests: 0, notes: notes.map(joinLines) },
  coverage: { nodes: emptyShare, states: emptyShare, seen: {} },
  ...{ gates: [], requirements: [], findings: [], observed: [], requestsMade: [], durations: [] },
});

/** Selects the requirements with a verdict. */
export const filterByVerdict = ({ requirements }: Conformance, verdict: Verdict) =>
  requirements.filter((requirement) => requirement.verdict === verdict);

/** Selects the findings of a kind. */
export const selectFindings = ({ findings }: Conformance, kind: Finding['kind']) =>
  findings.filter((finding) => finding.kind === kind);

/** Percentiles in milliseconds, by nearest rank: each of them was measured, never interpolated. */
interface Percentiles {
  median: number;
  p95: number;
  slowest: number;
}

/** Durations of the responses of one operation. No verdict depends on them. */
export interface Durations {
  operation: string;
  responses: number;
  repeated: number;
  firstByteMs: Percentiles;
  wholeMs: Percentiles;
}

/**
 * Computes the durations of responses, by operation, in the order of the requests. Leaves out probes, because error responses are
 * often quicker.
 */
export function measureDurations(requests: RequestMade[]): Durations[] {
  const timedRequests = requests.filter(({ firstByteMs, probe }) => firstByteMs !== undefined && !probe);
  return [...new Set(timedRequests.map(({ operation }) => operation))].map((operation) => {
    const operationRequests = timedRequests.filter((request) => request.operation === operation);
    return {
      operation,
      responses: operationRequests.length,
      repeated: operationRequests.filter(({ repeated = 0 }) => repeated > 0).length,
      firstByteMs: computePercentiles(operationRequests.flatMap(({ firstByteMs }) => firstByteMs ?? [])),
      wholeMs: computePercentiles(operationRequests.flatMap(({ durationMs }) => durationMs ?? [])),
    };
  });
}

function computePercentiles(times: number[]): Percentiles {
  const sorted = times.toSorted((time, otherTime) => time - otherTime);
  const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] as number;
  return { median: rank(0.5), p95: rank(0.95), slowest: rank(1) };
}
