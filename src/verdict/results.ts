import type { Target } from '../client/target.ts';
import type { Behaviour } from '../questions/behaviour.ts';
import type { Observation } from '../redact/observation.ts';
import type { SweepResult } from '../sweep/summary.ts';
import type { Traffic } from '../traffic/traffic-summary.ts';
import type { RequirementResult } from './evaluate.ts';
import type { RequestMade } from './requests-made.ts';

/** What is known of a run beside its observations. */
export interface Run {
  target: string;
  mock?: boolean;
  profile: Target['profile'];
  startedAt: string;
  requests: number;
  trace?: string;
  /** How many were repeated, by reason. */
  repeated: Record<string, number>;
  contract: string;
  /** Percentage of schema nodes that it must exercise. Shards that divide what is asked do so together. */
  minCoverage: number;
  failOn: Target['failOn'];
}

/** What was asked and found, redacted. */
export interface RunResults {
  run: Run | undefined;
  observations: Observation[];
  /** Operations whose requests were sent; undefined for recordings. */
  operations?: string[];
  behaviour?: Behaviour | undefined;
  requests?: RequestMade[];
  sweeps?: SweepResult[];
  /** Addresses of the requirements that the last run has judged beside its sweeps. */
  judgedBefore?: string[] | undefined;
  traffic?: Traffic;
  /** Why there are no results, in one sentence. */
  problem?: string;
}

/** Results with what they say of each requirement. */
export interface Results extends RunResults {
  requirementResults: RequirementResult[];
}
