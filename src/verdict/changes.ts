import type { SweptShare } from '../sweep/summary.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import { isJudged, type RunVerdict, type Verdict } from './verdicts.ts';

/** What is compared of a run. */
export interface ComparedRun extends Looked {
  target: string;
  profile: string;
  startedAt: string;
  contract: string;
  verdict: RunVerdict;
  requirements: ComparedRequirement[];
  /** Set when only a part of the contract was selected. */
  selection?: unknown;
  /** Set when the judging was divided. */
  shard?: unknown;
}

/** A requirement with its verdict, and the start of the first of the runs that have agreed on it since. */
export interface ComparedRequirement extends LookedAt {
  address: string;
  verdict: Verdict;
  since?: string;
}

/** What has changed since an earlier run; addresses of requirements. */
export interface Changes {
  since: Pick<ComparedRun, 'target' | 'profile' | 'startedAt' | 'contract' | 'verdict'>;
  broken: string[];
  /** Fixed: broken or deviating before, kept now. */
  mended: string[];
  /** The same where a sweep may have found it, and this run has not looked as far. Absent in earlier reports. */
  notLookedAtAgain?: string[];
  /** Absent in reports of version 1. */
  newlyTolerated?: string[];
  newlyExercised: string[];
  noLongerExercised: string[];
}

/** A run with what has changed since an earlier one, and since when each verdict holds. Pure. */
export function withChanges<Run extends ComparedRun>(run: Run, previous: ComparedRun | undefined): Run {
  const before = new Map(previous?.requirements.map((one) => [one.address, one]));
  return {
    ...run,
    requirements: run.requirements.map((one) => ({ ...one, since: sinceOf(run, one, previous, before) })),
    ...(previous ? { changes: changesSince(run, previous, before) } : {}),
  };
}

type Before = Map<string, ComparedRequirement>;

function sinceOf(
  run: ComparedRun,
  one: ComparedRequirement,
  previous: ComparedRun | undefined,
  before: Before,
) {
  const earlier = before.get(one.address);
  const same = previous && earlier?.verdict === one.verdict;
  return same ? (earlier.since ?? previous.startedAt) : run.startedAt;
}

type Changed = (was: Verdict | undefined, is: Verdict, isUnseen: boolean) => boolean;

const passesNow: Changed = (was, is) => is === 'pass' && (was === 'violation' || was === 'deviation');

/** What a requirement has become, from its verdict before and its verdict now. */
const kinds = {
  broken: (was, is) => is === 'violation' && was !== 'violation',
  mended: (was, is, unseen) => passesNow(was, is, unseen) && !unseen,
  notLookedAtAgain: (was, is, unseen) => passesNow(was, is, unseen) && unseen,
  newlyTolerated: (was, is) => is === 'deviation' && was !== 'deviation',
  newlyExercised: (was, is) => !isJudged(was) && isJudged(is),
  noLongerExercised: (was, is) => isJudged(was) && !isJudged(is),
} satisfies Record<string, Changed>;

function changesSince(run: ComparedRun, previous: ComparedRun, before: Before): Changes {
  const { target, profile, startedAt, contract, verdict } = previous;
  const pick = (changed: Changed) => run.requirements.filter(has(changed)).map(({ address }) => address);
  const has = (changed: Changed) => (one: ComparedRequirement) => {
    const earlier = before.get(one.address);
    return changed(earlier?.verdict, one.verdict, earlier !== undefined && isUnseen(run, previous, earlier));
  };
  return {
    since: { target, profile, startedAt, contract, verdict },
    broken: pick(kinds.broken),
    mended: pick(kinds.mended),
    notLookedAtAgain: pick(kinds.notLookedAtAgain),
    newlyTolerated: pick(kinds.newlyTolerated),
    newlyExercised: pick(kinds.newlyExercised),
    noLongerExercised: pick(kinds.noLongerExercised),
  };
}

/** Each kind of change with its heading and its addresses. */
export const changesByKind = (changes: Changes) =>
  [
    ['broken', changes.broken],
    ['newly tolerated', changes.newlyTolerated ?? []],
    ['fixed', changes.mended],
    ['not looked at again', changes.notLookedAtAgain ?? []],
    ['newly exercised', changes.newlyExercised],
    ['no longer exercised', changes.noLongerExercised],
  ] as const;

/** What tells how far a run has looked. */
export interface Looked {
  sweeps?: ComparedSweep[];
}

/** What is compared of a sweep. */
export type ComparedSweep = Pick<
  SweepSummary,
  'operation' | 'noun' | 'mode' | 'seed' | 'judged' | 'pages' | 'blocked' | 'stopped' | 'shard'
>;

/** What tells of a requirement by which requests and records it was judged. */
export interface LookedAt {
  operation: string;
  requests?: number;
  swept?: Pick<SweptShare, 'broken' | 'records'>;
}

/**
 * Whether a run may have passed over what an earlier one has found: a sweep may have found it, and this run has not swept as
 * much.
 */
export function isUnseen(run: Looked, earlierRun: Looked, earlier: LookedAt): boolean {
  const missed = (earlierRun.sweeps ?? []).filter((sweep) => !run.sweeps?.some((own) => repeats(own, sweep)));
  return missed.some(
    ({ operation, noun }) => operation === earlier.operation && earlier.swept?.records === noun,
  );
}

/** Whether a sweep has looked at all that an earlier one has: at a whole list, or at the same sample or file. */
function repeats(own: ComparedSweep, earlier: ComparedSweep): boolean {
  if (own.operation !== earlier.operation || own.noun !== earlier.noun || !isWhole(own)) return false;
  if (own.mode === 'all' && own.pages !== undefined) return true;
  return own.mode === earlier.mode && own.seed === earlier.seed && own.judged >= earlier.judged;
}

/** Whether a sweep has looked at all that it was to look at, and not at a share of that. */
const isWhole = (sweep: ComparedSweep): boolean => isComplete(sweep) && sweep.shard === undefined;
