import type { Verdict } from './evaluate.ts';
import type { RunVerdict } from './verdict.ts';

/** What is compared of a run. */
export interface ComparedRun {
  target: string;
  profile: string;
  startedAt: string;
  contract: string;
  verdict: RunVerdict;
  requirements: ComparedRequirement[];
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
  mended: string[];
  newlyExercised: string[];
  noLongerExercised: string[];
}

const judged = new Set<Verdict | undefined>(['pass', 'deviation', 'violation']);

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

function changesSince(run: ComparedRun, previous: ComparedRun, before: Before): Changes {
  const { target, profile, startedAt, contract, verdict } = previous;
  const pick = (changed: (was: Verdict | undefined, is: Verdict) => boolean) =>
    run.requirements
      .filter((one) => changed(before.get(one.address)?.verdict, one.verdict))
      .map(({ address }) => address);
  return {
    since: { target, profile, startedAt, contract, verdict },
    broken: pick((was, is) => is === 'violation' && was !== 'violation'),
    mended: pick((was, is) => was === 'violation' && (is === 'pass' || is === 'deviation')),
    newlyExercised: pick((was, is) => !judged.has(was) && judged.has(is)),
    noLongerExercised: pick((was, is) => judged.has(was) && !judged.has(is)),
  };
}

/** Each kind of change with its heading and its addresses. */
export const kindsOf = ({ broken, mended, newlyExercised, noLongerExercised }: Changes) =>
  [
    ['broken', broken],
    ['mended', mended],
    ['newly exercised', newlyExercised],
    ['no longer exercised', noLongerExercised],
  ] as const;
