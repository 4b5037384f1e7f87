import { pickDefined } from '../../schemas/json.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import { failedLookupsNote } from './evaluate.ts';
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
  requirements: ComparedRequirement[];
}

type ComparedRequirement = Pick<RequirementResult, 'address' | 'verdict' | 'swept' | 'reason'> &
  VerdictHistory;

/** How long a requirement has had its verdict, and whether it is no longer judged. */
export interface VerdictHistory {
  /** Start (ISO 8601) of the run since which the verdict has not changed. */
  since?: string;
  /** True if an earlier run judged the requirement and this run did not, so that its gate `run/judged` fails. */
  lost?: true;
}

const comparedSettings = ['suite', 'contract', 'ledger', 'configuration'] as const;
type Cause = (typeof comparedSettings)[number] | 'target' | 'recording';

/**
 * Returns whether the verdict of a requirement changed in a certain way, for example to `violation`.
 * @param was verdict of the previous run; undefined if the previous run did not have the requirement
 * @param isNotSweptAgain true if `was` may be about records that only the sweep of the previous run has requested
 */
type ChangeTest = (was: Verdict | undefined, is: Verdict, isNotSweptAgain: boolean) => boolean;

const changeKinds = {
  broken: {
    heading: 'broken',
    hasChanged: (was, is) => is === 'violation' && was !== 'violation',
  },
  newlyTolerated: {
    heading: 'now a known deviation',
    hasChanged: (was, is) => is === 'deviation' && was !== 'deviation',
  },
  fixed: {
    heading: 'fixed',
    hasChanged: (was, is, isNotSweptAgain) => isFixed(was, is) && !isNotSweptAgain,
  },
  // Passes now as well, but perhaps only because this run did not sweep the records that broke the requirement.
  notLookedAtAgain: {
    heading: 'not swept again',
    hasChanged: (was, is, isNotSweptAgain) => isFixed(was, is) && isNotSweptAgain,
  },
  newlyExercised: {
    heading: 'newly judged',
    hasChanged: (was, is) => !isJudged(was) && isJudged(is),
  },
  noLongerExercised: {
    heading: 'no longer judged',
    hasChanged: (was, is) => isJudged(was) && !isJudged(is),
  },
} satisfies Record<string, { heading: string; hasChanged: ChangeTest }>;

type ChangeKind = keyof typeof changeKinds;

/** Addresses of requirements and gates whose verdict changed since an earlier run, keyed by kind of change, such as `fixed`. */
export interface Changes extends Record<ChangeKind, string[]> {
  since: Pick<ComparedRun, 'target' | 'profile' | 'startedAt' | 'contract' | 'verdict'>;
  /** Settings that differ between the runs, such as `ledger`. If they do not explain each change: `target`, or `recording`. */
  causes: Cause[];
}

/**
 * Compares a run with the previous one. Adds `since` and `lost` to each requirement, and `changes` to the run, unless there is no
 * previous run or this run judged nothing.
 */
export function addChanges<Run extends ComparedRun>(run: Run, previous: ComparedRun | undefined): Run {
  const earlierByAddress = new Map(
    previous?.requirements.map((requirement) => [requirement.address, requirement]),
  );
  const isJudgedGateFailed = getGateVerdict(run, 'run/judged') === 'fail';
  const addressesJudgedBefore = new Set(previous && isJudgedGateFailed ? listJudgedAddresses(previous) : []);
  const addHistory = (requirement: ComparedRequirement): ComparedRequirement => {
    const { address, verdict } = requirement;
    const earlier = earlierByAddress.get(address);
    const hasSameVerdict = earlier?.verdict === verdict;
    const sameVerdictSince = hasSameVerdict ? (earlier.since ?? previous?.startedAt) : undefined;
    const since = sameVerdictSince || run.startedAt;
    const isLost = verdict === 'not exercised' && addressesJudgedBefore.has(address);
    return isLost ? { ...requirement, since, lost: true } : { ...requirement, since };
  };
  const requirements = run.requirements.map(addHistory);
  if (!previous || !hasJudged(requirements)) return { ...run, requirements };
  return { ...run, requirements, changes: collectChanges(run, previous, earlierByAddress) };
}

/**
 * Lists the addresses of the requirements that the next run must judge to pass its gate `run/judged`. Omits a requirement that a
 * sweep has judged, because the next run may have no sweep.
 */
export function listJudgedAddresses({ requirements }: ComparedRun): string[] {
  const isFromSweep = ({ swept: sweepShare, reason }: ComparedRequirement) =>
    sweepShare !== undefined || reason === failedLookupsNote;
  const requirementsToJudge = requirements.filter(
    (requirement) => requirement.lost || (isJudged(requirement.verdict) && !isFromSweep(requirement)),
  );
  return requirementsToJudge.map(({ address }) => address);
}

const getGateVerdict = ({ gates }: ComparedRun, gate: string) =>
  gates.find(({ address }) => address === gate)?.verdict ?? 'pass';

const isFixed = (was: Verdict | undefined, is: Verdict) =>
  is === 'pass' && (was === 'violation' || was === 'deviation');

function collectChanges(
  run: ComparedRun,
  previous: ComparedRun,
  earlierByAddress: Map<string, ComparedRequirement>,
): Changes {
  const kindNames = Object.keys(changeKinds) as ChangeKind[];
  const compareWithEarlier = ({ address, verdict }: ComparedRequirement): VerdictChange => {
    const earlier = earlierByAddress.get(address);
    const isNotSweptAgain = earlier !== undefined && mayComeFromOtherSweep(run, previous, earlier);
    const kinds = kindNames.filter((kind) =>
      changeKinds[kind].hasChanged(earlier?.verdict, verdict, isNotSweptAgain),
    );
    const mayComeFromLedger = earlier !== undefined && isChangeOfToleration(earlier.verdict, verdict);
    return { address, kinds, mayComeFromLedger };
  };
  const requirementChanges = run.requirements.map(compareWithEarlier);
  const comparedVerdicts = [...requirementChanges, ...listGateChanges(run, previous)];
  const changes = comparedVerdicts.filter(({ kinds }) => kinds.length > 0);
  const listAddresses = (kind: ChangeKind) =>
    changes.filter(({ kinds }) => kinds.includes(kind)).map(({ address }) => address);
  const addressesByKind = Object.fromEntries(kindNames.map((kind) => [kind, listAddresses(kind)]));
  return {
    since: pickDefined(previous, ['target', 'profile', 'startedAt', 'contract', 'verdict']),
    causes: findCauses(run, previous, changes),
    ...(addressesByKind as Record<ChangeKind, string[]>),
  };
}

/** Verdict of a requirement or gate, compared with the previous run. `kinds` is empty without a change that reports show. */
interface VerdictChange {
  address: string;
  kinds: ChangeKind[];
  mayComeFromLedger: boolean;
}

function listGateChanges(run: ComparedRun, previous: ComparedRun): VerdictChange[] {
  const gateAddresses = new Set([...run.gates, ...previous.gates].map(({ address }) => address));
  // A run may leave out the team's own tests, and they say nothing about the target.
  gateAddresses.delete('run/custom-tests');
  return [...gateAddresses].map((address) => {
    const passedBefore = getGateVerdict(previous, address) === 'pass';
    const passesNow = getGateVerdict(run, address) === 'pass';
    const kindOfChange = passesNow ? 'fixed' : 'broken';
    const kinds: ChangeKind[] = passedBefore === passesNow ? [] : [kindOfChange];
    return { address, kinds, mayComeFromLedger: address === 'run/ledger' };
  });
}

const isChangeOfToleration = (was: Verdict, is: Verdict) =>
  (was === 'deviation' && is === 'violation') || (was === 'violation' && is === 'deviation');

/**
 * Lists possible causes of the changes: the settings that differ between two runs. If all settings except the ledger are equal, the
 * causes are the ledger for the changes that may come from it, and the target, or the recording, for the others.
 */
function findCauses(run: ComparedRun, previous: ComparedRun, changes: VerdictChange[]): Cause[] {
  const changedSettings = comparedSettings.filter((name) => run[name] !== previous[name]);
  if (changes.length === 0) return [];
  if (changedSettings.some((name) => name !== 'ledger')) return changedSettings;
  const isLedgerChanged = changedSettings.length > 0;
  const ledgerChanges = isLedgerChanged ? changes.filter(({ mayComeFromLedger }) => mayComeFromLedger) : [];
  const causes: Cause[] = [];
  if (ledgerChanges.length > 0) causes.push('ledger');
  if (ledgerChanges.length < changes.length) causes.push(run.traffic ? 'recording' : 'target');
  return causes;
}

/** Formats the possible causes: "possible cause: a change of the suite and the ledger, rather than of the target". */
export function formatCause({ causes }: Changes): string {
  if (causes.length === 0) return '';
  const targetOrRecording = causes.find((cause) => cause === 'target' || cause === 'recording');
  if (!targetOrRecording)
    return `possible cause: a change of the ${causes.join(' and the ')}, rather than of the target`;
  return causes.includes('ledger')
    ? `possible cause: a change of the ledger for what is or was a known deviation, and of the ${targetOrRecording} for the others`
    : `the ${targetOrRecording} has changed; no change of suite, contract, ledger or configuration explains it`;
}

export interface ChangesOfKind {
  kind: ChangeKind;
  /** Text in reports, such as `no longer judged`. */
  heading: string;
  addresses: string[];
}

export function listChangesByKind(changes: Changes): ChangesOfKind[] {
  const kinds = Object.keys(changeKinds) as ChangeKind[];
  return kinds.map((kind) => ({ kind, heading: changeKinds[kind].heading, addresses: changes[kind] }));
}

/** Returns whether the earlier verdict of a requirement may be about records that only the sweep of the previous run requested. */
const mayComeFromOtherSweep = (
  run: ComparedRun,
  previous: ComparedRun,
  { swept: sweepShare, reason }: ComparedRequirement,
): boolean =>
  (previous.sweeps ?? []).some((earlierSweep) => {
    const mayHaveJudged = earlierSweep.noun === sweepShare?.records || reason === failedLookupsNote;
    const isCovered = run.sweeps?.some((sweep) => coversSweep(sweep, earlierSweep));
    return mayHaveJudged && !isCovered;
  });

/** Returns whether a sweep judged all records of an earlier one: a whole list, or at least as large a sample with its seed. */
function coversSweep(sweep: SweepSummary, earlierSweep: SweepSummary): boolean {
  const isFinished = isComplete(sweep) && sweep.shard === undefined;
  if (sweep.noun !== earlierSweep.noun || !isFinished) return false;
  // Only the sweep of a list has `pages`. The lines of a file of identifiers may be others than in the earlier run.
  const isSweepOfWholeList = sweep.mode === 'all' && sweep.pages !== undefined;
  if (isSweepOfWholeList) return true;
  return (
    sweep.mode === earlierSweep.mode &&
    sweep.seed === earlierSweep.seed &&
    sweep.judged >= earlierSweep.judged
  );
}
