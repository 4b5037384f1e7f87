import type { Requirement } from '../../schemas/contract/requirements.ts';
import type { Target } from '../client/target.ts';
import type { Behaviour } from '../questions/behaviour.ts';
import type { Finding, MockExchange, Observation } from '../redact/observation.ts';
import type { SweepResult, SweptShare } from '../sweep/summary.ts';
import type { Traffic } from '../traffic/traffic-summary.ts';
import type { RequestMade } from './requests-made.ts';
import type { Verdict } from './verdicts.ts';

/** Metadata of a run. */
export interface Run {
  target: string;
  mock?: boolean;
  profile: Target['profile'];
  startedAt: string;
  requests: number;
  trace?: string;
  /** Number of retries, keyed by reason. */
  repeated: Record<string, number>;
  /** Requests a second to which the run slowed down, if the target answered HTTP 429 to a higher rate alone. */
  sufficientRps?: number;
  contract: string;
  /** Percentage of schema nodes that the run must exercise. Shards are compared with it together. */
  minCoverage: number;
  failOn: Target['failOn'];
}

/** Whole exchange of an operation with the embedded mock. */
export interface OperationExchange extends MockExchange {
  operation: string;
}

/** Results of a run, redacted. */
export interface RunResults {
  run: Run | undefined;
  observations: Observation[];
  /** Operations whose requests were sent; undefined for recordings. */
  operations?: string[];
  behaviour?: Behaviour | undefined;
  requests?: RequestMade[];
  /** First success of each operation, whole, if the embedded mock was judged by its own identifiers. */
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

/** Results of a run, with the verdict of each requirement. */
export interface Results extends RunResults {
  requirementResults: RequirementResult[];
}
