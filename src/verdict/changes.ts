import { pickDefined } from '../../schemas/json.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import { isSweepNote } from './evaluate.ts';
import type { RequirementResult } from './results.ts';
import type { RunConclusion } from './verdict.ts';
import { hasJudged, isJudged, type Verdict } from './verdicts.ts';

export interface ComparedRun
  extends Pick<RunConclusion, 'startedAt' | 'verdict' | 'gates' | 'sweeps' | 'ledger' | 'configuration'> {
  target: string;
  profile: string;
  suite?: string;
  contract: string;
  traffic?: unknown;
  incomplete?: true;
  requirements: ComparedRequirement[];
}

type ComparedRequirement = Pick<RequirementResult, 'address' | 'verdict' | 'swept' | 'reason'> &
  VerdictHistory;

export interface VerdictHistory {
  /** Start (ISO 8601) of the run in which the requirement got its present verdict. All runs since then had this verdict, too. */
  since?: string;
  /**
   * True if an earlier run judged the requirement, but this run did not. An earlier verdict from a sweep is ignored, because this
   * run may have no sweep. A run without the gate `run/judged` does not set this field.
   */
  lost?: true;
}

const comparedSettings = ['suite', 'contract', 'ledger', 'configuration'] as const;
type Cause = (typeof comparedSettings)[number] | 'target' | 'recording';

interface VerdictPair {
  before: Verdict | undefined;
  now: Verdict;
  /**
   * True if this run may have missed the records that led to the previous verdict. A recording may contain different records. If
   * the previous verdict may come from a sweep, a run that does not repeat the sweep may miss the records of the sweep.
   */
  mayComeFromOtherRecords: boolean;
}

/** Kinds of change between two runs, each with its heading in reports. */
const changeKinds = {
  broken: {
    heading: 'broken',
    appliesTo: ({ before, now }) => now === 'violation' && before !== 'violation',
  },
  newlyTolerated: {
    heading: 'now a known deviation',
    appliesTo: ({ before, now }) => now === 'deviation' && before !== 'deviation',
  },
  fixed: {
    heading: 'fixed',
    appliesTo: (pair) => passesAgain(pair) && !pair.mayComeFromOtherRecords,
  },
  // The requirement may pass only because this run did not judge the records that violated it.
  notLookedAtAgain: {
    heading: 'not seen again',
    appliesTo: (pair) => passesAgain(pair) && pair.mayComeFromOtherRecords,
  },
  newlyExercised: {
    heading: 'newly judged',
    appliesTo: ({ before, now }) => !isJudged(before) && isJudged(now),
  },
  noLongerExercised: {
    heading: 'no longer judged',
    appliesTo: ({ before, now }) => isJudged(before) && !isJudged(now),
  },
} satisfies Record<string, { heading: string; appliesTo(pair: VerdictPair): boolean }>;

type ChangeKind = keyof typeof changeKinds;
const changeKindNames = Object.keys(changeKinds) as ChangeKind[];

/** Changes of verdicts between two runs. Each kind of change, such as `broken`, has the addresses of its requirements and gates. */
export interface Changes extends Record<ChangeKind, string[]> {
  /** Previous run, with which this run was compared. */
  since: Pick<ComparedRun, 'target' | 'profile' | 'startedAt' | 'contract' | 'verdict'>;
  /** Possible causes of the changes, such as `['ledger', 'target']`. The list is empty if no verdict changed. */
  causes: Cause[];
}

/**
 * Compares a run with the previous run, and returns a copy with the result. In the copy, each requirement has its `VerdictHistory`.
 * The copy has `changes` only if there is a previous run, and if `run` is complete and has judged something.
 */
export function addChanges<Run extends ComparedRun>(run: Run, previous: ComparedRun | undefined): Run {
  if (!previous) {
    const requirements = run.requirements.map((requirement) => ({ ...requirement, since: run.startedAt }));
    return { ...run, requirements };
  }
  const requirements = addHistory(run, previous);
  // If the target was down, or the run ended early, a changed verdict is no change of its behaviour.
  if (run.incomplete || !hasJudged(requirements)) return { ...run, requirements };
  return { ...run, requirements, changes: collectChanges(run, previous) };
}

function addHistory(run: ComparedRun, previous: ComparedRun): ComparedRequirement[] {
  const previousRequirements = indexByAddress(previous.requirements);
  const addressesToJudge = listAddressesToJudge(previous);
  return run.requirements.map((requirement) => {
    const { address, verdict } = requirement;
    const previousRequirement = previousRequirements.get(address);
    const hasSameVerdict = previousRequirement?.verdict === verdict;
    const firstRunWithVerdict = previousRequirement?.since ?? previous.startedAt;
    const since = hasSameVerdict ? firstRunWithVerdict : run.startedAt;
    const isLost = addressesToJudge.includes(address) && isDemandedOfNextRun(run, verdict);
    return isLost ? { ...requirement, since, lost: true } : { ...requirement, since };
  });
}

function isDemandedOfNextRun(run: ComparedRun, verdict: Verdict): boolean {
  if (isJudged(verdict)) return false;
  // A target that is down does not lower the demand, but a run without this gate does.
  const isBlockedOrError = verdict !== 'not exercised';
  if (isBlockedOrError) return run.gates.some(({ address }) => address === 'run/judged');
  return getGateVerdict(run, 'run/judged') !== 'pass';
}

const indexByAddress = (requirements: ComparedRequirement[]): Map<string, ComparedRequirement> =>
  new Map(requirements.map((requirement) => [requirement.address, requirement]));

/**
 * Lists the addresses of requirements that the next run must judge. A requirement is listed if this run judged it, or if it is
 * `lost`: judged by an earlier run, but not by this run. A requirement with a verdict from a sweep is left out, because the next
 * run may have no sweep. The gate `run/judged` of the next run checks that the listed requirements are judged.
 */
export function listAddressesToJudge({ requirements }: ComparedRun): string[] {
  const isJudgedBySweep = ({ swept: sweepShare, reason }: ComparedRequirement) =>
    sweepShare !== undefined || isSweepNote(reason);
  const requirementsToJudge = requirements.filter((requirement) => {
    const isJudgedWithoutSweep = isJudged(requirement.verdict) && !isJudgedBySweep(requirement);
    return isJudgedWithoutSweep || requirement.lost;
  });
  return requirementsToJudge.map(({ address }) => address);
}

const getGateVerdict = ({ gates }: ComparedRun, gate: string) =>
  gates.find(({ address }) => address === gate)?.verdict ?? 'pass';

const passesAgain = ({ before, now }: VerdictPair) =>
  now === 'pass' && (before === 'violation' || before === 'deviation');

function collectChanges(run: ComparedRun, previous: ComparedRun): Changes {
  const comparisons = [...compareRequirements(run, previous), ...compareGates(run, previous)];
  const changes = comparisons.filter(({ kinds }) => kinds.length > 0);
  const addressesByKind = {} as Record<ChangeKind, string[]>;
  for (const kind of changeKindNames) {
    const changesOfKind = changes.filter(({ kinds }) => kinds.includes(kind));
    addressesByKind[kind] = changesOfKind.map(({ address }) => address);
  }
  return {
    since: pickDefined(previous, ['target', 'profile', 'startedAt', 'contract', 'verdict']),
    causes: findCauses(run, previous, changes),
    ...addressesByKind,
  };
}

interface VerdictComparison {
  address: string;
  kinds: ChangeKind[];
  mayComeFromLedger: boolean;
}

function compareRequirements(run: ComparedRun, previous: ComparedRun): VerdictComparison[] {
  const previousRequirements = indexByAddress(previous.requirements);
  return run.requirements.map(({ address, verdict }) => {
    const previousRequirement = previousRequirements.get(address);
    const mayComeFromOtherRecords =
      previousRequirement !== undefined &&
      (run.traffic !== undefined || mayComeFromUncoveredSweep(previousRequirement, run, previous));
    const pair = { before: previousRequirement?.verdict, now: verdict, mayComeFromOtherRecords };
    // A change may be of two kinds, such as `broken` and `newlyExercised`.
    const kinds = changeKindNames.filter((kind) => changeKinds[kind].appliesTo(pair));
    return { address, kinds, mayComeFromLedger: isChangeOfToleration(pair) };
  });
}

function compareGates(run: ComparedRun, previous: ComparedRun): VerdictComparison[] {
  // The team's own tests say nothing about the target.
  const gates = run.gates.filter(({ address }) => address !== 'run/custom-tests');
  return gates.map(({ address, verdict }) => {
    const passedBefore = getGateVerdict(previous, address) === 'pass';
    const passesNow = verdict === 'pass';
    const kindOfChange = passesNow ? 'fixed' : 'broken';
    const kinds: ChangeKind[] = passedBefore === passesNow ? [] : [kindOfChange];
    return { address, kinds, mayComeFromLedger: address === 'run/ledger' };
  });
}

const isChangeOfToleration = ({ before, now }: VerdictPair) =>
  (before === 'deviation' && now === 'violation') || (before === 'violation' && now === 'deviation');

function findCauses(run: ComparedRun, previous: ComparedRun, changes: VerdictComparison[]): Cause[] {
  if (changes.length === 0) return [];
  const changedSettings = comparedSettings.filter((name) => run[name] !== previous[name]);
  const mayComeFromSettings = changedSettings.some((name) => name !== 'ledger');
  if (mayComeFromSettings) return changedSettings;
  // A changed ledger explains some changes only, such as that of a violation into a known deviation.
  const isLedgerChanged = changedSettings.includes('ledger');
  const isExplainedByLedger = ({ mayComeFromLedger }: VerdictComparison) =>
    isLedgerChanged && mayComeFromLedger;
  const causes: Cause[] = [];
  if (changes.some(isExplainedByLedger)) causes.push('ledger');
  if (!changes.every(isExplainedByLedger)) causes.push(run.traffic ? 'recording' : 'target');
  return causes;
}

/** Formats the causes: "possible cause: a change of the suite; the target may have changed, too". Returns `''` without causes. */
export function formatCause({ causes }: Changes): string {
  if (causes.length === 0) return '';
  const targetOrRecording = causes.find((cause) => cause === 'target' || cause === 'recording');
  if (!targetOrRecording)
    return `possible cause: a change of the ${causes.join(' and the ')}; the target may have changed, too`;
  // `findCauses` names `target` or `recording` alone, or beside `ledger`.
  if (causes.includes('ledger'))
    return `possible cause: a change of the ledger for what is or was a known deviation, and of the ${targetOrRecording} for the others`;
  return `the ${targetOrRecording} has changed; no change of suite, contract, ledger or configuration explains it`;
}

export interface ChangesOfKind {
  kind: ChangeKind;
  heading: string;
  addresses: string[];
}

export function listChangesByKind(changes: Changes): ChangesOfKind[] {
  return changeKindNames.map((kind) => ({
    kind,
    heading: changeKinds[kind].heading,
    addresses: changes[kind],
  }));
}

function mayComeFromUncoveredSweep(
  { swept: previousShare, reason: previousReason }: ComparedRequirement,
  run: ComparedRun,
  previous: ComparedRun,
): boolean {
  const { sweeps: previousSweeps = [] } = previous;
  const { sweeps = [] } = run;
  // This reason does not say whether customers or cards were swept, for example, so the verdict may come from any sweep.
  const mayBeOfAnySweep = isSweepNote(previousReason);
  const sweepsOfVerdict = previousSweeps.filter(
    ({ noun }) => mayBeOfAnySweep || noun === previousShare?.records,
  );
  const isCovered = (previousSweep: SweepSummary) =>
    sweeps.some((sweep) => coversSweep(sweep, previousSweep));
  return !sweepsOfVerdict.every(isCovered);
}

function coversSweep(sweep: SweepSummary, previousSweep: SweepSummary): boolean {
  const hasSameNoun = sweep.noun === previousSweep.noun;
  const isPartial = !isComplete(sweep) || sweep.shard !== undefined;
  if (!hasSameNoun || isPartial) return false;
  // Only the sweep of a list has `pages`.
  const isSweepOfWholeList = sweep.mode === 'all' && sweep.pages !== undefined;
  if (isSweepOfWholeList) return true;
  if (sweep.mode !== previousSweep.mode) return false;
  // Of a file of identifiers, only the number of records can be compared, because its lines are not stored.
  const isSweepOfFile = sweep.mode === 'all';
  if (isSweepOfFile) return sweep.judged >= previousSweep.judged;
  // The same seed draws the same records only for the same size of sample and list.
  const { seed, judged, population } = sweep;
  const isSameDraw = seed === previousSweep.seed && judged === previousSweep.judged;
  return isSameDraw && population !== undefined && population === previousSweep.population;
}
