import { type Entry, entriesFor, entryPlace, selectExpiredEntries } from '../../schemas/contract/ledger.ts';
import type { Requirement } from '../../schemas/contract/requirements.ts';
import type { Target } from '../client/target.ts';
import type { Finding } from '../redact/observation.ts';
import type { Results } from './results.ts';

/** Entries that a run of a target may use at a time: `documented` tolerates nothing. */
export const entriesInForce = (
  { name, profile }: Pick<Target, 'name' | 'profile'>,
  at: string,
  ledger: Entry[],
): Entry[] => (profile === 'documented' ? [] : entriesFor(ledger, name, at));

/**
 * Entries for the target alone that matched nothing. None is called stale in a run that could not ask everything, where its
 * requirement was not exercised, where that is broken in another way, or where a sweep has found it and this one has swept less.
 */
export function staleFindings(results: Results, entries: Entry[]): Finding[] {
  const { observations, requirementResults, sweeps = [] } = results;
  if (observations.some((one) => one.blocked)) return [];
  const used = new Set(observations.flatMap(({ tolerated }) => tolerated));
  const hasSwept = sweeps.some(({ mode }) => mode === 'all');
  const unused = entries.filter(
    (entry) => entry.target && !used.has(entryPlace(entry)) && (hasSwept || !entry.swept),
  );
  return unused.flatMap((entry) => {
    const judged = requirementResults.find((one) => one.address === entry.requirement && one.exercised > 0);
    return judged && judged.verdict !== 'violation' ? [staleFinding(entry, judged.operation)] : [];
  });
}

const staleFinding = (entry: Entry, operation: string): Finding => ({
  kind: 'stale',
  requirement: entry.requirement,
  operation,
  pointer: '',
  expected: `the deviation of ${entryPlace(entry)}`,
  actual: 'nothing that deviates: `npm run accept -- --remove` removes the entry',
  ledger: { line: entry.line, ...(entry.file ? { file: entry.file } : {}) },
  exchange: '',
  because: entry.because,
});

/** What a reader has to know of the violation of a requirement that an entry tolerates in one way only. */
export function otherWay({ address }: Requirement, entries: Entry[]): { reason?: string } {
  const places = entries.filter(({ requirement }) => requirement === address).map(entryPlace);
  if (places.length === 0) return {};
  return { reason: `it deviates in another way than the entry in ${places.join(', and ')}, accepts` };
}

/** Entries that no longer tolerate. */
export const expiredNotes = ({ profile, name }: Target, at: string, ledger: Entry[]): string[] =>
  (profile === 'documented' ? [] : selectExpiredEntries(ledger, name, at)).map(
    (entry) =>
      `expired: ${entryPlace(entry)}, tolerated ${entry.requirement} until ${entry.until}: fix the target, or set a later day`,
  );
