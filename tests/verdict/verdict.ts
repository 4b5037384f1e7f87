import { loadContract } from '../../schemas/contract.ts';
import type { Finding, Observation } from '../client/observation.ts';
import type { Target } from '../client/target.ts';
import type { Results } from '../run/results.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import type { RequirementResult, Verdict } from './evaluate.ts';
import { emptyNotes, expiredNotes, gatesOf, runFindings } from './run.ts';

/** `fail` when the contract is broken, or something else that was demanded; `error` when nothing sure can be said. */
export type RunVerdict = 'pass' | 'fail' | 'error';

/** A part of a run: each part asks everything and judges its share of the requirements. */
export interface Shard {
  current: number;
  total: number;
}

/** All that the verdict of a run depends on. */
export interface RunInput {
  target: Target;
  results: Results;
  /** Addresses of the requirements that were selected. */
  addresses: string[];
  /** Addresses of the tests that failed. */
  failed: ReadonlySet<string>;
  /** Sentences on what prevented the run, or cut it short. */
  problems: string[];
  /** When the run began, should it have left no word of that. */
  startedAt: Date;
  /** Set when the judging was divided. */
  shard?: Shard | undefined;
}

/** The verdict of a run, with all that it rests on. */
export interface RunConclusion {
  verdict: RunVerdict;
  /** The selected requirements. */
  standing: RequirementResult[];
  findings: Finding[];
  coverage: Coverage;
  notes: string[];
  startedAt: string;
}

/**
 * What a run comes to: the one place that decides it, for every reporter. Pure but for the contract and the ledger,
 * which it reads.
 */
export function concludeRun(input: RunInput): RunConclusion {
  const { target, results, addresses, failed, problems, shard } = input;
  const { run, observations, standing } = results;
  const wanted = new Set(addresses);
  const selected = standing
    .filter(({ address }) => wanted.has(address))
    .map((one) => withFailedTest(one, failed));
  const coverage = coverageOf(loadContract(), observations);
  const whole = run !== undefined && (shard !== undefined || selected.length === standing.length);
  const findings = findingsOf(target, results, selected, whole ? coverage : undefined);
  const prevented = [...problems, ...(results.problem ? [results.problem] : [])];
  const judged = verdictOf(selected, findings, gatesOf(target), shard ? standing : selected);
  const startedAt = run?.startedAt ?? input.startedAt.toISOString();
  const notes = [
    ...new Set(prevented),
    ...target.notices,
    ...(shard ? [] : partNote(selected, standing)),
    ...repetitionNotes(run),
    ...expiredNotes(target, startedAt.slice(0, 10)),
    ...(run ? emptyNotes(target, observations) : []),
    ...(results.behaviour?.notes ?? []),
  ];
  const verdict = run && prevented.length === 0 ? judged : 'error';
  return { verdict, standing: selected, findings, coverage, notes, startedAt };
}

/** Something must have been judged, if not in this shard then `among` all that it asked for. */
export function verdictOf(
  requirements: { verdict: Verdict }[],
  findings: Pick<Finding, 'kind'>[],
  gates: Finding['kind'][] = [],
  among = requirements,
): RunVerdict {
  const verdicts = new Set(requirements.map(({ verdict }) => verdict));
  const kinds = new Set(findings.map(({ kind }) => kind));
  if (verdicts.has('violation') || kinds.has('violation')) return 'fail';
  const judged = among.some(({ verdict }) => verdict === 'pass' || verdict === 'deviation');
  if (verdicts.has('blocked') || verdicts.has('error') || !judged) return 'error';
  const failing: Finding['kind'][] = ['stale', 'coverage', ...gates];
  return failing.some((kind) => kinds.has(kind)) ? 'fail' : 'pass';
}

/** Why a run does not pass, in one sentence; undefined when it passes. */
export function failureOf({ verdict, standing, findings, notes }: RunConclusion): string | undefined {
  if (verdict === 'pass') return undefined;
  const reason = (wanted: Verdict) => standing.find((one) => one.verdict === wanted);
  const violation = reason('violation');
  if (verdict === 'fail' && violation) return `violation of ${violation.address}`;
  const blocked = reason('blocked')?.reason ?? reason('error')?.reason;
  const finding = findings.find(({ kind }) => !['deviation', 'undeclared', 'blocked'].includes(kind));
  const gate = finding && `expected ${finding.expected}; got ${finding.actual}`;
  return (verdict === 'fail' ? gate : blocked) ?? notes[0] ?? 'nothing was judged';
}

/** A target that needed a second asking is not what it should be, though nothing is wrong with its answers. */
const repetitionNotes = (run: Results['run']) =>
  Object.entries(run?.repeated ?? {}).map(([reason, count]) => `repeated ${count} times: ${reason}`);

/** A verdict on a part of the contract must not read like one on the whole. */
function partNote({ length: some }: RequirementResult[], { length: all }: RequirementResult[]): string[] {
  return some > 0 && some < all ? [`only ${some} of ${all} requirements were selected`] : [];
}

/** A test that failed for another reason than its requirement is a fault of this suite. */
function withFailedTest(standing: RequirementResult, failed: ReadonlySet<string>): RequirementResult {
  const wrong = failed.has(standing.address) && standing.verdict !== 'violation';
  return wrong ? { ...standing, verdict: 'error', reason: 'the test failed without a violation' } : standing;
}

/** Findings of the selected requirements and, given its coverage, of the run as a whole. */
function findingsOf(
  target: Target,
  results: Results,
  selected: RequirementResult[],
  coverage?: Coverage,
): Finding[] {
  return [
    ...selected.flatMap((one) => one.findings),
    ...(target.undeclaredFields === 'report' ? undeclaredOf(results.observations) : []),
    ...(coverage ? runFindings(target, coverage, results) : []),
    ...(results.behaviour?.findings ?? []),
  ];
}

const undeclaredOf = (observations: Observation[]) =>
  observations.flatMap(({ findings }) => findings).filter(({ kind }) => kind === 'undeclared');
