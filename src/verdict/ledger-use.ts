import { type Entry, entriesFor, entryPlace, expiredFor } from '../../schemas/contract/ledger.ts';
import { counted } from '../../schemas/counted.ts';
import type { Target } from '../client/target.ts';
import type { Finding } from '../redact/observation.ts';
import type { RequirementResult } from './evaluate.ts';
import type { Results } from './results.ts';

type Use = Pick<Results, 'observations' | 'requirementResults'>;

/** Entries that a run of a target may use on a day: `documented` tolerates nothing. */
export const entriesInForce = (
  { name, profile }: Pick<Target, 'name' | 'profile'>,
  today: string,
  ledger: Entry[],
): Entry[] => (profile === 'documented' ? [] : entriesFor(ledger, name, today));

/** Whether an entry has tolerated something. */
const isUsed = ({ observations }: Use, entry: Entry) =>
  observations.some(({ tolerated }) => tolerated.includes(entryPlace(entry)));

const judgedBy = ({ requirementResults }: Use, { requirement }: Entry) =>
  requirementResults.find(({ address, exercised }) => address === requirement && exercised > 0);

/**
 * Entries for the target alone that matched nothing. None is called stale in a run that could not ask everything, where its
 * requirement was not exercised, or where that is broken in another way.
 */
export function staleFindings(use: Use, entries: Entry[]): Finding[] {
  const isBlocked = use.requirementResults.some(({ verdict }) => verdict === 'blocked');
  if (isBlocked || use.observations.some((one) => one.blocked)) return [];
  return entries.flatMap((entry) => {
    const judged = judgedBy(use, entry);
    const isKept = judged !== undefined && judged.verdict !== 'violation';
    return entry.target && isKept && !isUsed(use, entry) ? [staleFinding(entry, judged.operation)] : [];
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

/** A violation of a requirement that an entry tolerates in one way only says so. */
export function withOtherWay(result: RequirementResult, entries: Entry[]): RequirementResult {
  const own = entries.filter(({ requirement }) => requirement === result.address);
  if (result.verdict !== 'violation' || own.length === 0) return result;
  const places = own.map(entryPlace).join(', and ');
  return { ...result, reason: `it deviates in another way than the entry in ${places}, accepts` };
}

const dayMs = 86_400_000;
/** How many days before its end an entry is announced. */
const noticeDays = 14;

/**
 * Entries that no longer tolerate, and those that soon will not; of these, none that tolerates nothing as it is.
 */
export function endingNotes(target: Target, today: string, ledger: Entry[], use: Use): string[] {
  if (target.profile === 'documented') return [];
  const expired = expiredFor(ledger, target.name, today).map(
    (entry) =>
      `expired: ${entryPlace(entry)}, tolerated ${entry.requirement} until ${entry.until}: fix the target, or set a later day`,
  );
  const expiring = entriesInForce(target, today, ledger).flatMap((entry) => {
    const { requirement, until } = entry;
    const days = until === undefined ? Number.NaN : (Date.parse(until) - Date.parse(today)) / dayMs;
    return days <= noticeDays && (isUsed(use, entry) || !judgedBy(use, entry))
      ? [`expires ${inDays(days)}: ${entryPlace(entry)}, tolerates ${requirement} until ${until}`]
      : [];
  });
  return [...expired, ...expiring];
}

const inDays = (days: number) => (days === 0 ? 'today' : `in ${counted(days, 'day')}`);
