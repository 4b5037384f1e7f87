import type { Finding } from '../tests/client/observation.ts';
import type { Coverage } from '../tests/contract/coverage.ts';
import type { Standing, Verdict } from '../tests/contract/standing.ts';
import type { Observed } from '../tests/probes/observed.ts';
import type { Changes } from './history.ts';

/** `conformance.json`; its JSON Schema is `reports/schemas/conformance.schema.json`. */
export interface Conformance {
  schemaVersion: 1;
  target: string;
  profile: 'observed' | 'documented';
  startedAt: string;
  durationMs: number;
  requests: number;
  verdict: 'pass' | 'fail' | 'error';
  /** Which part of a run this is, when its judging was divided (`--shard`). */
  shard?: Shard;
  /** Sentences on the run as a whole: what prevented it, and where it was hollow. */
  notes: string[];
  /** First characters of the SHA-256 of `spec/`. */
  contract: string;
  requirements: RequirementResult[];
  findings: Finding[];
  coverage: Coverage;
  /** What was observed of that which the contract leaves open. */
  observed: Observed[];
  /** Against the run that was compared with, if there was one. */
  changes?: Changes;
}

/** A part of a run: each part asks everything and judges its share of the requirements. */
export interface Shard {
  current: number;
  total: number;
}

/** One requirement with its verdict. */
export interface RequirementResult {
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

/**
 * The verdict of a run: `fail` when the contract is broken, `error` when nothing sure can be said. Something must
 * have been judged, if not in this shard then `among` all that it asked for.
 */
export function verdictOf(
  requirements: Pick<RequirementResult, 'verdict'>[],
  findings: Pick<Finding, 'kind'>[],
  gates: Finding['kind'][] = [],
  among = requirements,
): Conformance['verdict'] {
  const verdicts = new Set(requirements.map(({ verdict }) => verdict));
  const kinds = new Set(findings.map(({ kind }) => kind));
  if (verdicts.has('violation') || kinds.has('violation')) return 'fail';
  const judged = among.some(({ verdict }) => verdict === 'pass' || verdict === 'deviation');
  if (verdicts.has('blocked') || verdicts.has('error') || !judged) return 'error';
  const failing: Finding['kind'][] = ['stale', 'coverage', ...gates];
  return failing.some((kind) => kinds.has(kind)) ? 'fail' : 'pass';
}

/** A standing without what `findings` says already. */
export function resultOf({ findings: _, place: __, ...result }: Standing): RequirementResult {
  return result;
}

/** Requirements with a verdict. */
export const having = ({ requirements }: Conformance, verdict: Verdict) =>
  requirements.filter((requirement) => requirement.verdict === verdict);

/** Findings of a kind. */
export const found = ({ findings }: Conformance, kind: Finding['kind']) =>
  findings.filter((finding) => finding.kind === kind);
