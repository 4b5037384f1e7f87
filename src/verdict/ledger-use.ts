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
import type { Results } from './results.ts';

/**
 * Selects the ledger entries for a target that have not expired. None in the profile `documented`.
 * @param time start of the run (ISO 8601)
 */
export const selectEntriesInForce = (
  { name, profile }: Pick<Target, 'name' | 'profile'>,
  time: string,
  ledger: LedgerEntry[],
): LedgerEntry[] => (profile === 'documented' ? [] : selectEntries(ledger, name, time));

/**
 * Creates a finding for each ledger entry whose requirement was judged, although no response deviated as the entry accepts. Omits
 * entries for all targets and, without a sweep of all records, entries with `swept`. Empty if a request was blocked.
 */
export function listStaleFindings(results: Results, entries: LedgerEntry[]): Finding[] {
  const { observations, requirementResults, sweeps = [] } = results;
  if (observations.some((observation) => observation.blocked)) return [];
  const usedLocations = new Set(observations.flatMap(({ tolerated }) => tolerated));
  const hasSweptAll = sweeps.some(({ mode }) => mode === 'all');
  const isCheckable = (entry: LedgerEntry) => entry.target && (hasSweptAll || !entry.swept);
  const unusedEntries = entries.filter(
    (entry) => isCheckable(entry) && !usedLocations.has(formatLedgerLocation(entry)),
  );
  const unviolatedResults = requirementResults.filter(
    ({ exercised, verdict }) => exercised > 0 && verdict !== 'violation',
  );
  return unusedEntries.flatMap((entry) => {
    const result = unviolatedResults.find(({ address }) => address === entry.requirement);
    return result ? createStaleFinding(entry, result.operation) : [];
  });
}

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

export function createMismatchNote({ address }: Requirement, entries: LedgerEntry[]): { reason?: string } {
  const places = entries.filter(({ requirement }) => requirement === address).map(formatLedgerLocation);
  if (places.length === 0) return {};
  return { reason: `the target deviates in a way that the entry in ${places.join(' and ')} does not accept` };
}

/**
 * Formats a note for each ledger entry whose last day (`until`) is over.
 * @param time start of the run (ISO 8601)
 */
export function formatExpiredNotes({ profile, name }: Target, time: string, ledger: LedgerEntry[]): string[] {
  if (profile === 'documented') return [];
  return selectExpiredEntries(ledger, name, time).map(
    (entry) =>
      `expired: ${formatLedgerLocation(entry)}, tolerated ${entry.requirement} until ${entry.until}: fix the target, or set a later day`,
  );
}
