import {
  formatLedgerLocation,
  type LedgerEntry,
  selectEntries,
  selectExpiredEntries,
} from '../../schemas/contract/ledger.ts';
import type { Requirement } from '../../schemas/contract/requirements.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';
import type { Finding } from '../redact/observation.ts';
import { hasSweptWholeList, isComplete, type SweepResult, summarizeSweep } from '../sweep/summary.ts';
import type { Results } from './results.ts';

/**
 * Selects the ledger entries that tolerate deviations of a target. Expired entries are left out. With `PROFILE=documented`, which
 * tolerates no deviation, the list is empty.
 * @param time start of the run (ISO 8601)
 */
export const selectEntriesInForce = (
  { name, profile }: Pick<Target, 'name' | 'profile'>,
  time: string,
  ledger: LedgerEntry[],
): LedgerEntry[] => (profile === 'documented' ? [] : selectEntries(ledger, name, time));

/**
 * Creates a finding for each stale ledger entry. An entry is stale if its requirement was judged without a violation, and its
 * deviation was not found. An entry without `target` is never stale, because another target may have the deviation. If any request
 * was blocked, or if recorded traffic was judged, no entry counts as stale.
 */
export function listStaleFindings(results: Results, entries: LedgerEntry[]): Finding[] {
  const { observations, requirementResults, sweeps = [], traffic } = results;
  // The deviation may be in a response that was not recorded, or did not arrive.
  if (traffic || observations.some((observation) => observation.blocked)) return [];
  const usedLocations = new Set(observations.flatMap(({ usedLedgerEntries }) => usedLedgerEntries));
  const sweptOperations = sweeps.filter(hasJudgedWholeList).map(({ operation }) => operation);
  // An entry without `target` is for all targets, and another target may have the deviation.
  const unusedEntries = entries.filter(
    (entry) => entry.target && !usedLocations.has(formatLedgerLocation(entry)),
  );
  const resultsWithoutViolation = requirementResults.filter(
    ({ exercised, verdict }) => exercised > 0 && verdict !== 'violation',
  );
  return unusedEntries.flatMap((entry) => {
    const result = resultsWithoutViolation.find(({ address }) => address === entry.requirement);
    // An entry with `swept` is about a deviation that only a sweep of the whole list is sure to find.
    const mayBeInOtherRecords = entry.swept && !sweptOperations.includes(result?.operation ?? '');
    return result && !mayBeInOtherRecords ? createStaleFinding(entry, result.operation) : [];
  });
}

const hasJudgedWholeList = (sweep: SweepResult): boolean =>
  hasSweptWholeList(sweep) && isComplete(summarizeSweep(sweep));

const createStaleFinding = (entry: LedgerEntry, operation: string): Finding => ({
  kind: 'stale',
  requirement: entry.requirement,
  operation,
  pointer: '',
  expected: `the deviation of ${formatLedgerLocation(entry)}`,
  actual: 'nothing that deviates: `npm run accept -- --remove` removes the entry',
  ledger: pickDefined(entry, ['line', 'file']),
  exchange: '',
  because: entry.because,
});

/**
 * Explains a violation of a requirement that has ledger entries: "the target deviates in a way that the entry in spec/ledger.yaml,
 * line 30 does not accept". Returns `{}` if the requirement has no entry.
 */
export function createMismatchNote({ address }: Requirement, entries: LedgerEntry[]): { reason?: string } {
  const locations = entries.filter(({ requirement }) => requirement === address).map(formatLedgerLocation);
  if (locations.length === 0) return {};
  return {
    reason: `the target deviates in a way that the entry in ${locations.join(' and ')} does not accept`,
  };
}

/**
 * Formats a note for each expired ledger entry of a target: "expired: spec/ledger.yaml, line 30, tolerated getCard/code until
 * 2025-06-30: …". Returns no notes with `PROFILE=documented`, which tolerates no deviation anyway.
 * @param time start of the run (ISO 8601)
 */
export function formatExpiredNotes({ profile, name }: Target, time: string, ledger: LedgerEntry[]): string[] {
  if (profile === 'documented') return [];
  return selectExpiredEntries(ledger, name, time).map(
    (entry) =>
      `expired: ${formatLedgerLocation(entry)}, tolerated ${entry.requirement} until ${entry.until}: fix the target, or set a later day`,
  );
}
