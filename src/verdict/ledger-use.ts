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

/** Selects the ledger entries that tolerate deviations of a target at a time (ISO 8601); none in the profile `documented`. */
export const selectEntriesInForce = (
  { name, profile }: Pick<Target, 'name' | 'profile'>,
  time: string,
  ledger: LedgerEntry[],
): LedgerEntry[] => (profile === 'documented' ? [] : selectEntries(ledger, name, time));

/**
 * Lists a finding for each stale ledger entry: its requirement was judged, and no response deviated as the entry accepts. Lists
 * none if a request was blocked. Leaves out entries for all targets, entries whose requirement is violated, and entries of a sweep
 * (`swept`) unless this run had `SWEEP=all`.
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
 * Creates the reason of a violated requirement that has ledger entries: the entries accept another deviation than the one
 * received. Empty if the requirement has no entry.
 */
export function createMismatchNote({ address }: Requirement, entries: LedgerEntry[]): { reason?: string } {
  const places = entries.filter(({ requirement }) => requirement === address).map(formatEntryPlace);
  if (places.length === 0) return {};
  return { reason: `the target deviates in a way that the entry in ${places.join(' and ')} does not accept` };
}

/** Formats a note for each ledger entry of a target whose last day (`until`) has passed; none in the profile `documented`. */
export const formatExpiredNotes = (
  { profile, name }: Target,
  time: string,
  ledger: LedgerEntry[],
): string[] =>
  (profile === 'documented' ? [] : selectExpiredEntries(ledger, name, time)).map(
    (entry) =>
      `expired: ${formatEntryPlace(entry)}, tolerated ${entry.requirement} until ${entry.until}: fix the target, or set a later day`,
  );
