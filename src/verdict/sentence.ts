import { formatCount, formatNumber } from '../../schemas/counted.ts';
import type { Shard } from '../client/target.ts';
import { formatUpperBound } from '../sweep/summary.ts';
import { sortLikelyCausesFirst } from './cause-order.ts';
import { describeGate } from './gates.ts';
import type { RequirementResult } from './results.ts';
import type { RunConclusion } from './verdict.ts';
import { hasJudged, type RunVerdict, type Verdict } from './verdicts.ts';

export interface ConcludedRun extends Pick<RunConclusion, 'verdict' | 'gates' | 'selection' | 'notes'> {
  mock?: boolean | undefined;
  traffic?: unknown;
  requirements: Pick<RequirementResult, 'address' | 'verdict' | 'reason' | 'cause'>[];
  shard?: Shard | undefined;
}

/** Formats the verdict of a run as one sentence for all reports: "FAIL (MOCK): the target violates the contract: …". */
export function formatVerdictSentence(run: ConcludedRun): string {
  const part = describeShardOrSelection(run);
  const partText = part ? ` of ${part}` : '';
  const word = run.verdict.toUpperCase() + formatMockOrTrafficMark(run) + partText;
  return `${word}: ${sentenceFormatters[run.verdict](run)}`;
}

export function formatMockOrTrafficMark({ mock, traffic }: Pick<ConcludedRun, 'mock' | 'traffic'>): string {
  if (traffic) return ' (RECORDED TRAFFIC)';
  return mock ? ' (MOCK)' : '';
}

/** Describes a part of the tests: "shard 1 of 4", "3 selected requirements of 120", "selected tests". Undefined for all tests. */
export function describeShardOrSelection({ selection, shard }: Pick<ConcludedRun, 'selection' | 'shard'>) {
  if (shard) return `shard ${shard.current} of ${shard.total}`;
  if (selection?.selected === 0) return 'selected tests';
  return selection && `${formatCount(selection.selected, 'selected requirement')} of ${selection.total}`;
}

const sentenceFormatters: Record<RunVerdict, (run: ConcludedRun) => string> = {
  pass: (run) =>
    run.selection?.selected === 0 ? `${formatUnviolated(run)}, so none was judged` : formatPass(run),
  fail: (run) => summarizeViolations(run) ?? `${formatUnviolated(run)}, but ${formatFailedGates(run)}`,
  error: (run) => `${formatBlockedPrefix(run)}${findErrorReason(run).replace(/\s+/g, ' ')}`,
};

const formatUnviolated = ({ selection }: ConcludedRun) =>
  selection?.selected === 0 ? 'no requirement was selected' : 'no requirement is violated';

/** Formats "no requirement is violated, except for 2 known deviations (90 of 120 requirements exercised)" for a passing run. */
function formatPass({ shard, selection, requirements }: ConcludedRun): string {
  const count = (wantedVerdict: Verdict) =>
    requirements.filter(({ verdict }) => verdict === wantedVerdict).length;
  const [requirementCount, deviationCount] = [requirements.length, count('deviation')];
  const exercisedCount = requirementCount - count('not exercised');
  const exception =
    deviationCount > 0 ? `, except for ${formatCount(deviationCount, 'known deviation')}` : '';
  if (!shard && !selection && exercisedCount === requirementCount)
    return `the target conforms to the contract${exception} (100 % of it exercised)`;
  const extent = `${formatNumber(exercisedCount)} of ${formatCount(requirementCount, 'requirement')}`;
  return `no requirement is violated${exception} (${extent} exercised)`;
}

/**
 * Formats the most likely cause among the violations (`sortLikelyCausesFirst`), and counts the others: "the target violates the contract:
 * getCard/http/status and 3 more requirements". Undefined without violations.
 */
function summarizeViolations({ requirements }: ConcludedRun): string | undefined {
  const violatedRequirements = sortLikelyCausesFirst(
    requirements.filter(({ verdict }) => verdict === 'violation'),
  );
  const [first, ...otherRequirements] = violatedRequirements;
  if (!first) return undefined;
  const otherCount = otherRequirements.length;
  const moreText = otherCount > 0 ? ` and ${formatCount(otherCount, 'more requirement')}` : '';
  const haveOneCause = otherRequirements.every(({ cause }) => cause === first.cause);
  const summary = haveOneCause && first.cause ? causes[first.cause] : 'the target violates the contract';
  return `${summary}: ${first.address}${moreText}`;
}

const causes: Record<NonNullable<RequirementResult['cause']>, string> = {
  'undeclared fields': 'the target has fields that the contract does not name (FAIL_ON=undeclared)',
  'configured identifiers': 'the target rejects configured identifiers, which may be unknown there',
};

function formatFailedGates({ gates }: ConcludedRun): string {
  const failed = gates.filter(({ verdict }) => verdict === 'fail');
  return failed.length > 1
    ? `${failed.length} gates failed: ${failed.map(({ address }) => address).join(', ')}`
    : failed.map(describeGate).join();
}

function formatBlockedPrefix({ requirements }: ConcludedRun): string {
  const count = requirements.filter(({ verdict }) => verdict === 'blocked').length;
  return count > 0 && hasJudged(requirements)
    ? `${count} of ${requirements.length} requirements cannot be judged: `
    : '';
}

function findErrorReason(run: ConcludedRun): string {
  const { requirements, gates, notes } = run;
  const findReason = (verdict: Verdict) =>
    requirements.find((requirement) => requirement.verdict === verdict)?.reason;
  const gate = gates.find(({ verdict }) => verdict === 'error');
  // `notes` begins with what prevented the run, if anything did.
  const [firstNote] = notes;
  return (
    findReason('error') ??
    findReason('blocked') ??
    gate?.reason ??
    firstNote ??
    gate?.actual ??
    'nothing was judged'
  );
}

/**
 * Formats how many unseen records may violate a requirement that passed in a sample: "sample: with 95 % confidence, at most 1.5 %
 * of customers violate a requirement that passes". The highest bound of all requirements counts. Empty if no sample was swept.
 */
export function formatSampleBound(requirements: Pick<RequirementResult, 'verdict' | 'swept'>[]): string {
  let widest: { upperBound: number; recordNoun: string } | undefined;
  for (const { verdict, swept: sweepShare } of requirements) {
    if (verdict !== 'pass' || sweepShare?.upperBound === undefined) continue;
    const { upperBound, records: recordNoun } = sweepShare;
    if (!widest || upperBound > widest.upperBound) widest = { upperBound, recordNoun };
  }
  return widest
    ? `sample: with 95 % confidence, at most ${formatUpperBound(widest.upperBound)} of ${widest.recordNoun} violate a requirement that passes`
    : '';
}
