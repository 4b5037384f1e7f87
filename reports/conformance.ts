import { readFileSync } from 'node:fs';
import { pick } from '../schemas/json.ts';
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

/** `conformance.json`; `reports/schemas/conformance.schema.json` says what each key is. */
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

/** A part of a run, with what shows whether all parts are there. */
export interface ReportedShard extends Shard {
  selected?: string[];
  complete?: boolean;
}

/** What is reported of a result; `findings` are listed apart. */
const reportedKeys = [
  ...(['address', 'operation', 'level', 'statement', 'source', 'verdict', 'exercised', 'requests'] as const),
  ...(['affected', 'swept', 'reason', 'cause'] as const),
];

/** One requirement with its verdict, and what earlier runs have to do with it. */
export type ReportedRequirement = Pick<RequirementResult, (typeof reportedKeys)[number]> & EarlierVerdict;

const { version: suiteVersion }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** `conformance.json` of a run. Pure. */
export function buildReport(input: RunInput, endedAt: Date): Conformance {
  const { contract, target, results, shard } = input;
  const { complete, requirements, ...conclusion } = concludeRun(input);
  const requestsMade = results.requests ?? [];
  const reported = requirements.map((requirement) => pick(requirement, reportedKeys));
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
    ...(shard ? { shard: { ...shard, ...selectedBy(input), complete } } : {}),
    edition: contract.edition,
    contract: contract.hash,
    ...conclusion,
    requirements: reported,
    ...(reliable.length > 0 ? { optionalAlwaysPresent: reliable } : {}),
    observed: results.behaviour?.observed ?? [],
    requestsMade,
    ...pick(results, ['mockExchanges']),
    ...(results.traffic ? { traffic: results.traffic } : {}),
    durations: durationsOf(requestsMade),
  };
}

/** What was selected for all shards: requirements and gates, since other tests only list what was requested. */
function selectedBy({ results, selected }: RunInput): { selected?: string[] } {
  const known = new Set(results.requirementResults.map(({ address }) => address));
  const isJudged = (address: string) => known.has(address) || address.startsWith('run/');
  return selected ? { selected: selected.filter(isJudged) } : {};
}

const none = { exercised: 0, total: 0, percentage: 0, missing: [] };

/** `conformance.json` of a run that could not begin, and of which nothing can be read but why. */
export const failedReport = (
  { name, isMock, profile }: Pick<Target, 'name' | 'isMock' | 'profile'>,
  notes: string[],
  startedAt: Date,
): Conformance => ({
  schemaVersion: 5,
  ...{ suite: suiteVersion, target: name, mock: isMock, profile },
  ...{ edition: 'unknown', contract: '0'.repeat(12), verdict: 'error' },
  ...{ startedAt: startedAt.toISOString(), durationMs: 0, requests: 0, notes: notes.map(joinLines) },
  coverage: { nodes: none, states: none, seen: {} },
  ...{ gates: [], requirements: [], findings: [], observed: [], requestsMade: [], durations: [] },
});

/** Requirements with a verdict. */
export const withVerdict = ({ requirements }: Conformance, verdict: Verdict) =>
  requirements.filter((requirement) => requirement.verdict === verdict);

/** Findings of a kind. */
export const found = ({ findings }: Conformance, kind: Finding['kind']) =>
  findings.filter((finding) => finding.kind === kind);

/** Milliseconds by nearest rank: each is a time that was measured, never one between two. */
interface Percentiles {
  median: number;
  p95: number;
  slowest: number;
}

/** How long the responses of one operation took. Nobody is judged by it. */
export interface Durations {
  operation: string;
  responses: number;
  repeated: number;
  firstByteMs: Percentiles;
  wholeMs: Percentiles;
}

/**
 * How long responses took, by operation, in the order of the requests. A request without a response has no time, and
 * probes are left out: they ask for error responses, which are often quick.
 */
export function durationsOf(requests: RequestMade[]): Durations[] {
  const measured = requests.filter((one) => one.firstByteMs !== undefined && !one.probe);
  return [...new Set(measured.map(({ operation }) => operation))].map((operation) => {
    const own = measured.filter((one) => one.operation === operation);
    return {
      operation,
      responses: own.length,
      repeated: own.filter(({ repeated = 0 }) => repeated > 0).length,
      firstByteMs: percentiles(own.flatMap(({ firstByteMs }) => firstByteMs ?? [])),
      wholeMs: percentiles(own.flatMap(({ durationMs }) => durationMs ?? [])),
    };
  });
}

function percentiles(times: number[]): Percentiles {
  const sorted = times.toSorted((one, other) => one - other);
  const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] as number;
  return { median: rank(0.5), p95: rank(0.95), slowest: rank(1) };
}
