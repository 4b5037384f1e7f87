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

/** Selects the unexpired ledger entries for a target. `time`: start of the run (ISO 8601). None in the profile `documented`. */
export const selectEntriesInForce = (
  { name, profile }: Pick<Target, 'name' | 'profile'>,
  time: string,
  ledger: LedgerEntry[],
): LedgerEntry[] => (profile === 'documented' ? [] : selectEntries(ledger, name, time));

/**
 * Creates a finding for each unused ledger entry: its requirement was judged, and no response had the deviation. Not checked: entries
 * without `target`, entries with `swept` unless all records were swept, and any entry if a request was blocked.
 */
export function listStaleFindings(results: Results, entries: LedgerEntry[]): Finding[] {
  const { observations, requirementResults, sweeps = [] } = results;
  if (observations.some((observation) => observation.blocked)) return [];
  const usedLocations = new Set(observations.flatMap(({ tolerated }) => tolerated));
  const hasSweptAll = sweeps.some(({ mode }) => mode === 'all');
  const couldBeUsed = (entry: LedgerEntry) => entry.target && (hasSweptAll || !entry.swept);
  const isUsed = (entry: LedgerEntry) => usedLocations.has(formatLedgerLocation(entry));
  const unusedEntries = entries.filter((entry) => couldBeUsed(entry) && !isUsed(entry));
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
  const locations = entries.filter(({ requirement }) => requirement === address).map(formatLedgerLocation);
  if (locations.length === 0) return {};
  return {
    reason: `the target deviates in a way that the entry in ${locations.join(' and ')} does not accept`,
  };
}

/** Formats a note for each ledger entry whose last day (`until`) is over at `time`, the start of the run (ISO 8601). */
export function formatExpiredNotes({ profile, name }: Target, time: string, ledger: LedgerEntry[]): string[] {
  if (profile === 'documented') return [];
  return selectExpiredEntries(ledger, name, time).map(
    (entry) =>
      `expired: ${formatLedgerLocation(entry)}, tolerated ${entry.requirement} until ${entry.until}: fix the target, or set a later day`,
  );
}
