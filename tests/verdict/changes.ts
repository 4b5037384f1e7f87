import { isJudged, type RunVerdict, type Verdict } from './verdicts.ts';

/** What is compared of a run. */
export interface ComparedRun {
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
export interface ComparedRequirement {
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

type Changed = (was: Verdict | undefined, is: Verdict) => boolean;

/** What a requirement has become, from its verdict before and its verdict now. */
const kinds = {
  broken: (was, is) => is === 'violation' && was !== 'violation',
  mended: (was, is) => is === 'pass' && (was === 'violation' || was === 'deviation'),
  newlyTolerated: (was, is) => is === 'deviation' && was !== 'deviation',
  newlyExercised: (was, is) => !isJudged(was) && isJudged(is),
  noLongerExercised: (was, is) => isJudged(was) && !isJudged(is),
} satisfies Record<string, Changed>;

function changesSince(run: ComparedRun, previous: ComparedRun, before: Before): Changes {
  const { target, profile, startedAt, contract, verdict } = previous;
  const pick = (changed: Changed) =>
    run.requirements
      .filter((one) => changed(before.get(one.address)?.verdict, one.verdict))
      .map(({ address }) => address);
  return {
    since: { target, profile, startedAt, contract, verdict },
    broken: pick(kinds.broken),
    mended: pick(kinds.mended),
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
    ['newly exercised', changes.newlyExercised],
    ['no longer exercised', changes.noLongerExercised],
  ] as const;
