import { formatCount, formatNumber } from '../../schemas/counted.ts';
import type { Shard } from '../client/target.ts';
import { percentageAbove } from '../sweep/summary.ts';
import { sortByCause } from './cause-order.ts';
import { describeGate } from './gates.ts';
import type { RequirementResult } from './results.ts';
import type { RunConclusion } from './verdict.ts';
import { hasJudged, type RunVerdict, type Verdict } from './verdicts.ts';

/** Run with its verdict, as far as `formatVerdictSentence` needs it. */
export interface ConcludedRun extends Pick<RunConclusion, 'verdict' | 'gates' | 'selection' | 'notes'> {
  /** True if the target of the run was the embedded mock. */
  mock?: boolean | undefined;
  /** Summary of the recordings that the run judged (`TRAFFIC`); undefined if the run sent requests. */
  traffic?: unknown;
  requirements: Pick<RequirementResult, 'address' | 'verdict' | 'reason' | 'cause'>[];
  /** Shard that the run judged; undefined for a whole run. */
  shard?: Shard | undefined;
}

/** Formats the verdict of a run in one sentence, identical in every output: "FAIL (MOCK): the target violates the contract: …". */
export function formatVerdictSentence(run: ConcludedRun): string {
  const part = describePart(run);
  const partText = part ? ` of ${part}` : '';
  const word = run.verdict.toUpperCase() + formatTargetMark(run) + partText;
  return `${word}: ${sentenceFormatters[run.verdict](run)}`;
}

/**
 * Returns the text that follows the verdict of a run without a real target: " (MOCK)" for the embedded mock, " (RECORDED TRAFFIC)"
 * for recordings. Empty for a run against a real target.
 */
export function formatTargetMark({ mock, traffic }: Pick<ConcludedRun, 'mock' | 'traffic'>): string {
  if (traffic) return ' (RECORDED TRAFFIC)';
  return mock ? ' (MOCK)' : '';
}

/**
 * Describes which part of the tests a run had: "shard 1 of 4", "3 selected requirements of 120", or "selected tests" if no selected
 * test is about a requirement. Undefined for a whole run.
 */
export function describePart({ selection, shard }: Pick<ConcludedRun, 'selection' | 'shard'>) {
  if (shard) return `shard ${shard.current} of ${shard.total}`;
  if (selection?.selected === 0) return 'selected tests';
  return selection && `${formatCount(selection.selected, 'selected requirement')} of ${selection.total}`;
}

/** Functions that format the part of the sentence after the verdict word and the colon, keyed by verdict of the run. */
const sentenceFormatters: Record<RunVerdict, (run: ConcludedRun) => string> = {
  pass: (run) =>
    run.selection?.selected === 0 ? `${formatUnviolated(run)}, so none was judged` : formatPass(run),
  fail: (run) => formatViolations(run) ?? `${formatUnviolated(run)}, but ${formatFailedGates(run)}`,
  error: (run) => `${formatUnjudgedShare(run)}${findErrorReason(run).replace(/\s+/g, ' ')}`,
};

/** Returns the words for a run without violation: "no requirement was selected" if so, else "no requirement is violated". */
const formatUnviolated = ({ selection }: ConcludedRun) =>
  selection?.selected === 0 ? 'no requirement was selected' : 'no requirement is violated';

/**
 * Formats the words after the verdict `PASS`: "no requirement is violated, except for 2 known deviations (90 of 120 requirements
 * exercised)". A whole run that exercised every requirement: "the target conforms to the contract (100 % of it exercised)".
 */
function formatPass({ shard, selection, requirements }: ConcludedRun): string {
  const count = (wantedVerdict: Verdict) =>
    requirements.filter(({ verdict }) => verdict === wantedVerdict).length;
  const [requirementCount, deviationCount] = [requirements.length, count('deviation')];
  const exercisedCount = requirementCount - count('not exercised');
  const isFullyExercised = !shard && !selection && exercisedCount === requirementCount;
  return [
    isFullyExercised ? 'the target conforms to the contract' : 'no requirement is violated',
    deviationCount > 0 ? `, except for ${formatCount(deviationCount, 'known deviation')}` : '',
    isFullyExercised
      ? ' (100 % of it exercised)'
      : ` (${formatNumber(exercisedCount)} of ${formatCount(requirementCount, 'requirement')} exercised)`,
  ].join('');
}

/**
 * Formats the first violated requirement, by `sortByCause`, and the number of the others: "the target violates the contract:
 * getCard/http/status and 3 more requirements". If all violations have one `cause`, begins with that cause. Undefined if no
 * requirement is violated.
 */
function formatViolations({ requirements }: ConcludedRun): string | undefined {
  const violatedRequirements = sortByCause(requirements.filter(({ verdict }) => verdict === 'violation'));
  const [first, ...otherRequirements] = violatedRequirements;
  if (!first) return undefined;
  const moreText =
    otherRequirements.length > 0 ? ` and ${formatCount(otherRequirements.length, 'more requirement')}` : '';
  const cause = violatedRequirements.every((requirement) => requirement.cause === first.cause)
    ? first.cause
    : undefined;
  const summary = cause ? causes[cause] : 'the target violates the contract';
  return `${summary}: ${first.address}${moreText}`;
}

/** Beginnings of the sentence about violations that all have one `cause`, keyed by that cause. */
const causes: Record<NonNullable<RequirementResult['cause']>, string> = {
  'undeclared fields': 'the target has fields that the contract does not name (FAIL_ON=undeclared)',
  'configured identifiers': 'the target rejects configured identifiers, which may be unknown there',
};

/**
 * Formats the failed gates of a run: one gate in a sentence (`describeGate`), several as "2 gates failed: run/coverage,
 * run/judged".
 */
function formatFailedGates({ gates }: ConcludedRun): string {
  const failed = gates.filter(({ verdict }) => verdict === 'fail');
  return failed.length > 1
    ? `${failed.length} gates failed: ${failed.map(({ address }) => address).join(', ')}`
    : failed.map(describeGate).join();
}

/**
 * Formats the number of blocked requirements, "3 of 120 requirements cannot be judged: ", to stand before their reason. Empty if no
 * requirement is blocked, or if none was judged.
 */
function formatUnjudgedShare({ requirements }: ConcludedRun): string {
  const count = requirements.filter(({ verdict }) => verdict === 'blocked').length;
  return count > 0 && hasJudged(requirements)
    ? `${count} of ${requirements.length} requirements cannot be judged: `
    : '';
}

/**
 * Finds the reason why a run has the verdict `error`. Takes the first that exists: the reason of a requirement with the verdict
 * `error`, of a blocked requirement, or of a gate with the verdict `error`; the first note of the run; the actual state of that
 * gate; else "nothing was judged".
 */
function findErrorReason(run: ConcludedRun): string {
  const { requirements, gates, notes } = run;
  const findReason = (verdict: Verdict) =>
    requirements.find((requirement) => requirement.verdict === verdict)?.reason;
  const gate = gates.find(({ verdict }) => verdict === 'error');
  return (
    findReason('error') ??
    findReason('blocked') ??
    gate?.reason ??
    notes[0] ??
    gate?.actual ??
    'nothing was judged'
  );
}

/**
 * Formats the largest upper bound of a sampled sweep among the requirements that pass: "sample: with 95 % confidence, at most 1.5 %
 * of customers violate a requirement that passes". Empty if no such requirement has an upper bound.
 */
export function formatBound(requirements: Pick<RequirementResult, 'verdict' | 'swept'>[]): string {
  const passingShares = requirements.flatMap(({ verdict, swept: sweepShare }) =>
    verdict === 'pass' && sweepShare ? sweepShare : [],
  );
  const [widestShare] = passingShares.sort(
    (share, otherShare) => (otherShare.upperBound ?? -1) - (share.upperBound ?? -1),
  );
  return widestShare?.upperBound === undefined
    ? ''
    : `sample: with 95 % confidence, at most ${percentageAbove(widestShare.upperBound)} of ${widestShare.records} violate a requirement that passes`;
}
