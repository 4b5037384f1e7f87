import { type CoverageShare, percentageOf } from '../tests/verdict/coverage.ts';
import { verdictOf } from '../tests/verdict/verdict.ts';
import { type Verdict, verdictCounts } from '../tests/verdict/verdicts.ts';
import type { Conformance } from './conformance.ts';

/** Says what contradicts what, if something does. */
type Check = (run: Conformance) => string | undefined;

/**
 * The first statement of a report that another one contradicts: no run writes that, and nobody should publish it.
 * Undefined where there is none. Takes time in proportion to the report.
 */
export function contradictionIn(run: Conformance): string | undefined {
  for (const check of checks) {
    const sentence = check(run);
    if (sentence) return sentence;
  }
  return undefined;
}

/** `error` may have a reason that only the notes tell. Reports of version 1 do not tell their gates. */
const verdictFits: Check = ({ verdict, requirements, gates, selection, shard }) => {
  if (verdict === 'error' || (verdict === 'fail' && !gates)) return undefined;
  // What was judged beside what was selected is not reported.
  const isPart = shard !== undefined;
  const isJudgedBeside = isPart || selection?.selected === 0;
  const due = verdictOf(requirements, gates ?? [], { isPart, isJudgedBeside });
  if (verdict === due) return undefined;
  const counts = verdictCounts(requirements).join(', ') || 'none';
  return `its verdict is ${verdict}, but its requirements (${counts}) and gates come to ${due}`;
};

const selectionFits: Check = ({ requirements, selection, shard }) => {
  if (selection && selection.selected !== requirements.length)
    return `selection counts ${selection.selected} requirements, and ${requirements.length} are listed`;
  if (selection && selection.selected > selection.total)
    return `selection has ${selection.selected} of ${selection.total} requirements`;
  return shard && shard.current > shard.total ? `it is shard ${shard.current} of ${shard.total}` : undefined;
};

const isListedOnce: Check = ({ requirements }) => {
  const known = new Set<string>();
  const again = requirements.find(({ address }) => known.size === known.add(address).size);
  return again && `${again.address} is listed twice`;
};

/** What was judged at least once has a verdict, and what was not has none. */
const isExercised: Check = ({ requirements }) => {
  const odd = requirements.find(({ verdict, exercised }) =>
    verdict === 'pass' ? exercised === 0 : verdict === 'not exercised' && exercised > 0,
  );
  return odd && `${odd.address} has the verdict ${odd.verdict}, and was exercised ${odd.exercised} times`;
};

const findingsFit: Check = ({ requirements, findings }) => {
  const verdicts = new Map(requirements.map(({ address, verdict }) => [address, verdict]));
  const found = (kind: Verdict) =>
    new Set(findings.filter((one) => one.kind === kind).map(({ requirement }) => requirement));
  const violated = found('violation');
  const stray = [...violated].find((address) => verdicts.get(address) !== 'violation');
  if (stray !== undefined)
    return `a finding violates ${stray}, whose verdict is ${verdicts.get(stray) ?? 'not listed'}`;
  const deviating = found('deviation');
  const lacking = requirements.find(
    ({ address, verdict }) =>
      (verdict === 'violation' && !violated.has(address)) ||
      (verdict === 'deviation' && !deviating.has(address)),
  );
  return lacking && `${lacking.address} has the verdict ${lacking.verdict}, and no finding of that kind`;
};

const coverageFits: Check = ({ coverage, requirements, selection, shard }) => {
  const { nodes, states, fields } = coverage;
  const wrong = Object.entries({ nodes, states }).find(([, share]) => !addsUp(share));
  if (wrong) return `the numbers of coverage.${wrong[0]} do not add up`;
  if (
    fields &&
    (fields.judged !== nodes.exercised || fields.seen + fields.neverPresent.length !== fields.judged)
  )
    return 'the numbers of coverage.fields do not add up';
  const isWhole = !selection && !shard && requirements.length > 0;
  return isWhole && nodes.exercised > 0 && requirements.every(({ exercised }) => exercised === 0)
    ? `${nodes.percentage} % of the schema nodes are exercised, and no requirement is`
    : undefined;
};

const addsUp = ({ exercised, total, percentage, missing }: CoverageShare): boolean =>
  exercised + missing.length === total && percentage === percentageOf(exercised, total);

const trafficFits: Check = ({ traffic }) => {
  if (!traffic) return undefined;
  const skipped = Object.values(traffic.skipped).reduce((sum, count) => sum + count, 0);
  return traffic.judged + skipped === traffic.exchanges
    ? undefined
    : `of ${traffic.exchanges} recorded exchanges ${traffic.judged} were judged and ${skipped} skipped`;
};

const checks = [
  verdictFits,
  selectionFits,
  isListedOnce,
  isExercised,
  findingsFit,
  coverageFits,
  trafficFits,
];
