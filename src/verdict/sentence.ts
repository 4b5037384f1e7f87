import { formatCount, formatNumber } from '../../schemas/counted.ts';
import type { Shard } from '../client/target.ts';
import { percentageAbove } from '../sweep/summary.ts';
import { describeGate } from './gates.ts';
import type { RequirementResult } from './results.ts';
import type { RunConclusion } from './verdict.ts';
import { hasJudged, type RunVerdict, type Verdict } from './verdicts.ts';

/** Parts of a concluded run that its sentence needs. */
export interface ConcludedRun extends Pick<RunConclusion, 'verdict' | 'gates' | 'selection' | 'notes'> {
  mock?: boolean | undefined;
  /** Set if recorded traffic was judged. */
  traffic?: unknown;
  requirements: Pick<RequirementResult, 'address' | 'verdict' | 'reason' | 'cause'>[];
  shard?: Shard | undefined;
}

/** Formats the verdict of a run in one sentence, identical in every output. */
export function formatVerdictSentence(run: ConcludedRun): string {
  const part = describePart(run);
  const word = `${run.verdict.toUpperCase()}${getOriginMark(run)}${part ? ` of ${part}` : ''}`;
  return `${word}: ${sentenceFormatters[run.verdict](run)}`;
}

/** Marks a verdict on the embedded mock or on recorded traffic, which is none on a running target. */
export const getOriginMark = ({ mock, traffic }: Pick<ConcludedRun, 'mock' | 'traffic'>): string =>
  traffic ? ' (RECORDED TRAFFIC)' : mock ? ' (MOCK)' : '';

/** Describes the judged part of the contract: "shard 1 of 4"; undefined for a whole run. */
export const describePart = ({ selection, shard }: Pick<ConcludedRun, 'selection' | 'shard'>) =>
  shard
    ? `shard ${shard.current} of ${shard.total}`
    : selection && `${formatCount(selection.selected, 'selected requirement')} of ${selection.total}`;

const sentenceFormatters: Record<RunVerdict, (run: ConcludedRun) => string> = {
  pass: (run) =>
    run.selection?.selected === 0 ? 'no requirement was selected, so none was judged' : formatPass(run),
  fail: (run) => formatViolations(run) ?? `no requirement is violated, but ${formatFailedGates(run)}`,
  error: (run) => `${formatUnjudgedShare(run)}${findProblem(run).replace(/\s+/g, ' ')}`,
};

/** Formats a pass with its extent: a requirement that was not exercised may be violated, and deviations remain. */
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

function formatViolations({ requirements }: ConcludedRun): string | undefined {
  const violatedRequirements = requirements.filter(({ verdict }) => verdict === 'violation');
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

const causes: Record<NonNullable<RequirementResult['cause']>, string> = {
  'undeclared fields': 'the target has fields that the contract does not name (FAIL_ON=undeclared)',
  'configured identifiers': 'the target rejects configured identifiers, which may be unknown there',
};

/** Formats one failed gate in full, or the addresses of several; reports list the details. */
function formatFailedGates({ gates }: ConcludedRun): string {
  const failed = gates.filter(({ verdict }) => verdict === 'fail');
  return failed.length > 1
    ? `${failed.length} gates failed: ${failed.map(({ address }) => address).join(', ')}`
    : failed.map(describeGate).join();
}

/** Formats the number of blocked requirements; empty if nothing was judged, because the problem then explains everything. */
function formatUnjudgedShare({ requirements }: ConcludedRun): string {
  const count = requirements.filter(({ verdict }) => verdict === 'blocked').length;
  return count > 0 && hasJudged(requirements)
    ? `${count} of ${requirements.length} requirements cannot be judged: `
    : '';
}

/** Finds the reason of an error: the first blocked requirement, a gate, or a note. */
function findProblem(run: ConcludedRun): string {
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
 * Formats the largest share of records that can violate a requirement despite a passing sample (95 % confidence); empty without a
 * sample.
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
