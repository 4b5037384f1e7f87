import type { Finding } from '../tests/client/observation.ts';
import type { Coverage } from '../tests/contract/coverage.ts';
import type { Standing, Verdict } from '../tests/contract/standing.ts';

/** `conformance.json`; its JSON Schema is `reports/schemas/conformance.schema.json`. */
export interface Conformance {
  schemaVersion: 1;
  target: string;
  profile: 'observed' | 'documented';
  startedAt: string;
  durationMs: number;
  requests: number;
  verdict: 'pass' | 'fail' | 'error';
  /** Sentences on the run as a whole: what prevented it, and where it was hollow. */
  notes: string[];
  /** First characters of the SHA-256 of `spec/`. */
  contract: string;
  requirements: RequirementResult[];
  findings: Finding[];
  coverage: Coverage;
  observed: unknown[];
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
}

/** The verdict of a run: `fail` when the contract is broken, `error` when nothing sure can be said. */
export function verdictOf(
  requirements: Pick<RequirementResult, 'verdict'>[],
  findings: Pick<Finding, 'kind'>[],
): Conformance['verdict'] {
  const failing = findings.some(({ kind }) => ['violation', 'stale', 'coverage'].includes(kind));
  const verdicts = new Set(requirements.map(({ verdict }) => verdict));
  if (failing || verdicts.has('violation')) return 'fail';
  const judged = verdicts.has('pass') || verdicts.has('deviation');
  return verdicts.has('blocked') || verdicts.has('error') || !judged ? 'error' : 'pass';
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
