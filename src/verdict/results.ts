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
  /** Name of the target (`TARGET_NAME`) with secrets masked, such as `staging`. */
  target: string;
  /** True if the target of the run was the embedded mock. */
  mock?: boolean;
  profile: Target['profile'];
  /** Start of the run (ISO 8601). */
  startedAt: string;
  /** Number of requests that the run sent, retries included; 0 for recorded traffic. */
  requests: number;
  /** Trace id in the `traceparent` of every request of the run, 32 hex digits; undefined with `REQUEST_ID=off`. */
  trace?: string;
  /** Number of retries in the run, keyed by reason. */
  repeated: Record<string, number>;
  /** Requests a second to which the run slowed down because of HTTP 429, if the target then answered no more of them. */
  sufficientRps?: number;
  /** Hash of the contract that the run judged by, 12 hex digits. */
  contract: string;
  /** Percentage of schema nodes that the run must exercise (`MIN_COVERAGE`); of shards, only the merged run must. */
  minCoverage: number;
  failOn: Target['failOn'];
}

/** Request of an operation to the embedded mock with its whole response, which reports show as an example. */
export interface OperationExchange extends MockExchange {
  /** Id of the operation that was requested, such as `getCard`. */
  operation: string;
}

/** Redacted results of a run, before any requirement has a verdict. */
export interface RunResults {
  /** Facts about the run as a whole; undefined if the run could not begin. */
  run: Run | undefined;
  /** Judged and redacted responses of the run; similar ones are summed up in one observation. */
  observations: Observation[];
  /** Ids of the operations whose requests were sent, such as `getCard`; undefined for recordings. */
  operations?: string[];
  behaviour?: Behaviour | undefined;
  requests?: RequestMade[];
  /**
   * First success and first error response of each operation, not redacted. Undefined for any target but the embedded mock with its
   * own identifiers.
   */
  mockExchanges?: OperationExchange[];
  /** Results of the sweeps of a run; undefined if the run had none. */
  sweeps?: SweepResult[];
  /** Addresses of the requirements that the previous run judged outside its sweeps, such as `getCard/http/status`. */
  judgedBefore?: string[] | undefined;
  /** Summary of the recordings that a run judged; undefined if the run sent requests. */
  traffic?: Traffic;
  /** Sentence about why a run has no results, or lacks a part of them. */
  problem?: string;
}

/** Requirement with its verdict in a run. */
export type RequirementResult = Requirement & {
  verdict: Verdict;
  /** Number of places in responses at which the requirement was judged. */
  exercised: number;
  /** Number of requests whose responses were judged by the requirement. */
  requests: number;
  /** Number of requests with a finding that has the kind of the verdict, such as `violation`. */
  affected?: number;
  findings: Finding[];
  /** Share of the swept records that break the requirement; undefined if no sweep judged it. */
  swept?: SweptShare;
  /** Reason of the verdict, or a remark on it, in a sentence. */
  reason?: string;
  /** Likely cause of a violation, other than a fault of the target. */
  cause?: 'undeclared fields' | 'configured identifiers';
};

/** Results of a run after `evaluate`, with the verdict of each requirement. */
export interface Results extends RunResults {
  requirementResults: RequirementResult[];
}
