import type { Target } from '../client/target.ts';
import type { Behaviour } from '../questions/behaviour.ts';
import type { Observation } from '../redact/observation.ts';
import type { SweepResult } from '../sweep/summary.ts';
import type { Traffic } from '../traffic/traffic-summary.ts';
import type { RequirementResult } from './evaluate.ts';
import type { RequestMade } from './requests-made.ts';

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
  contract: string;
  /** Percentage of schema nodes that the run must exercise. Shards are compared with it together. */
  minCoverage: number;
  failOn: Target['failOn'];
}

/** Results of a run, redacted. */
export interface RunResults {
  run: Run | undefined;
  observations: Observation[];
  /** Operations whose requests were sent; undefined for recordings. */
  operations?: string[];
  behaviour?: Behaviour | undefined;
  requests?: RequestMade[];
  sweeps?: SweepResult[];
  /** Addresses of the requirements that the previous run judged outside its sweeps. */
  judgedBefore?: string[] | undefined;
  traffic?: Traffic;
  /** Reason why there are no results, in one sentence. */
  problem?: string;
}

/** Results of a run, with the verdict of each requirement. */
export interface Results extends RunResults {
  requirementResults: RequirementResult[];
}
