import type { Requirement } from '../../schemas/contract/requirements.ts';
import type { Target } from '../client/target.ts';
import type { Behaviour } from '../questions/behaviour.ts';
import type { Finding, MockExchange, Observation } from '../redact/observation.ts';
import type { SweepResult, SweptShare } from '../sweep/summary.ts';
import type { Traffic } from '../traffic/traffic-summary.ts';
import type { RequestMade } from './requests-made.ts';
import type { Verdict } from './verdicts.ts';

/** Facts about a run as a whole: target, settings, start, number of requests. */
export interface Run {
  target: string;
  /** True if the target was the embedded mock. */
  mock?: boolean;
  profile: Target['profile'];
  startedAt: string;
  requests: number;
  /** Trace id that the `traceparent` of every request had. */
  trace?: string;
  /** Number of retries, keyed by reason. */
  repeated: Record<string, number>;
  /** Requests a second to which the run slowed down, if the target answered HTTP 429 to a higher rate alone. */
  sufficientRps?: number;
  /** Hash of the contract, 12 hex digits. */
  contract: string;
  /** `MIN_COVERAGE`: percentage of schema nodes that the run must exercise; for shards, the merged run. */
  minCoverage: number;
  failOn: Target['failOn'];
}

/** Request of an operation to the embedded mock, with the whole response. */
export interface OperationExchange extends MockExchange {
  operation: string;
}

/** Redacted results of a run, before any requirement has a verdict. */
export interface RunResults {
  run: Run | undefined;
  observations: Observation[];
  /** Ids of the operations whose requests were sent, such as `getCard`; undefined for recordings. */
  operations?: string[];
  behaviour?: Behaviour | undefined;
  requests?: RequestMade[];
  /** First success and first error response of each operation as whole exchanges; only if the target was the embedded mock with its own identifiers. */
  mockExchanges?: OperationExchange[];
  sweeps?: SweepResult[];
  /** Addresses of the requirements that the previous run judged outside its sweeps. */
  judgedBefore?: string[] | undefined;
  traffic?: Traffic;
  /** Reason why there are no results, in one sentence. */
  problem?: string;
}

/** Requirement with its verdict; `conformance.schema.json` describes each key. */
export type RequirementResult = Requirement & {
  verdict: Verdict;
  exercised: number;
  requests: number;
  affected?: number;
  findings: Finding[];
  swept?: SweptShare;
  reason?: string;
  cause?: 'undeclared fields' | 'configured identifiers';
};

/** Results of a run after `evaluate`, with the verdict of each requirement. */
export interface Results extends RunResults {
  requirementResults: RequirementResult[];
}
