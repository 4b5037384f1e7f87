import {
  formatEntryPlace,
  type LedgerEntry,
  selectEntries,
  selectExpiredEntries,
} from '../../schemas/contract/ledger.ts';
import type { Requirement } from '../../schemas/contract/requirements.ts';
import type { Target } from '../client/target.ts';
import type { Finding } from '../redact/observation.ts';
import type { Results } from './results.ts';

/** Selects the ledger entries in force for a target at a time (ISO 8601). The profile `documented` has none. */
export const selectEntriesInForce = (
  { name, profile }: Pick<Target, 'name' | 'profile'>,
  time: string,
  ledger: LedgerEntry[],
): LedgerEntry[] => (profile === 'documented' ? [] : selectEntries(ledger, name, time));

/**
 * Finds stale entries: entries for this target that matched nothing. Reports none if a request was blocked, nor an entry whose
 * requirement was not exercised or is violated, nor an entry from a sweep unless this run swept the whole list.
 */
export function listStaleFindings(results: Results, entries: LedgerEntry[]): Finding[] {
  const { observations, requirementResults, sweeps = [] } = results;
  if (observations.some((observation) => observation.blocked)) return [];
  const usedPlaces = new Set(observations.flatMap(({ tolerated }) => tolerated));
  const hasSwept = sweeps.some(({ mode }) => mode === 'all');
  const unusedEntries = entries.filter(
    (entry) => entry.target && !usedPlaces.has(formatEntryPlace(entry)) && (hasSwept || !entry.swept),
  );
  return unusedEntries.flatMap((entry) => {
    const judgedResult = requirementResults.find(
      (result) => result.address === entry.requirement && result.exercised > 0,
    );
    return judgedResult && judgedResult.verdict !== 'violation'
      ? [createStaleFinding(entry, judgedResult.operation)]
      : [];
  });
}

const createStaleFinding = (entry: LedgerEntry, operation: string): Finding => ({
  kind: 'stale',
  requirement: entry.requirement,
  operation,
  pointer: '',
  expected: `the deviation of ${formatEntryPlace(entry)}`,
  actual: 'nothing that deviates: `npm run accept -- --remove` removes the entry',
  ledger: { line: entry.line, ...(entry.file ? { file: entry.file } : {}) },
  exchange: '',
  because: entry.because,
});

/**
 * Creates the note on a violation that a ledger entry does not cover, although the entry tolerates another deviation from that
 * requirement.
 */
export function createMismatchNote({ address }: Requirement, entries: LedgerEntry[]): { reason?: string } {
  const places = entries.filter(({ requirement }) => requirement === address).map(formatEntryPlace);
  if (places.length === 0) return {};
  return { reason: `the target deviates in a way that the entry in ${places.join(' and ')} does not accept` };
}

/** Formats a note for each expired entry. */
export const formatExpiredNotes = (
  { profile, name }: Target,
  time: string,
  ledger: LedgerEntry[],
): string[] =>
  (profile === 'documented' ? [] : selectExpiredEntries(ledger, name, time)).map(
    (entry) =>
      `expired: ${formatEntryPlace(entry)}, tolerated ${entry.requirement} until ${entry.until}: fix the target, or set a later day`,
  );
