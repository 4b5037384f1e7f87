import type { Contract } from '../../schemas/contract/contract.ts';
import type { Conformance } from '../conformance.ts';

/** Reports that cannot be merged; the message says why, for people. */
export class MergeError extends Error {
  override name = 'MergeError';
}

const same = { target: 'targets', profile: 'profiles', contract: 'contracts' } as const;

/** The shards by number. @throws {MergeError} when they are of different runs, or one is there twice. */
export function shardsInOrder({ hash }: Contract, reports: Conformance[]): Conformance[] {
  const shards = reports.toSorted((one, other) => numberOf(one) - numberOf(other));
  for (const [key, word] of Object.entries(same)) {
    const values = [...new Set(shards.map((one) => one[key as keyof typeof same]))];
    if (values.length > 1) throw new MergeError(`the shards are of different ${word}: ${values.join(', ')}`);
  }
  const totals = [...new Set(shards.map(({ shard }) => shard?.total))];
  if (totals.length > 1)
    throw new MergeError(`the shards are parts of different numbers: ${totals.join(', ')}`);
  const twice = shards.find((one, index) => index > 0 && numberOf(one) === numberOf(shards[index - 1]));
  if (twice) throw new MergeError(`shard ${numberOf(twice)} is given twice`);
  if (shards[0] && shards[0].contract !== hash)
    throw new MergeError(`the shards are of contract ${shards[0].contract}, and this is ${hash}`);
  return shards;
}

/** The number of a shard. @throws {MergeError} when a report is of a whole run */
function numberOf(report: Conformance | undefined): number {
  if (!report?.shard) throw new MergeError('a report is of a whole run, not of a shard (--shard=i/n)');
  return report.shard.current;
}

/** A sentence for each shard that is not there. */
export function missingOf(shards: Conformance[]): string[] {
  const present = new Set(shards.map(numberOf));
  const total = shards[0]?.shard?.total ?? 0;
  const absent = Array.from({ length: total }, (_, index) => index + 1).filter((one) => !present.has(one));
  return absent.map((one) => `shard ${one} of ${total} is missing: nothing is known of its requirements`);
}

/** Values of which none is the same as another one; the first of these stays. */
export const unique = <T>(values: T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

/** Notes on shards as a whole: which of them are missing, and what every one of them says. */
export const notesOfAll = (shards: Conformance[]): { missing: string[]; common: string[] } => ({
  missing: missingOf(shards),
  common: unique(shards.flatMap(({ notes }) => notes.filter((note) => isCommon(shards, note)))),
});

const isCommon = (shards: Conformance[], note: string) => shards.every(({ notes }) => notes.includes(note));

/** What every shard says is said once; what some say, with their number. */
export function notesOf(shards: Conformance[]): string[] {
  const notes = shards.flatMap((one) =>
    one.notes.map((note) => (isCommon(shards, note) ? note : `shard ${numberOf(one)}: ${note}`)),
  );
  return unique(notes);
}
