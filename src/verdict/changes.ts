import { pickDefined } from '../../schemas/json.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import { brokenOnlyNote } from './evaluate.ts';
import type { RequirementResult } from './results.ts';
import type { RunConclusion } from './verdict.ts';
import { hasJudged, isJudged, type Verdict } from './verdicts.ts';

/** Parts of a run that a comparison needs. */
export interface ComparedRun
  extends Pick<RunConclusion, 'startedAt' | 'verdict' | 'gates' | 'sweeps' | 'ledger' | 'configuration'> {
  target: string;
  profile: string;
  suite?: string;
  contract: string;
  /** Set if the run judged a recording. */
  traffic?: unknown;
  requirements: ComparedRequirement[];
}

type ComparedRequirement = Pick<RequirementResult, 'address' | 'verdict' | 'swept' | 'reason'> &
  EarlierVerdict;

/** Relation of a requirement's verdict to earlier runs. */
export interface EarlierVerdict {
  /** Start of the first run in an unbroken series with this verdict. */
  since?: string;
  /** Set if an earlier run judged the requirement, no run since did, and the gate `run/judged` failed because of that. */
  lost?: true;
}

const comparedSettings = ['suite', 'contract', 'ledger', 'configuration'] as const;
type Cause = (typeof comparedSettings)[number] | 'target' | 'recording';

type ChangeTest = (was: Verdict | undefined, is: Verdict, isUnseen: boolean) => boolean;

/** Kinds of change, each with its heading and a test of the verdicts before and now. */
const changeKinds = {
  broken: ['broken', (was, is) => is === 'violation' && was !== 'violation'],
  newlyTolerated: ['now a known deviation', (was, is) => is === 'deviation' && was !== 'deviation'],
  // Violated or deviating before, and conforming now.
  fixed: ['fixed', (was, is, isUnseen) => isFixed(was, is) && !isUnseen],
  // Also conforming now, but perhaps only because this run did not sweep as much as the earlier one.
  notLookedAtAgain: ['not swept again', (was, is, isUnseen) => isFixed(was, is) && isUnseen],
  newlyExercised: ['newly judged', (was, is) => !isJudged(was) && isJudged(is)],
  noLongerExercised: ['no longer judged', (was, is) => isJudged(was) && !isJudged(is)],
} satisfies Record<string, [heading: string, becomes: ChangeTest]>;

type ChangeKind = keyof typeof changeKinds;

/** Changes since an earlier run: addresses of requirements, and of gates that fail or pass again. */
export interface Changes extends Record<ChangeKind, string[]> {
  since: Pick<ComparedRun, 'target' | 'profile' | 'startedAt' | 'contract' | 'verdict'>;
  /** Possible causes: settings that changed, or the target or recording if none did. Empty if no verdict changed. */
  causes: Cause[];
}

/** Adds the changes since an earlier run, unless this run judged nothing, and the time since when each verdict holds. Pure. */
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

/** Lists the requirements that an earlier run judged outside its sweeps, or that already counted as lost. */
export const listJudgedAddresses = ({ requirements }: ComparedRun): string[] =>
  requirements
    .filter(
      ({ verdict, swept: sweepShare, reason, lost }) =>
        lost || (isJudged(verdict) && !sweepShare && reason !== brokenOnlyNote),
    )
    .map(({ address }) => address);

/** Returns the verdict of a gate. A gate that is not configured, such as that of an empty ledger, passes. */
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
    const isUnseen = earlier !== undefined && isPossiblyUnseen(run, previous, earlier);
    const matchingKinds = Object.entries(changeKinds).filter(([, [, becomes]]) =>
      becomes(earlier?.verdict, verdict, isUnseen),
    );
    return { address, kinds: matchingKinds.map(([kind]) => kind) };
  });
  const gateAddresses = new Set([...run.gates, ...previous.gates].map(({ address }) => address));
  const gateChanges = [...gateAddresses].map((address) => {
    const [was, is] = [previous, run].map((comparedRun) => getGateVerdict(comparedRun, address) === 'pass');
    return { address, kinds: was === is ? [] : [is ? 'fixed' : 'broken'] };
  });
  const changed = [...requirementChanges, ...gateChanges].filter((change) => change.kinds.length > 0);
  const listAddresses = (kind: string) =>
    changed.filter((change) => change.kinds.includes(kind)).map(({ address }) => address);
  const changedSettings = comparedSettings.filter((name) => run[name] !== previous[name]);
  const causes: Cause[] =
    changedSettings.length > 0 ? changedSettings : [run.traffic ? 'recording' : 'target'];
  return {
    since: pickDefined(previous, ['target', 'profile', 'startedAt', 'contract', 'verdict']),
    causes: changed.length > 0 ? causes : [],
    ...(Object.fromEntries(Object.keys(changeKinds).map((kind) => [kind, listAddresses(kind)])) as Record<
      ChangeKind,
      string[]
    >),
  };
}

/** Formats the possible cause of changes as a sentence; empty if no verdict changed. */
export function formatCause({ causes }: Changes): string {
  if (causes.length === 0) return '';
  const [origin] = causes.filter((cause) => cause === 'target' || cause === 'recording');
  return origin
    ? `the ${origin} has changed; suite, contract, ledger and configuration have not`
    : `possible cause: a change of the ${causes.join(' and the ')}, rather than of the target`;
}

/** Lists each kind of change with its heading and its addresses. */
export const listChangesByKind = (changes: Changes): [heading: string, addresses: string[]][] =>
  Object.entries(changeKinds).map(([kind, [heading]]) => [heading, changes[kind as ChangeKind]]);

/** Returns whether an earlier sweep may account for the verdict, and this run did not sweep as much. */
const isPossiblyUnseen = (
  run: ComparedRun,
  previous: ComparedRun,
  { swept: sweepShare, reason }: ComparedRequirement,
) =>
  (previous.sweeps ?? []).some(
    (sweep) =>
      (sweep.noun === sweepShare?.records || reason === brokenOnlyNote) &&
      !run.sweeps?.some((laterSweep) => coversSweep(laterSweep, sweep)),
  );

/** Returns whether a sweep covers an earlier one: the whole list, or the same sample or file. */
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
