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
  /** Trace id in `traceparent` of every request, 32 hex digits. Undefined with `REQUEST_ID=off`. */
  trace?: string;
  /** Number of retries, keyed by reason. */
  repeated: Record<string, number>;
  /** Requests per second to which the run slowed down because of HTTP 429. Undefined if it did not, or if 429 did not stop. */
  sufficientRps?: number;
  contract: string;
  /** Percentage of the schema nodes of the contract that a run must exercise. With shards, only the merged run must reach it. */
  minCoverage: number;
  failOn: Target['failOn'];
}

export interface OperationExchange extends MockExchange {
  operation: string;
}

export interface RunResults {
  run: Run | undefined;
  observations: Observation[];
  /** Ids of the requested operations; undefined for recordings. */
  operations?: string[];
  behaviour?: Behaviour | undefined;
  requests?: RequestMade[];
  /** First success and first error response of each operation, not redacted. Set only for the mock with its default identifiers. */
  mockExchanges?: OperationExchange[];
  sweeps?: SweepResult[];
  /** Addresses of the requirements that an earlier run judged, so that this run must judge them, too (gate `run/judged`). */
  judgedBefore?: string[] | undefined;
  traffic?: Traffic;
  problem?: string;
}

export type RequirementResult = Requirement & {
  verdict: Verdict;
  /** Number of judged places: if each of 3 responses has a list of 10 cards, 30 for a requirement of a field of a card. */
  exercised: number;
  /** Number of requests in whose responses the requirement was judged. */
  requests: number;
  /** Number of requests with a finding of the same kind as `verdict`, such as `violation`. */
  affected?: number;
  findings: Finding[];
  /** Share of swept records that violate the requirement. Undefined if no sweep judged it. */
  swept?: SweptShare;
  reason?: string;
  /** Likely cause of a violation that may not be a fault of the target. */
  cause?: 'undeclared fields' | 'configured identifiers';
};

export interface Results extends RunResults {
  requirementResults: RequirementResult[];
}
