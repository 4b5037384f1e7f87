import { counted } from '../../schemas/counted.ts';
import type { Conformance } from '../conformance.ts';

/** Reports that cannot be merged; the message says why, for people. */
export class MergeError extends Error {
  override name = 'MergeError';
}

/** The number of a shard. @throws {MergeError} when a report is of a whole run */
export function numberOf(report: Conformance | undefined): number {
  if (!report?.shard) throw new MergeError('a report is of a whole run, not of a shard (--shard=i/n)');
  return report.shard.current;
}

/** How many missing shards are named. */
const maxNamed = 20;

/** A sentence for each shard that is not there. */
export function missingOf(shards: Conformance[]): string[] {
  const present = new Set(shards.map(numberOf));
  const total = shards[0]?.shard?.total ?? 0;
  const absent = Array.from({ length: total }, (_, index) => index + 1).filter((one) => !present.has(one));
  const more = absent.length - maxNamed;
  return [
    ...absent
      .slice(0, maxNamed)
      .map((one) => `shard ${one} of ${total} is missing: nothing is known of its requirements`),
    ...(more > 0 ? [`${counted(more, 'more shard')} ${more === 1 ? 'is' : 'are'} missing`] : []),
  ];
}

/** Values of which none is the same as another one; the first of these stays. */
export const unique = <T>(values: T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

/** What every shard says. */
export const commonNotes = (shards: Conformance[]): string[] =>
  unique(shards.flatMap(({ notes }) => notes.filter((note) => isCommon(shards, note))));

const isCommon = (shards: Conformance[], note: string) => shards.every(({ notes }) => notes.includes(note));

/** What every shard says is said once; what some say, with their number. */
export function notesOf(shards: Conformance[]): string[] {
  const notes = shards.flatMap((one) =>
    one.notes.map((note) => (isCommon(shards, note) ? note : `shard ${numberOf(one)}: ${note}`)),
  );
  return unique(notes);
}
