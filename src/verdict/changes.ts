import { pickDefined } from '../../schemas/json.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import { brokenOnlyNote } from './evaluate.ts';
import type { RequirementResult } from './results.ts';
import type { RunConclusion } from './verdict.ts';
import { hasJudged, isJudged, type Verdict } from './verdicts.ts';

/** Results of this run or of an earlier one, as `addChanges` compares them. */
export interface ComparedRun
  extends Pick<RunConclusion, 'startedAt' | 'verdict' | 'gates' | 'sweeps' | 'ledger' | 'configuration'> {
  target: string;
  profile: string;
  suite?: string;
  contract: string;
  traffic?: unknown;
  requirements: ComparedRequirement[];
}

type ComparedRequirement = Pick<RequirementResult, 'address' | 'verdict' | 'swept' | 'reason'> &
  EarlierVerdict;

export interface EarlierVerdict {
  /** Start (ISO 8601) of the first of the runs in a row with the current verdict. */
  since?: string;
  /** True if not exercised although an earlier run judged the requirement, while the gate `run/judged` fails. */
  lost?: true;
}

const comparedSettings = ['suite', 'contract', 'ledger', 'configuration'] as const;
type Cause = (typeof comparedSettings)[number] | 'target' | 'recording';

/**
 * Returns whether a verdict changed in one way, such as to `violation`.
 * @param was verdict of the earlier run; undefined if that run did not have the requirement
 * @param isNotSweptAgain true if `was` may come from records that this run did not sweep
 */
type ChangeTest = (was: Verdict | undefined, is: Verdict, isNotSweptAgain: boolean) => boolean;

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

/** Addresses whose verdict changed since an earlier run, keyed by kind of change. */
export interface Changes extends Record<ChangeKind, string[]> {
  since: Pick<ComparedRun, 'target' | 'profile' | 'startedAt' | 'contract' | 'verdict'>;
  /** Settings such as `ledger` that differ; `target` or `recording` if no setting explains a change. Empty without changes. */
  causes: Cause[];
}

/**
 * Adds `since` and `lost` to each requirement of a run, and the `changes` since the previous run to the run itself. Omits `changes`
 * if there is no previous run, or if this run judged nothing.
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
 * Lists the requirements that the next run must judge for its gate `run/judged`: those that this run judged or that are still
 * `lost`. Omits those judged by a sweep, because sweeps are optional.
 */
export const listJudgedAddresses = ({ requirements }: ComparedRun): string[] =>
  requirements
    .filter(
      ({ verdict, swept: sweepShare, reason, lost }) =>
        lost || (isJudged(verdict) && !sweepShare && reason !== brokenOnlyNote),
    )
    .map(({ address }) => address);

const getGateVerdict = ({ gates }: ComparedRun, gate: string) =>
  gates.find(({ address }) => address === gate)?.verdict ?? 'pass';

const isFixed = (was: Verdict | undefined, is: Verdict) =>
  is === 'pass' && (was === 'violation' || was === 'deviation');

/**
 * Compares the verdicts of requirements and gates with those of the earlier run, and lists possible causes.
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
    const didPass = getGateVerdict(previous, address) === 'pass';
    const passes = getGateVerdict(run, address) === 'pass';
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

const isChangeOfToleration = (was: Verdict, is: Verdict) =>
  (was === 'deviation' && is === 'violation') || (was === 'violation' && is === 'deviation');

/**
 * Finds the possible causes of changed verdicts: the settings that differ between the runs. If at most the ledger differs, adds
 * `target` or `recording` for changes that the ledger cannot explain.
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
 * Formats the possible causes: "possible cause: a change of the suite and the ledger, rather than of the target". Empty without
 * causes.
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

/** Lists each kind of change: its heading, such as `no longer judged`, and its addresses, perhaps none. */
export const listChangesByKind = (changes: Changes): [heading: string, addresses: string[]][] =>
  Object.entries(changeKinds).map(([kind, [heading]]) => [heading, changes[kind as ChangeKind]]);

/** Returns whether records that no sweep of this run covers may have caused the earlier verdict. */
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
 * Returns whether a sweep judged at least the records of an earlier sweep: it is complete and no shard, and either swept the whole
 * list (`SWEEP=all`), or has the mode and seed of the earlier one and judged at least as many records.
 */
function coversSweep(sweep: SweepSummary, earlierSweep: SweepSummary): boolean {
  const isWholeSweep = isComplete(sweep) && sweep.shard === undefined;
  if (sweep.noun !== earlierSweep.noun || !isWholeSweep) return false;
  // Only the sweep of a list has `pages`. The lines of a file of identifiers may be others than in the earlier run.
  const isSweepOfWholeList = sweep.mode === 'all' && sweep.pages !== undefined;
  if (isSweepOfWholeList) return true;
  return (
    sweep.mode === earlierSweep.mode &&
    sweep.seed === earlierSweep.seed &&
    sweep.judged >= earlierSweep.judged
  );
}
