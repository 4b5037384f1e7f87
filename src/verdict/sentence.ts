import { formatCount, formatNumber } from '../../schemas/counted.ts';
import type { Shard } from '../client/target.ts';
import { formatUpperBound } from '../sweep/summary.ts';
import { sortLikelyCausesFirst } from './cause-order.ts';
import { describeGate } from './gates.ts';
import type { RequirementResult } from './results.ts';
import type { CustomTest, RunConclusion } from './verdict.ts';
import { hasJudged, type Verdict } from './verdicts.ts';

export interface ConcludedRun
  extends Pick<RunConclusion, 'verdict' | 'gates' | 'customTests' | 'selection' | 'notes'> {
  mock?: boolean | undefined;
  traffic?: unknown;
  requirements: Pick<RequirementResult, 'address' | 'verdict' | 'reason' | 'cause'>[];
  shard?: Shard | undefined;
}

/** Formats the verdict of a run as one sentence: "FAIL (MOCK): the target violates the contract: getCard/code". */
export function formatVerdictSentence(run: ConcludedRun): string {
  const word = run.verdict.toUpperCase();
  const mark = formatMockOrTrafficMark(run);
  const part = describeShardOrSelection(run);
  const partText = part ? ` of ${part}` : '';
  return `${word}${mark}${partText}: ${explainVerdict(run)}`;
}

export function formatMockOrTrafficMark({ mock, traffic }: Pick<ConcludedRun, 'mock' | 'traffic'>): string {
  if (traffic) return ' (RECORDED TRAFFIC)';
  return mock ? ' (MOCK)' : '';
}

/**
 * Describes the part of the tests that a run covers: "shard 1 of 4". If the user selected some of the requirements, returns "3
 * selected requirements of 120". If the selected tests include no requirement, returns "selected tests". Returns undefined if
 * neither `shard` nor `selection` is set.
 */
export function describeShardOrSelection({
  selection,
  shard,
}: Pick<ConcludedRun, 'selection' | 'shard'>): string | undefined {
  if (shard) return `shard ${shard.current} of ${shard.total}`;
  if (selection?.selected === 0) return 'selected tests';
  return selection && `${formatCount(selection.selected, 'selected requirement')} of ${selection.total}`;
}

function explainVerdict(run: ConcludedRun): string {
  if (run.verdict === 'pass') return explainPass(run);
  if (run.verdict === 'fail') return explainFail(run);
  const oneLineReason = findErrorReason(run).replace(/\s+/g, ' ');
  return `${formatBlockedPrefix(run)}${oneLineReason}`;
}

function explainPass({ shard, selection, requirements, customTests }: ConcludedRun): string {
  const hasSelectedNoRequirement = selection?.selected === 0;
  if (hasSelectedNoRequirement)
    return customTests
      ? `${countCustomTests(customTests)}; no requirement was selected`
      : 'no requirement was selected, so none was judged';
  const count = (wantedVerdict: Verdict) =>
    requirements.filter(({ verdict }) => verdict === wantedVerdict).length;
  const requirementCount = requirements.length;
  const exercisedCount = requirementCount - count('not exercised');
  const deviationCount = count('deviation');
  const exception =
    deviationCount > 0 ? `, except for ${formatCount(deviationCount, 'known deviation')}` : '';
  const isWholeRun = !shard && !selection;
  if (isWholeRun && exercisedCount === requirementCount)
    return `the target conforms to the contract${exception} (100 % of it exercised)`;
  const extent = `${formatNumber(exercisedCount)} of ${formatCount(requirementCount, 'requirement')}`;
  return `no requirement is violated${exception} (${extent} exercised)`;
}

function countCustomTests(customTests: CustomTest[]): string {
  const skippedCount = customTests.filter(({ skipped }) => skipped).length;
  const passedCount = customTests.filter(({ failed, skipped }) => !failed && !skipped).length;
  const skippedText = skippedCount > 0 ? `, ${skippedCount} skipped` : '';
  return `${formatCount(passedCount, 'custom test')} passed${skippedText}`;
}

function explainFail(run: ConcludedRun): string {
  const violations = summarizeViolations(run);
  if (violations !== undefined) return violations;
  const beginning =
    run.selection?.selected === 0 ? 'no requirement was selected' : 'no requirement is violated';
  return `${beginning}, but ${formatFailedGates(run)}`;
}

function summarizeViolations({ requirements }: ConcludedRun): string | undefined {
  const violatedRequirements = requirements.filter(({ verdict }) => verdict === 'violation');
  const [first, ...otherRequirements] = sortLikelyCausesFirst(violatedRequirements);
  if (!first) return undefined;
  const otherCount = otherRequirements.length;
  const moreText = otherCount > 0 ? ` and ${formatCount(otherCount, 'more requirement')}` : '';
  const haveOneCause = otherRequirements.every(({ cause }) => cause === first.cause);
  const summary =
    haveOneCause && first.cause ? causeSummaries[first.cause] : 'the target violates the contract';
  return `${summary}: ${first.address}${moreText}`;
}

const causeSummaries: Record<NonNullable<RequirementResult['cause']>, string> = {
  'undeclared fields': 'the target has fields that the contract does not name (FAIL_ON=undeclared)',
  'configured identifiers': 'the target rejects configured identifiers, which may be unknown there',
};

function formatFailedGates({ gates, customTests = [] }: ConcludedRun): string {
  const failedGates = gates.filter(({ verdict }) => verdict === 'fail');
  if (failedGates.length > 1)
    return `${failedGates.length} gates failed: ${failedGates.map(({ address }) => address).join(', ')}`;
  const failedTests = customTests.filter(({ failed }) => failed);
  // The gate names each failed test, which is too long for a sentence.
  if (failedTests.length > 0)
    return `${failedTests.length} of ${formatCount(customTests.length, 'custom test')} failed`;
  return failedGates.map(describeGate).join();
}

function formatBlockedPrefix({ requirements }: ConcludedRun): string {
  const blockedCount = requirements.filter(({ verdict }) => verdict === 'blocked').length;
  if (blockedCount === 0 || !hasJudged(requirements)) return '';
  return `${blockedCount} of ${requirements.length} requirements cannot be judged: `;
}

function findErrorReason({ requirements, gates, notes }: ConcludedRun): string {
  const findReason = (verdict: Verdict) =>
    requirements.find((requirement) => requirement.verdict === verdict)?.reason;
  const uncheckedGate = gates.find(({ verdict }) => verdict === 'error');
  // If something prevented the run, the first note is about that.
  const [firstNote] = notes;
  return (
    findReason('error') ?? findReason('blocked') ?? uncheckedGate?.reason ?? firstNote ?? 'nothing was judged'
  );
}

/**
 * Formats what a random sample proves: "sample: with 95 % confidence, at most 1.5 % of customers violate a requirement that
 * passes". The percentage is the highest `upperBound` among the requirements that pass. Returns `''` if none of them has an
 * `upperBound`.
 */
export function formatSampleBound(requirements: Pick<RequirementResult, 'verdict' | 'swept'>[]): string {
  // The sentence is about each requirement that passes, so the highest of their bounds counts.
  let highest: { upperBound: number; recordNoun: string } | undefined;
  for (const { verdict, swept: sweepShare } of requirements) {
    if (verdict !== 'pass' || sweepShare?.upperBound === undefined) continue;
    const { upperBound, records: recordNoun } = sweepShare;
    if (!highest || upperBound > highest.upperBound) highest = { upperBound, recordNoun };
  }
  if (!highest) return '';
  return `sample: with 95 % confidence, at most ${formatUpperBound(highest.upperBound)} of ${highest.recordNoun} violate a requirement that passes`;
}
