import { pickDefined } from '../../schemas/json.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import { brokenOnlyNote } from './evaluate.ts';
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
  /** Start (ISO 8601) of the run that first had the current verdict, and since which all runs had it. */
  since?: string;
  /** True if this run did not exercise the requirement, an earlier run judged it, and the gate `run/judged` fails. */
  lost?: true;
}

const comparedSettings = ['suite', 'contract', 'ledger', 'configuration'] as const;
type Cause = (typeof comparedSettings)[number] | 'target' | 'recording';

/**
 * Returns whether the verdict of a requirement changed in a certain way, for example to `violation`.
 * @param was verdict of the earlier run; undefined if that run did not have the requirement
 * @param isNotSweptAgain true if `was` may come from records that this run did not sweep
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
  /** Settings that differ, such as `ledger`; or `target` or `recording`, if no setting explains a change. */
  causes: Cause[];
}

/**
 * Compares a run with the previous one. Adds `since` and `lost` to each requirement, and `changes` to the run, unless there is no
 * previous run or this run judged nothing.
 */
export function addChanges<Run extends ComparedRun>(run: Run, previous: ComparedRun | undefined): Run {
  const earlierRequirements = new Map(
    previous?.requirements.map((requirement) => [requirement.address, requirement]),
  );
  const isJudgedGateFailed = getGateVerdict(run, 'run/judged') === 'fail';
  const addressesJudgedBefore = new Set(previous && isJudgedGateFailed ? listJudgedAddresses(previous) : []);
  const compareWithEarlier = ({ address, verdict }: ComparedRequirement): VerdictHistory => {
    const earlier = earlierRequirements.get(address);
    const isUnchanged = earlier?.verdict === verdict;
    const earlierSince = isUnchanged ? (earlier.since ?? previous?.startedAt) : undefined;
    const isLost = verdict === 'not exercised' && addressesJudgedBefore.has(address);
    return { since: earlierSince || run.startedAt, ...(isLost ? { lost: true } : {}) };
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
 * Lists the addresses of the requirements that the next run must judge to pass its gate `run/judged`. Omits requirements that a
 * sweep judged, because the next run may have no sweep.
 */
export const listJudgedAddresses = ({ requirements }: ComparedRun): string[] =>
  requirements
    .filter((requirement) => {
      const isFromSweep = requirement.swept !== undefined || requirement.reason === brokenOnlyNote;
      return requirement.lost || (isJudged(requirement.verdict) && !isFromSweep);
    })
    .map(({ address }) => address);

const getGateVerdict = ({ gates }: ComparedRun, gate: string) =>
  gates.find(({ address }) => address === gate)?.verdict ?? 'pass';

const isFixed = (was: Verdict | undefined, is: Verdict) =>
  is === 'pass' && (was === 'violation' || was === 'deviation');

function collectChanges(
  run: ComparedRun,
  previous: ComparedRun,
  earlierRequirements: Map<string, ComparedRequirement>,
): Changes {
  const requirementChanges = run.requirements.map(({ address, verdict }) => {
    const earlier = earlierRequirements.get(address);
    const isNotSweptAgain = earlier !== undefined && mayComeFromOtherSweep(run, previous, earlier);
    const matchingKinds = Object.entries(changeKinds).filter(([, { hasChanged }]) =>
      hasChanged(earlier?.verdict, verdict, isNotSweptAgain),
    );
    const isByLedger = earlier !== undefined && isChangeOfToleration(earlier.verdict, verdict);
    return { address, kinds: matchingKinds.map(([kind]) => kind), isByLedger };
  });
  const allChanges = [...requirementChanges, ...listGateChanges(run, previous)];
  const changed = allChanges.filter(({ kinds }) => kinds.length > 0);
  const addressesByKind = Object.keys(changeKinds).map((kind) => {
    const changesOfKind = changed.filter(({ kinds }) => kinds.includes(kind));
    return [kind, changesOfKind.map(({ address }) => address)];
  });
  return {
    since: pickDefined(previous, ['target', 'profile', 'startedAt', 'contract', 'verdict']),
    causes: findCauses(run, previous, changed),
    ...(Object.fromEntries(addressesByKind) as Record<ChangeKind, string[]>),
  };
}

/** Requirement or gate, compared with the previous run. `kinds` is empty if reports show no change. */
interface ComparedVerdict {
  address: string;
  kinds: string[];
  isByLedger: boolean;
}

function listGateChanges(run: ComparedRun, previous: ComparedRun): ComparedVerdict[] {
  const gateAddresses = new Set([...run.gates, ...previous.gates].map(({ address }) => address));
  // A run may leave out the team's own tests, and they say nothing about the target.
  gateAddresses.delete('run/custom-tests');
  return [...gateAddresses].map((address) => {
    const passed = getGateVerdict(previous, address) === 'pass';
    const passes = getGateVerdict(run, address) === 'pass';
    const kindOfChange = passes ? 'fixed' : 'broken';
    return { address, kinds: passed === passes ? [] : [kindOfChange], isByLedger: address === 'run/ledger' };
  });
}

const isChangeOfToleration = (was: Verdict, is: Verdict) =>
  (was === 'deviation' && is === 'violation') || (was === 'violation' && is === 'deviation');

/**
 * Finds the settings that differ between two runs. If only the ledger differs, or nothing, adds `target` (or `recording`) for the
 * changes that the ledger cannot explain.
 * @param changed requirements and gates with another verdict than before; `isByLedger` is true if the ledger can explain it
 */
function findCauses(run: ComparedRun, previous: ComparedRun, changed: ComparedVerdict[]): Cause[] {
  const changedSettings = comparedSettings.filter((name) => run[name] !== previous[name]);
  if (changed.length === 0) return [];
  if (changedSettings.some((name) => name !== 'ledger')) return changedSettings;
  const isLedgerChanged = changedSettings.length > 0;
  const explainedCount = isLedgerChanged ? changed.filter(({ isByLedger }) => isByLedger).length : 0;
  const causes: Cause[] = [];
  if (explainedCount > 0) causes.push('ledger');
  if (explainedCount < changed.length) causes.push(run.traffic ? 'recording' : 'target');
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

export const listChangesByKind = (changes: Changes): [heading: string, addresses: string[]][] =>
  Object.entries(changeKinds).map(([kind, { heading }]) => [heading, changes[kind as ChangeKind]]);

/** Returns whether the earlier verdict of a requirement may come from records that the previous run swept and this run did not. */
const mayComeFromOtherSweep = (
  run: ComparedRun,
  previous: ComparedRun,
  { swept: sweepShare, reason }: ComparedRequirement,
): boolean =>
  (previous.sweeps ?? []).some((sweep) => {
    const mayHaveJudged = sweep.noun === sweepShare?.records || reason === brokenOnlyNote;
    const isCovered = run.sweeps?.some((laterSweep) => coversSweep(laterSweep, sweep));
    return mayHaveJudged && !isCovered;
  });

/** Returns whether a sweep covers an earlier one: it judged a whole list, or no smaller sample with the same seed. */
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
