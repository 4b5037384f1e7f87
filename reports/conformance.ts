import type { Finding } from '../tests/client/observation.ts';
import type { ProbeAnswer } from '../tests/probes/probe-answers.ts';
import type { RequestMade } from '../tests/run/requests.ts';
import type { Changes } from '../tests/verdict/changes.ts';
import type { Coverage } from '../tests/verdict/coverage.ts';
import type { RequirementResult, Verdict } from '../tests/verdict/evaluate.ts';
import type { RunVerdict, Shard } from '../tests/verdict/verdict.ts';

/** `conformance.json`; its JSON Schema is `reports/schemas/conformance.schema.json`. */
export interface Conformance {
  schemaVersion: 1;
  target: string;
  /** Whether the embedded mock was judged, rather than a target. */
  mock?: boolean;
  profile: 'observed' | 'documented';
  startedAt: string;
  durationMs: number;
  requests: number;
  verdict: RunVerdict;
  /** Which part of a run this is, when its judging was divided (`--shard`). */
  shard?: Shard;
  /** Sentences on the run as a whole: what prevented it, and where it was hollow. */
  notes: string[];
  /** First characters of the SHA-256 of `spec/`. */
  contract: string;
  requirements: ReportedRequirement[];
  findings: Finding[];
  coverage: Coverage;
  /** What was observed of that which the contract leaves open. */
  observed: ProbeAnswer[];
  /** Each request that was sent, without its identifiers. */
  requestsMade?: RequestMade[];
  /** Against the run that was compared with, if there was one. */
  changes?: Changes;
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
  reason?: string;
  /** Start of the first of the runs that have agreed on this verdict since. */
  since?: string;
}

/** A standing without what `findings` says already. */
export function resultOf({ findings: _, place: __, ...result }: RequirementResult): ReportedRequirement {
  return result;
}

/** Behind the verdict of a run against the embedded mock, which must not be read as one on a target. */
export const mockMark = ({ mock }: Pick<Conformance, 'mock'>) => (mock ? ' (MOCK)' : '');

/** Requirements with a verdict. */
export const having = ({ requirements }: Conformance, verdict: Verdict) =>
  requirements.filter((requirement) => requirement.verdict === verdict);

/** Findings of a kind. */
export const found = ({ findings }: Conformance, kind: Finding['kind']) =>
  findings.filter((finding) => finding.kind === kind);
