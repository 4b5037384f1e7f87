import type { SweptShare } from '../sweep/results/result.ts';
import { isComplete, type SweepSummary } from './swept.ts';

/** What tells how far a run has looked. */
export interface Looked {
  sweeps?: ComparedSweep[];
}

/** What is compared of a sweep. */
export type ComparedSweep = Pick<
  SweepSummary,
  'operation' | 'noun' | 'mode' | 'seed' | 'judged' | 'lookedUp' | 'blocked' | 'stopped' | 'part'
>;

/** What tells of a requirement by which requests and records it was judged. */
export interface LookedAt {
  operation: string;
  requests?: number;
  swept?: Pick<SweptShare, 'broken' | 'records'>;
}

/**
 * Whether a run may have passed over what an earlier one has found: a sweep may have found it, by its records or by
 * looking them up, and this run has not swept as much.
 */
export function isUnseen(run: Looked, one: LookedAt, earlierRun: Looked, earlier: LookedAt): boolean {
  const missed = (earlierRun.sweeps ?? []).filter((sweep) => !run.sweeps?.some((own) => repeats(own, sweep)));
  return missed.some(({ operation, noun, lookedUp = 0 }) =>
    operation === earlier.operation
      ? earlier.swept?.records === noun
      : lookedUp > 0 && earlier.swept === undefined && (one.requests ?? 0) < (earlier.requests ?? 0),
  );
}

/** Whether a sweep has looked at all that an earlier one has: at a whole list, or at the same sample or file. */
function repeats(own: ComparedSweep, earlier: ComparedSweep): boolean {
  if (own.operation !== earlier.operation || own.noun !== earlier.noun || !isWhole(own)) return false;
  if (own.mode === 'all' && own.lookedUp !== undefined) return true;
  return own.mode === earlier.mode && own.seed === earlier.seed && own.judged >= earlier.judged;
}

/** Whether a sweep has looked at all that it was to look at, and not at a part of that. */
export const isWhole = (sweep: ComparedSweep): boolean => isComplete(sweep) && sweep.part === undefined;
