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
  /** Trace id (32 hex digits) in the `traceparent` of the requests. Undefined with `REQUEST_ID=off`, and for recordings. */
  trace?: string;
  /** Number of retries, keyed by reason such as `HTTP 429 with Retry-After`. */
  repeated: Record<string, number>;
  /**
   * Rate to which HTTP 429 slowed the run, in requests per second. If workers slowed down to different rates, the lowest rate
   * counts. Undefined if the run was not slowed. Also undefined if slowing down did not help, because the target kept sending HTTP
   * 429.
   */
  sufficientRps?: number;
  contract: string;
  minCoverage: number;
  failOn: Target['failOn'];
}

export interface OperationExchange extends MockExchange {
  operation: string;
}

export interface RunResults {
  run: Run | undefined;
  observations: Observation[];
  /** Ids of the operations that the run has tried to request, such as `getCard`. The requests may have failed. */
  operations?: string[];
  behaviour?: Behaviour | undefined;
  requests?: RequestMade[];
  /** Unredacted requests to the embedded mock, with responses: the first success and the first rejection of each operation. */
  mockExchanges?: OperationExchange[];
  sweeps?: SweepResult[];
  /**
   * Addresses of the requirements that this run must judge, because an earlier run judged them (`listAddressesToJudge`). A
   * requirement that only a sweep judged is not among them. Undefined if there is no earlier run of the whole contract.
   */
  judgedBefore?: string[] | undefined;
  traffic?: Traffic;
  problem?: string;
  /** Clause such as "the run stopped at its first failure (-x)". Undefined if the number of failures did not stop the run. */
  stopReason?: string | undefined;
}

export type RequirementResult = Requirement & {
  verdict: Verdict;
  /** Number of judged values: 30 for 3 responses with 10 customers each. */
  exercised: number;
  /** Number of requests in whose responses the requirement was judged. */
  requests: number;
  /** Number of requests that led to the verdict. Set only for the verdicts `violation`, `deviation` and `blocked`. */
  affected?: number;
  findings: Finding[];
  /**
   * Share of swept records that violate the requirement: 23 of 950 customers. Undefined if the requirement was judged in no swept
   * record. Also undefined for the verdict `deviation`, because a sweep counts only records with a violation.
   */
  swept?: SweptShare;
  reason?: string;
  cause?: 'undeclared fields' | 'configured identifiers';
};

export interface Results extends RunResults {
  requirementResults: RequirementResult[];
}
