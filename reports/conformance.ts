import type { ProbeAnswer } from '../tests/probes/probe-answers.ts';
import type { Finding } from '../tests/redaction/observation.ts';
import type { RequestMade } from '../tests/run/requests-made.ts';
import type { SweptShare } from '../tests/sweep/results/result.ts';
import type { Traffic } from '../tests/traffic/traffic-summary.ts';
import type { Changes } from '../tests/verdict/changes.ts';
import type { Coverage } from '../tests/verdict/coverage.ts';
import type { Cause, RequirementResult } from '../tests/verdict/evaluate.ts';
import type { GateResult } from '../tests/verdict/gates.ts';
import type { SweepSummary } from '../tests/verdict/swept.ts';
import type { Selection, Shard } from '../tests/verdict/verdict.ts';
import type { RunVerdict, Verdict } from '../tests/verdict/verdicts.ts';
import type { Durations } from './durations.ts';

/** `conformance.json`; its JSON Schema is `reports/schemas/conformance.schema.json`. */
export interface Conformance {
  /** Reports of version 1 lack what is marked so. */
  schemaVersion: 1 | 2;
  target: string;
  /** Whether the embedded mock was judged, rather than a target. */
  mock?: boolean;
  profile: 'observed' | 'documented';
  startedAt: string;
  durationMs: number;
  requests: number;
  verdict: RunVerdict;
  /** Which part of a run this is, when its judging was divided (`--shard`). */
  shard?: ReportedShard;
  /** How many requirements were selected, where that is a part of them. Not in version 1. */
  selection?: Selection;
  /** What was demanded of the run beside the contract. Not in version 1. */
  gates?: GateResult[];
  /** Sentences on the run as a whole: what prevented it, and where it had no data. */
  notes: string[];
  /** First characters of the SHA-256 of `spec/`. */
  contract: string;
  requirements: ReportedRequirement[];
  findings: Finding[];
  coverage: Coverage;
  /** What was looked at beyond the ordinary requests. Absent where nothing was. */
  sweeps?: SweepSummary[];
  /** What was observed of that which the contract leaves open. */
  observed: ProbeAnswer[];
  /** Each request that was sent, without its identifiers. */
  requestsMade?: RequestMade[];
  /** What was read, where recorded traffic was judged and nothing was sent. */
  traffic?: Traffic;
  /** How long responses took, by operation; never judged. Absent in reports of earlier versions. */
  durations?: Durations[];
  /** Against the run that was compared with, if there was one. */
  changes?: Changes;
}

/** A part of a run, with what shows whether all parts are there. Absent in reports of earlier versions. */
export interface ReportedShard extends Shard {
  /** Addresses of the requirements and gates that were selected for all shards together, unless it ended before that. */
  selected?: string[];
  /** Whether it came to its end. */
  complete?: boolean;
}

/** One requirement with its verdict. */
export interface ReportedRequirement {
  address: string;
  operation: string;
  level: 'MUST' | 'SHOULD';
  statement: string;
  source: string;
  verdict: Verdict;
  /** How many places were judged. */
  exercised: number;
  /** In how many responses they were. Not in version 1. */
  requests?: number;
  /** In how many of them was found what the verdict rests on. Absent in earlier reports. */
  affected?: number;
  /** How many records break it, where a sweep has judged it. */
  swept?: SweptShare;
  /** Why there is no verdict on it, or what a reader of the verdict has to know. */
  reason?: string;
  /** What breaks it, where that is nothing but what was configured. Absent in earlier reports. */
  cause?: Cause;
  /** Start of the first of the runs that have agreed on this verdict since. */
  since?: string;
}

/** What is reported of a result; `findings` are listed apart. */
export function resultOf(result: RequirementResult): ReportedRequirement {
  const { address, operation, level, statement, source, verdict, exercised, requests } = result;
  const { affected, swept, reason, cause } = result;
  const known = { address, operation, level, statement, source, verdict, exercised, requests };
  return {
    ...known,
    ...(affected === undefined ? {} : { affected }),
    ...(swept === undefined ? {} : { swept }),
    ...(reason === undefined ? {} : { reason }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** Requirements with a verdict. */
export const withVerdict = ({ requirements }: Conformance, verdict: Verdict) =>
  requirements.filter((requirement) => requirement.verdict === verdict);

/** Findings of a kind. */
export const found = ({ findings }: Conformance, kind: Finding['kind']) =>
  findings.filter((finding) => finding.kind === kind);
