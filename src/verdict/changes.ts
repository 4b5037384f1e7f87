import { pickDefined } from '../../schemas/json.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import { brokenOnlyNote } from './evaluate.ts';
import type { RequirementResult } from './results.ts';
import type { RunConclusion } from './verdict.ts';
import { hasJudged, isJudged, type Verdict } from './verdicts.ts';

/** Results of this run or of an earlier one, as `addChanges` compares them. */
export interface ComparedRun
  extends Pick<RunConclusion, 'startedAt' | 'verdict' | 'gates' | 'sweeps' | 'ledger' | 'configuration'> {
  /** Name of the target (`TARGET_NAME`), such as `staging`. */
  target: string;
  /** Profile of the run (`PROFILE`), such as `observed`. */
  profile: string;
  /** Version of this suite that made the run, such as `1.0.0`. */
  suite?: string;
  /** Hash of the contract that the run judged by, 12 hex digits. */
  contract: string;
  /** Summary of the recordings that the run judged (`TRAFFIC`); undefined if the run sent requests to a target. */
  traffic?: unknown;
  requirements: ComparedRequirement[];
}

type ComparedRequirement = Pick<RequirementResult, 'address' | 'verdict' | 'swept' | 'reason'> &
  EarlierVerdict;

/** What a report says about a requirement in comparison with earlier runs. */
export interface EarlierVerdict {
  /** Start (ISO 8601) of the run from which on every run has given a requirement the verdict that it has now. */
  since?: string;
  /** True for a requirement that is not exercised although an earlier run judged it, as long as the gate `run/judged` fails. */
  lost?: true;
}

const comparedSettings = ['suite', 'contract', 'ledger', 'configuration'] as const;
/** Possible cause of a changed verdict: a setting, or else what was judged. */
type Cause = (typeof comparedSettings)[number] | 'target' | 'recording';

/**
 * Returns whether the verdict of a requirement changed in one way, such as to `violation`.
 * @param was verdict of the earlier run; undefined if that run did not have the requirement
 * @param is verdict of this run
 * @param isNotSweptAgain true if the earlier verdict may come from records that this run did not sweep
 */
type ChangeTest = (was: Verdict | undefined, is: Verdict, isNotSweptAgain: boolean) => boolean;

/** Kinds of change: the heading in reports, and the test for the change, keyed as in `changes` of `conformance.json`. */
const changeKinds = {
  broken: ['broken', (was, is) => is === 'violation' && was !== 'violation'],
  newlyTolerated: ['now a known deviation', (was, is) => is === 'deviation' && was !== 'deviation'],
  fixed: ['fixed', (was, is, isNotSweptAgain) => isFixed(was, is) && !isNotSweptAgain],
  // Passes now as well, but perhaps only because this run did not sweep the records that broke the requirement.
  notLookedAtAgain: ['not swept again', (was, is, isNotSweptAgain) => isFixed(was, is) && isNotSweptAgain],
  newlyExercised: ['newly judged', (was, is) => !isJudged(was) && isJudged(is)],
  noLongerExercised: ['no longer judged', (was, is) => isJudged(was) && !isJudged(is)],
} satisfies Record<string, [heading: string, hasChanged: ChangeTest]>;

type ChangeKind = keyof typeof changeKinds;

/**
 * Changes since an earlier run: addresses such as `getCard/http/status` or `run/drift`, keyed by kind of change, such as `broken`.
 */
export interface Changes extends Record<ChangeKind, string[]> {
  /** Facts about the earlier run that this run is compared with. */
  since: Pick<ComparedRun, 'target' | 'profile' | 'startedAt' | 'contract' | 'verdict'>;
  /**
   * Possible causes of the changes since an earlier run: settings that differ, such as `ledger`; `target` or `recording` for what
   * no setting explains. Empty if no verdict changed.
   */
  causes: Cause[];
}

/**
 * Returns a run with `since` and, if it applies, `lost` added to each requirement, and with the `changes` since the previous run.
 * Omits `changes` if there is no previous run, or if this run judged nothing. Pure.
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
 * Lists the addresses of the requirements that the next run must judge for its gate `run/judged` to pass: those that this run
 * judged, and those that are still `lost` since an earlier run. Leaves out requirements that a sweep judged, because sweeps are
 * optional.
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

/** Returns whether a verdict changed from `violation` or `deviation` to `pass`. */
const isFixed = (was: Verdict | undefined, is: Verdict) =>
  is === 'pass' && (was === 'violation' || was === 'deviation');

/**
 * Compares the verdicts of all requirements and gates with those of the earlier run. Lists the settings that may have caused the
 * changes.
 * @param earlierRequirements requirements of the earlier run, keyed by address
 */
function collectChanges(
  run: ComparedRun,
  previous: ComparedRun,
  earlierRequirements: Map<string, ComparedRequirement>,
): Changes {
  const requirementChanges = run.requirements.map(({ address, verdict }) => {
    const earlier = earlierRequirements.get(address);
    const isNotSweptAgain = earlier !== undefined && mayComeFromOtherSweep(run, previous, earlier);
    const matchingKinds = Object.entries(changeKinds).filter(([, [, hasChanged]]) =>
      hasChanged(earlier?.verdict, verdict, isNotSweptAgain),
    );
    const isByLedger = earlier !== undefined && isChangeOfToleration(earlier.verdict, verdict);
    return { address, kinds: matchingKinds.map(([kind]) => kind), isByLedger };
  });
  const gateAddresses = new Set([...run.gates, ...previous.gates].map(({ address }) => address));
  // A run may leave out the team's own tests, and they say nothing about the target.
  gateAddresses.delete('run/custom-tests');
  const gateChanges = [...gateAddresses].map((address) => {
    const [didPass, passes] = [previous, run].map((side) => getGateVerdict(side, address) === 'pass');
    const changedKind = passes ? 'fixed' : 'broken';
    const kinds = didPass === passes ? [] : [changedKind];
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

/** Returns whether a verdict changed from `deviation` to `violation` or back, which a changed entry of the ledger can cause. */
const isChangeOfToleration = (was: Verdict, is: Verdict) =>
  (was === 'deviation' && is === 'violation') || (was === 'violation' && is === 'deviation');

/**
 * Finds the possible causes of changed verdicts. Returns the settings that differ between the runs. If only the ledger differs, or
 * nothing does, returns `target` or `recording` for the changes that the ledger cannot explain. Empty if no verdict changed.
 * @param changed changed requirements and gates; `isByLedger` is true if a change of the ledger can explain one
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

/**
 * Formats the possible cause of changed verdicts: "possible cause: a change of the suite and the ledger, rather than of the
 * target", or "the target has changed; no change of suite, … explains it" if no setting does. Empty if no verdict changed.
 */
export function formatCause({ causes }: Changes): string {
  if (causes.length === 0) return '';
  const [judgedThing] = causes.filter((cause) => cause === 'target' || cause === 'recording');
  if (!judgedThing)
    return `possible cause: a change of the ${causes.join(' and the ')}, rather than of the target`;
  return causes.includes('ledger')
    ? `possible cause: a change of the ledger for what is or was a known deviation, and of the ${judgedThing} for the others`
    : `the ${judgedThing} has changed; no change of suite, contract, ledger or configuration explains it`;
}

/** Lists each kind of change: its heading, such as `no longer judged`, and the addresses that changed in this way, perhaps none. */
export const listChangesByKind = (changes: Changes): [heading: string, addresses: string[]][] =>
  Object.entries(changeKinds).map(([kind, [heading]]) => [heading, changes[kind as ChangeKind]]);

/**
 * Returns whether a requirement may owe its earlier verdict to records that a sweep of the earlier run judged, and no sweep of this
 * run.
 */
const mayComeFromOtherSweep = (
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
 * Returns whether a sweep judged at least the records of an earlier sweep. It must be complete and no shard. Then it must have
 * swept the whole list (`SWEEP=all`), or have the mode and seed of the earlier sweep and have judged at least as many records.
 */
function coversSweep(sweep: SweepSummary, earlierSweep: SweepSummary): boolean {
  const isWholeSweep = isComplete(sweep) && sweep.shard === undefined;
  if (sweep.noun !== earlierSweep.noun || !isWholeSweep) return false;
  // Only the sweep of a list has `pages`. The lines of a file of identifiers may be others than in the earlier run.
  if (sweep.mode === 'all' && sweep.pages !== undefined) return true;
  return (
    sweep.mode === earlierSweep.mode &&
    sweep.seed === earlierSweep.seed &&
    sweep.judged >= earlierSweep.judged
  );
}
