import { pick } from '../../schemas/json.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import { brokenOnly, type RequirementResult } from './evaluate.ts';
import type { RunConclusion } from './verdict.ts';
import { hasJudged, isJudged, type Verdict } from './verdicts.ts';

/** What is compared of a run. */
export interface ComparedRun
  extends Pick<RunConclusion, 'startedAt' | 'verdict' | 'gates' | 'sweeps' | 'ledger' | 'configuration'> {
  target: string;
  profile: string;
  /** Version of the suite. */
  suite?: string;
  contract: string;
  /** Set where a recording was judged. */
  traffic?: unknown;
  requirements: ComparedRequirement[];
}

type ComparedRequirement = Pick<RequirementResult, 'address' | 'verdict' | 'swept' | 'reason'> & Before;

/** What earlier runs have to do with a requirement. */
export interface Before {
  /** Start of the first of the runs that have agreed on the verdict since. */
  since?: string;
  /** Whether an earlier run has judged what this one and those between have not, and that was held against them. */
  lost?: true;
}

const judgedWith = ['suite', 'contract', 'ledger', 'configuration'] as const;
type Cause = (typeof judgedWith)[number] | 'target' | 'recording';

type Becomes = (was: Verdict | undefined, is: Verdict, isUnseen: boolean) => boolean;

/** What a requirement has become, from its verdict before and its verdict now, with the heading of that. */
const kinds = {
  broken: ['broken', (was, is) => is === 'violation' && was !== 'violation'],
  newlyTolerated: ['newly tolerated', (was, is) => is === 'deviation' && was !== 'deviation'],
  // Broken or deviating before, and kept now.
  mended: ['fixed', (was, is, isUnseen) => isFixed(was, is) && !isUnseen],
  // The same where a sweep may have found it, and this run has not looked as far.
  notLookedAtAgain: ['not looked at again', (was, is, isUnseen) => isFixed(was, is) && isUnseen],
  newlyExercised: ['newly exercised', (was, is) => !isJudged(was) && isJudged(is)],
  noLongerExercised: ['no longer exercised', (was, is) => isJudged(was) && !isJudged(is)],
} satisfies Record<string, [heading: string, becomes: Becomes]>;

type Kind = keyof typeof kinds;

/** What has changed since an earlier run: addresses of requirements, and of gates that are broken or fixed. */
export interface Changes extends Record<Kind, string[]> {
  since: Pick<ComparedRun, 'target' | 'profile' | 'startedAt' | 'contract' | 'verdict'>;
  /** What else has changed, which may be the cause; the target, or the recording, where nothing has. Empty where no verdict has changed. */
  causes: Cause[];
}

/** A run with what has changed since an earlier one, unless it has judged nothing, and since when each verdict holds. Pure. */
export function withChanges<Run extends ComparedRun>(run: Run, previous: ComparedRun | undefined): Run {
  const before = new Map(previous?.requirements.map((one) => [one.address, one]));
  const isHeld = verdictOf(run, 'run/judged') === 'fail';
  const judgedBefore = new Set(previous && isHeld ? judgedIn(previous) : []);
  const beforeOf = ({ address, verdict }: ComparedRequirement): Before => {
    const earlier = before.get(address);
    const known = earlier?.verdict === verdict && (earlier.since ?? previous?.startedAt);
    const isLost = verdict === 'not exercised' && judgedBefore.has(address);
    return { since: known || run.startedAt, ...(isLost ? { lost: true } : {}) };
  };
  return {
    ...run,
    requirements: run.requirements.map((one) => ({ ...one, ...beforeOf(one) })),
    ...(previous && hasJudged(run.requirements) ? { changes: changesSince(run, previous, before) } : {}),
  };
}

/** What an earlier run has judged, beside its sweeps, and what it was held to have judged. */
export const judgedIn = ({ requirements }: ComparedRun): string[] =>
  requirements
    .filter(
      ({ verdict, swept, reason, lost }) => lost || (isJudged(verdict) && !swept && reason !== brokenOnly),
    )
    .map(({ address }) => address);

/** Of a gate. One that is not set, as that of a ledger without entries, is none that fails. */
const verdictOf = ({ gates }: ComparedRun, gate: string) =>
  gates.find(({ address }) => address === gate)?.verdict ?? 'pass';

const isFixed = (was: Verdict | undefined, is: Verdict) =>
  is === 'pass' && (was === 'violation' || was === 'deviation');

function changesSince(
  run: ComparedRun,
  previous: ComparedRun,
  before: Map<string, ComparedRequirement>,
): Changes {
  const ofRequirements = run.requirements.map(({ address, verdict }) => {
    const earlier = before.get(address);
    const isUnseen = earlier !== undefined && isUnseenBy(run, previous, earlier);
    const own = Object.entries(kinds).filter(([, [, becomes]]) =>
      becomes(earlier?.verdict, verdict, isUnseen),
    );
    return { address, kinds: own.map(([kind]) => kind) };
  });
  const gates = new Set([...run.gates, ...previous.gates].map(({ address }) => address));
  const ofGates = [...gates].map((address) => {
    const [was, is] = [previous, run].map((one) => verdictOf(one, address) === 'pass');
    return { address, kinds: was === is ? [] : [is ? 'mended' : 'broken'] };
  });
  const changed = [...ofRequirements, ...ofGates].filter((one) => one.kinds.length > 0);
  const of = (kind: string) =>
    changed.filter((one) => one.kinds.includes(kind)).map(({ address }) => address);
  const differing = judgedWith.filter((name) => run[name] !== previous[name]);
  const causes: Cause[] = differing.length > 0 ? differing : [run.traffic ? 'recording' : 'target'];
  return {
    since: pick(previous, ['target', 'profile', 'startedAt', 'contract', 'verdict']),
    causes: changed.length > 0 ? causes : [],
    ...(Object.fromEntries(Object.keys(kinds).map((kind) => [kind, of(kind)])) as Record<Kind, string[]>),
  };
}

/** Whose change it was, in a sentence; empty where no verdict has changed. */
export function causeSentence({ causes }: Changes): string {
  if (causes.length === 0) return '';
  const [origin] = causes.filter((one) => one === 'target' || one === 'recording');
  return origin
    ? `it is the ${origin} that has changed: suite, contract, ledger and configuration are as they were`
    : `${causes.join(' and ')} changed meanwhile: that may be the cause, rather than the target`;
}

/** Each kind of change with its heading and its addresses. */
export const changesByKind = (changes: Changes): [heading: string, addresses: string[]][] =>
  Object.entries(kinds).map(([kind, [heading]]) => [heading, changes[kind as Kind]]);

/** Whether a sweep may have found what an earlier run has, and this run has not swept as much. */
const isUnseenBy = (run: ComparedRun, previous: ComparedRun, { swept, reason }: ComparedRequirement) =>
  (previous.sweeps ?? []).some(
    (sweep) =>
      (sweep.noun === swept?.records || reason === brokenOnly) &&
      !run.sweeps?.some((own) => repeats(own, sweep)),
  );

/** Whether a sweep has looked at all that an earlier one has: at a whole list, or at the same sample or file. */
function repeats(own: SweepSummary, earlier: SweepSummary): boolean {
  const isWhole = isComplete(own) && own.shard === undefined;
  if (own.noun !== earlier.noun || !isWhole) return false;
  if (own.mode === 'all' && own.pages !== undefined) return true;
  return own.mode === earlier.mode && own.seed === earlier.seed && own.judged >= earlier.judged;
}
