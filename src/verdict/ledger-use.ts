import { type Entry, entriesFor, entryPlace, expiredFor } from '../../schemas/contract/ledger.ts';
import type { Target } from '../client/target.ts';
import type { Finding } from '../redact/observation.ts';
import type { RequirementResult } from './evaluate.ts';
import type { Results } from './results.ts';

/** Entries that a run of a target may use on a day: `documented` tolerates nothing. */
export const entriesInForce = (
  { name, profile }: Pick<Target, 'name' | 'profile'>,
  today: string,
  ledger: Entry[],
): Entry[] => (profile === 'documented' ? [] : entriesFor(ledger, name, today));

/** Entries that a run may find stale: those that are for its target alone. */
export const checkedEntries = (target: Target, today: string, ledger: Entry[]): Entry[] =>
  entriesInForce(target, today, ledger).filter((entry) => entry.target);

/**
 * How many entries are for a target alone, those that have ended included. If there are any, there is a gate: so the tests of a
 * run, and of all its shards, are the same before and after the last day of an entry.
 */
export const ownEntries = ({ name, profile }: Pick<Target, 'name' | 'profile'>, ledger: Entry[]): number =>
  profile === 'documented' ? 0 : ledger.filter(({ target }) => target === name).length;

/**
 * Entries that matched nothing. None is called stale in a run that could not ask everything, where its requirement was
 * not exercised, or where that is broken in another way.
 */
export function staleFindings(
  { observations, requirementResults }: Pick<Results, 'observations' | 'requirementResults'>,
  entries: Entry[],
): Finding[] {
  const blocked =
    observations.some((one) => one.blocked) ||
    requirementResults.some(({ verdict }) => verdict === 'blocked');
  if (blocked) return [];
  const judged = requirementResults.filter(
    ({ exercised, verdict }) => exercised > 0 && verdict !== 'violation',
  );
  const known = new Map(judged.map((one) => [one.address, one.operation]));
  const used = new Set(observations.flatMap(({ tolerated }) => tolerated));
  return entries.flatMap((entry) => {
    const operation = known.get(entry.requirement);
    return operation === undefined || used.has(entryPlace(entry)) ? [] : [staleFinding(entry, operation)];
  });
}

const staleFinding = (entry: Entry, operation: string): Finding => ({
  kind: 'stale',
  requirement: entry.requirement,
  operation,
  pointer: '',
  expected: `the deviation of ${entryPlace(entry)}`,
  actual: 'nothing that deviates: remove the entry',
  ledger: { line: entry.line, ...(entry.file ? { file: entry.file } : {}) },
  exchange: '',
  because: entry.because,
});

/** A violation of a requirement that an entry tolerates in one way only says so. */
export function withOtherWay(result: RequirementResult, entries: Entry[]): RequirementResult {
  const own = entries.filter(({ requirement }) => requirement === result.address);
  if (result.verdict !== 'violation' || own.length === 0) return result;
  const places = own.map(entryPlace).join(', and ');
  return { ...result, reason: `it deviates in another way than the entry in ${places}, accepts` };
}

/** Entries that no longer tolerate. */
export function expiredNotes({ name, profile }: Target, today: string, ledger: Entry[]): string[] {
  if (profile === 'documented') return [];
  return expiredFor(ledger, name, today).map(
    (entry) =>
      `expired: ${entryPlace(entry)}, tolerated ${entry.requirement} until ${entry.until}: fix the target, or set a later day`,
  );
}

const dayMs = 86_400_000;
/** How many days before its end an entry is announced. */
const noticeDays = 14;

/** Entries that will soon no longer tolerate; those that tolerate nothing as it is are not announced. */
export function expiringNotes(
  target: Target,
  today: string,
  ledger: Entry[],
  { observations, requirementResults }: Pick<Results, 'observations' | 'requirementResults'>,
): string[] {
  const judged = new Set(requirementResults.filter((one) => one.exercised > 0).map(({ address }) => address));
  const used = new Set(observations.flatMap(({ tolerated }) => tolerated));
  return entriesInForce(target, today, ledger).flatMap((entry) => {
    const { requirement, until } = entry;
    const place = entryPlace(entry);
    const days = until === undefined ? Number.NaN : (Date.parse(until) - Date.parse(today)) / dayMs;
    return days <= noticeDays && (used.has(place) || !judged.has(requirement))
      ? [`expires ${inDays(days)}: ${place}, tolerates ${requirement} until ${until}`]
      : [];
  });
}

const inDays = (days: number) =>
  days === 0 ? 'today' : days === 1 ? 'in 1 day' : `in ${Math.round(days)} days`;
