import { pickDefined } from '../../schemas/json.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import { brokenOnlyNote } from './evaluate.ts';
import type { RequirementResult } from './results.ts';
import type { RunConclusion } from './verdict.ts';
import { hasJudged, isJudged, type Verdict } from './verdicts.ts';

/** Parts of a run, this one or an earlier one, that `addChanges` compares. */
export interface ComparedRun
  extends Pick<RunConclusion, 'startedAt' | 'verdict' | 'gates' | 'sweeps' | 'ledger' | 'configuration'> {
  target: string;
  profile: string;
  /** Version of this suite, such as `1.0.0`. */
  suite?: string;
  /** Hash of the contract, 12 hex digits. */
  contract: string;
  /** Set if the run judged a recording (`TRAFFIC`) rather than a target. */
  traffic?: unknown;
  requirements: ComparedRequirement[];
}

type ComparedRequirement = Pick<RequirementResult, 'address' | 'verdict' | 'swept' | 'reason'> &
  EarlierVerdict;

/** Verdict of a requirement in earlier runs. */
export interface EarlierVerdict {
  /** Start (ISO 8601) of the first run of the unbroken series of runs that gave the requirement this verdict. */
  since?: string;
  /** Set while the gate `run/judged` fails: the requirement is not exercised, although an earlier run judged it. */
  lost?: true;
}

const comparedSettings = ['suite', 'contract', 'ledger', 'configuration'] as const;
type Cause = (typeof comparedSettings)[number] | 'target' | 'recording';

/**
 * Checks that a requirement has changed in one way. @param was verdict of the earlier run, undefined if it lacks the requirement
 * @param isUnseen true if the earlier verdict may come from records that this run did not sweep
 */
type ChangeTest = (was: Verdict | undefined, is: Verdict, isUnseen: boolean) => boolean;

/** Kinds of change: the heading in reports, and the test for the change, by key of `changes` in `conformance.json`. */
const changeKinds = {
  broken: ['broken', (was, is) => is === 'violation' && was !== 'violation'],
  newlyTolerated: ['now a known deviation', (was, is) => is === 'deviation' && was !== 'deviation'],
  fixed: ['fixed', (was, is, isUnseen) => isFixed(was, is) && !isUnseen],
  // Passes now as well, but perhaps only because this run did not sweep the records that broke the requirement.
  notLookedAtAgain: ['not swept again', (was, is, isUnseen) => isFixed(was, is) && isUnseen],
  newlyExercised: ['newly judged', (was, is) => !isJudged(was) && isJudged(is)],
  noLongerExercised: ['no longer judged', (was, is) => isJudged(was) && !isJudged(is)],
} satisfies Record<string, [heading: string, becomes: ChangeTest]>;

type ChangeKind = keyof typeof changeKinds;

/** Changes since an earlier run: for each kind, such as `broken`, the addresses of requirements and gates. */
export interface Changes extends Record<ChangeKind, string[]> {
  since: Pick<ComparedRun, 'target' | 'profile' | 'startedAt' | 'contract' | 'verdict'>;
  /** Settings that changed between the runs; `target` or `recording` for what no setting explains. Empty if no verdict changed. */
  causes: Cause[];
}

/**
 * Adds `since` (and `lost`) to each requirement of a run, and the `changes` since the previous run. Omits `changes` if there is no
 * previous run, or if this run judged nothing. Pure.
 */
export function addChanges<Run extends ComparedRun>(run: Run, previous: ComparedRun | undefined): Run {
  const earlierRequirements = new Map(
    previous?.requirements.map((requirement) => [requirement.address, requirement]),
  );
  const isJudgedGateFailed = getGateVerdict(run, 'run/judged') === 'fail';
  const addressesJudgedBefore = new Set(previous && isJudgedGateFailed ? listJudgedAddresses(previous) : []);
  const compareWithEarlier = ({ address, verdict }: ComparedRequirement): EarlierVerdict => {
    const earlier = earlierRequirements.get(address);
    const sinceEarlier = earlier?.verdict === verdict && (earlier.since ?? previous?.startedAt);
    const isLost = verdict === 'not exercised' && addressesJudgedBefore.has(address);
    return { since: sinceEarlier || run.startedAt, ...(isLost ? { lost: true } : {}) };
  };
  return {
    ...run,
    requirements: run.requirements.map((requirement) => ({
      ...requirement,
      ...compareWithEarlier(requirement),
    })),
    ...(previous && hasJudged(run.requirements)
      ? { changes: collectChanges(run, previous, earlierRequirements) }
      : {}),
  };
}

/**
 * Lists the addresses of the requirements that the next run must judge again for `run/judged` to pass: judged in this run by
 * ordinary requests (sweeps are optional), or already `lost`.
 */
export const listJudgedAddresses = ({ requirements }: ComparedRun): string[] =>
  requirements
    .filter(
      ({ verdict, swept: sweepShare, reason, lost }) =>
        lost || (isJudged(verdict) && !sweepShare && reason !== brokenOnlyNote),
    )
    .map(({ address }) => address);

/** Returns the verdict of a gate such as `run/judged`; `pass` if the run did not have that gate. */
const getGateVerdict = ({ gates }: ComparedRun, gate: string) =>
  gates.find(({ address }) => address === gate)?.verdict ?? 'pass';

/** Checks that a requirement passes that was violated or deviating before. */
const isFixed = (was: Verdict | undefined, is: Verdict) =>
  is === 'pass' && (was === 'violation' || was === 'deviation');

/** Compares each requirement and gate with the earlier run. Names the settings that may have caused the changes. */
function collectChanges(
  run: ComparedRun,
  previous: ComparedRun,
  earlierRequirements: Map<string, ComparedRequirement>,
): Changes {
  const requirementChanges = run.requirements.map(({ address, verdict }) => {
    const earlier = earlierRequirements.get(address);
    const isUnseen = earlier !== undefined && isPossiblyUnseen(run, previous, earlier);
    const matchingKinds = Object.entries(changeKinds).filter(([, [, becomes]]) =>
      becomes(earlier?.verdict, verdict, isUnseen),
    );
    const isByLedger = earlier !== undefined && isChangeOfToleration(earlier.verdict, verdict);
    return { address, kinds: matchingKinds.map(([kind]) => kind), isByLedger };
  });
  const gateAddresses = new Set([...run.gates, ...previous.gates].map(({ address }) => address));
  // A run without tests of the team says nothing of them, and they say nothing of the target.
  gateAddresses.delete('run/custom-tests');
  const gateChanges = [...gateAddresses].map((address) => {
    const [didPass, passes] = [previous, run].map((side) => getGateVerdict(side, address) === 'pass');
    const kinds = didPass === passes ? [] : [passes ? 'fixed' : 'broken'];
    return { address, kinds, isByLedger: address === 'run/ledger' };
  });
  const changed = [...requirementChanges, ...gateChanges].filter((change) => change.kinds.length > 0);
  const listAddresses = (kind: string) =>
    changed.filter((change) => change.kinds.includes(kind)).map(({ address }) => address);
  return {
    since: pickDefined(previous, ['target', 'profile', 'startedAt', 'contract', 'verdict']),
    causes: findCauses(run, previous, changed),
    ...(Object.fromEntries(Object.keys(changeKinds).map((kind) => [kind, listAddresses(kind)])) as Record<
      ChangeKind,
      string[]
    >),
  };
}

/** Checks that a verdict changed from tolerated to violated, or back, which an entry of the ledger can cause. */
const isChangeOfToleration = (was: Verdict, is: Verdict) =>
  (was === 'deviation' && is === 'violation') || (was === 'violation' && is === 'deviation');

/**
 * Finds the possible causes of changes. If only the ledger changed, it explains only the changes of toleration.
 * @param changed changes, each with whether a change of the ledger can cause it
 */
function findCauses(run: ComparedRun, previous: ComparedRun, changed: { isByLedger: boolean }[]): Cause[] {
  const changedSettings = comparedSettings.filter((name) => run[name] !== previous[name]);
  if (changed.length === 0) return [];
  if (changedSettings.some((name) => name !== 'ledger')) return changedSettings;
  const isLedgerChanged = changedSettings.length > 0;
  const unexplained = changed.filter(({ isByLedger }) => !isLedgerChanged || !isByLedger);
  return [
    ...(unexplained.length < changed.length ? (['ledger'] as const) : []),
    ...(unexplained.length > 0 ? [run.traffic ? ('recording' as const) : ('target' as const)] : []),
  ];
}

/** Formats the possible cause of changes: "possible cause: a change of the suite and the ledger, …"; empty if no verdict changed. */
export function formatCause({ causes }: Changes): string {
  if (causes.length === 0) return '';
  const [judgedThing] = causes.filter((cause) => cause === 'target' || cause === 'recording');
  if (!judgedThing)
    return `possible cause: a change of the ${causes.join(' and the ')}, rather than of the target`;
  return causes.includes('ledger')
    ? `possible cause: a change of the ledger for what is or was a known deviation, and of the ${judgedThing} for the others`
    : `the ${judgedThing} has changed; no change of suite, contract, ledger or configuration explains it`;
}

/** Lists the heading of each kind of change, such as `no longer judged`, with the changed addresses, which may be none. */
export const listChangesByKind = (changes: Changes): [heading: string, addresses: string[]][] =>
  Object.entries(changeKinds).map(([kind, [heading]]) => [heading, changes[kind as ChangeKind]]);

/**
 * Checks that the earlier verdict of a requirement may come from a sweep of the earlier run that no sweep of this run covers.
 */
const isPossiblyUnseen = (
  run: ComparedRun,
  previous: ComparedRun,
  { swept: sweepShare, reason }: ComparedRequirement,
): boolean =>
  (previous.sweeps ?? []).some(
    (sweep) =>
      (sweep.noun === sweepShare?.records || reason === brokenOnlyNote) &&
      !run.sweeps?.some((laterSweep) => coversSweep(laterSweep, sweep)),
  );

/**
 * Checks that a complete sweep judged at least the records of an earlier sweep: it swept the whole list (`SWEEP=all`), or it had
 * the mode and seed of the earlier sweep and judged at least as many records.
 */
function coversSweep(sweep: SweepSummary, earlierSweep: SweepSummary): boolean {
  const isWholeSweep = isComplete(sweep) && sweep.shard === undefined;
  if (sweep.noun !== earlierSweep.noun || !isWholeSweep) return false;
  if (sweep.mode === 'all' && sweep.pages !== undefined) return true;
  return (
    sweep.mode === earlierSweep.mode &&
    sweep.seed === earlierSweep.seed &&
    sweep.judged >= earlierSweep.judged
  );
}
