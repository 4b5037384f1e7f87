import type { Requirement } from '../../schemas/contract/requirements.ts';
import type { Target } from '../client/target.ts';
import type { Behaviour } from '../questions/behaviour.ts';
import type { Finding, MockExchange, Observation } from '../redact/observation.ts';
import type { SweepResult, SweptShare } from '../sweep/summary.ts';
import type { Traffic } from '../traffic/traffic-summary.ts';
import type { RequestMade } from './requests-made.ts';
import type { Verdict } from './verdicts.ts';

export interface Run {
  target: string;
  mock?: boolean;
  profile: Target['profile'];
  startedAt: string;
  requests: number;
  /** Trace id in the `traceparent` of every request, 32 hex digits; undefined with `REQUEST_ID=off`. */
  trace?: string;
  repeated: Record<string, number>;
  /** Requests a second to which the run slowed down because of HTTP 429; undefined if the target limited that rate, too. */
  sufficientRps?: number;
  contract: string;
  /** `MIN_COVERAGE`, a percentage. With shards, only the merged run must reach it. */
  minCoverage: number;
  failOn: Target['failOn'];
}

export interface OperationExchange extends MockExchange {
  operation: string;
}

/** Redacted results of a run, before any requirement has a verdict. */
export interface RunResults {
  run: Run | undefined;
  observations: Observation[];
  /** Ids of the operations whose requests were sent; undefined for recordings. */
  operations?: string[];
  behaviour?: Behaviour | undefined;
  requests?: RequestMade[];
  /** First success and first error of each operation, not redacted; only for the embedded mock with its own identifiers. */
  mockExchanges?: OperationExchange[];
  sweeps?: SweepResult[];
  /** Addresses of the requirements that the previous run judged outside its sweeps. */
  judgedBefore?: string[] | undefined;
  traffic?: Traffic;
  problem?: string;
}

export type RequirementResult = Requirement & {
  verdict: Verdict;
  exercised: number;
  requests: number;
  /** Number of requests with a finding of the kind of the verdict, such as `violation`. */
  affected?: number;
  findings: Finding[];
  /** Undefined if no sweep judged the requirement. */
  swept?: SweptShare;
  /** Reason of the verdict, or a remark on it, in a sentence. */
  reason?: string;
  /** Likely cause of a violation, other than a fault of the target. */
  cause?: 'undeclared fields' | 'configured identifiers';
};

export interface Results extends RunResults {
  requirementResults: RequirementResult[];
}
