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

/** Verdict of a requirement in the previous run (`was`) and in this run (`is`). */
interface VerdictPair {
  /** Undefined if the previous run did not have the requirement. */
  was: Verdict | undefined;
  is: Verdict;
  /** True if `was` may come from records that the sweep of the previous run requested and this run did not. */
  mayRestOnOtherRecords: boolean;
}

const changeKinds = {
  broken: {
    heading: 'broken',
    hasChanged: ({ was, is }) => is === 'violation' && was !== 'violation',
  },
  newlyTolerated: {
    heading: 'now a known deviation',
    hasChanged: ({ was, is }) => is === 'deviation' && was !== 'deviation',
  },
  fixed: {
    heading: 'fixed',
    hasChanged: (pair) => isFixed(pair) && !pair.mayRestOnOtherRecords,
  },
  // Passes now as well, but perhaps only because this run did not sweep the records that broke the requirement.
  notLookedAtAgain: {
    heading: 'not swept again',
    hasChanged: (pair) => isFixed(pair) && pair.mayRestOnOtherRecords,
  },
  newlyExercised: {
    heading: 'newly judged',
    hasChanged: ({ was, is }) => !isJudged(was) && isJudged(is),
  },
  noLongerExercised: {
    heading: 'no longer judged',
    hasChanged: ({ was, is }) => isJudged(was) && !isJudged(is),
  },
} satisfies Record<string, { heading: string; hasChanged(pair: VerdictPair): boolean }>;

type ChangeKind = keyof typeof changeKinds;

/** Addresses of requirements and gates whose verdict changed since an earlier run, keyed by kind of change, such as `fixed`. */
export interface Changes extends Record<ChangeKind, string[]> {
  since: Pick<ComparedRun, 'target' | 'profile' | 'startedAt' | 'contract' | 'verdict'>;
  /**
   * Possible causes: the settings that differ between the runs, such as `profile`. If none or only `ledger` differs, also `target`
   * or `recording`, for the changes that the ledger does not explain.
   */
  causes: Cause[];
}

/** Adds `since` and `lost` to each requirement. Adds `changes` if there is a previous run, and this run judged something. */
export function addChanges<Run extends ComparedRun>(run: Run, previous: ComparedRun | undefined): Run {
  const earlierByAddress = new Map(
    previous?.requirements.map((requirement) => [requirement.address, requirement]),
  );
  const requirements = addHistory(run, previous, earlierByAddress);
  if (!previous || !hasJudged(requirements)) return { ...run, requirements };
  return { ...run, requirements, changes: collectChanges(run, previous, earlierByAddress) };
}

function addHistory(
  run: ComparedRun,
  previous: ComparedRun | undefined,
  earlierByAddress: Map<string, ComparedRequirement>,
): ComparedRequirement[] {
  const isJudgedGateFailed = getGateVerdict(run, 'run/judged') === 'fail';
  const addressesToJudge = new Set(previous && isJudgedGateFailed ? listAddressesToJudge(previous) : []);
  return run.requirements.map((requirement) => {
    const { address, verdict } = requirement;
    const earlier = earlierByAddress.get(address);
    const hasSameVerdict = earlier?.verdict === verdict;
    const sameVerdictSince = hasSameVerdict ? (earlier.since ?? previous?.startedAt) : undefined;
    const since = sameVerdictSince || run.startedAt;
    const isLost = verdict === 'not exercised' && addressesToJudge.has(address);
    return isLost ? { ...requirement, since, lost: true } : { ...requirement, since };
  });
}

/**
 * Lists the requirements that the next run must judge (gate `run/judged`): those that this run judged without a sweep, and those
 * with `lost`, which it should have judged. The next run may have no sweep.
 */
export function listAddressesToJudge({ requirements }: ComparedRun): string[] {
  const isFromSweep = ({ swept: sweepShare, reason }: ComparedRequirement) =>
    sweepShare !== undefined || reason === failedLookupsNote;
  const requirementsToJudge = requirements.filter(
    (requirement) => requirement.lost || (isJudged(requirement.verdict) && !isFromSweep(requirement)),
  );
  return requirementsToJudge.map(({ address }) => address);
}

/** Returns the verdict of a gate; `pass` if the run does not have the gate. */
const getGateVerdict = ({ gates }: ComparedRun, gate: string) =>
  gates.find(({ address }) => address === gate)?.verdict ?? 'pass';

const isFixed = ({ was, is }: VerdictPair) => is === 'pass' && (was === 'violation' || was === 'deviation');

function collectChanges(
  run: ComparedRun,
  previous: ComparedRun,
  earlierByAddress: Map<string, ComparedRequirement>,
): Changes {
  const kindNames = Object.keys(changeKinds) as ChangeKind[];
  const requirementChanges = run.requirements.map(({ address, verdict }): VerdictChange => {
    const earlier = earlierByAddress.get(address);
    const mayRestOnOtherRecords = earlier !== undefined && mayRestOnEarlierSweep(earlier, run, previous);
    const pair = { was: earlier?.verdict, is: verdict, mayRestOnOtherRecords };
    const kinds = kindNames.filter((kind) => changeKinds[kind].hasChanged(pair));
    return { address, kinds, mayComeFromLedger: isChangeOfToleration(pair) };
  });
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

/** How the verdict of a requirement or gate changed since the previous run. `kinds` is empty if reports show no change. */
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

const isChangeOfToleration = ({ was, is }: VerdictPair) =>
  (was === 'deviation' && is === 'violation') || (was === 'violation' && is === 'deviation');

/**
 * Lists possible causes of the changes. If a setting other than the ledger differs between the runs: all settings that differ.
 * Otherwise: `ledger` if it differs and some changes may come from it, and `target` or `recording` if other changes exist.
 */
function findCauses(run: ComparedRun, previous: ComparedRun, changes: VerdictChange[]): Cause[] {
  if (changes.length === 0) return [];
  const changedSettings = comparedSettings.filter((name) => run[name] !== previous[name]);
  if (changedSettings.some((name) => name !== 'ledger')) return changedSettings;
  const isLedgerChanged = changedSettings.includes('ledger');
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
const mayRestOnEarlierSweep = (
  { swept: earlierShare, reason: earlierReason }: ComparedRequirement,
  run: ComparedRun,
  previous: ComparedRun,
): boolean =>
  (previous.sweeps ?? []).some((earlierSweep) => {
    const mayHaveJudged = earlierSweep.noun === earlierShare?.records || earlierReason === failedLookupsNote;
    const isCovered = run.sweeps?.some((sweep) => coversSweep(sweep, earlierSweep));
    return mayHaveJudged && !isCovered;
  });

/** Returns whether a sweep judged all records of an earlier sweep: the whole list, or as many with the same mode and seed. */
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
