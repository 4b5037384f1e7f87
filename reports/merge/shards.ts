import type { Contract } from '../../schemas/contract/contract.ts';
import type { Conformance } from '../conformance.ts';

/** Reports that cannot be merged; the message says why, for people. */
export class MergeError extends Error {
  override name = 'MergeError';
}

/** What all shards have in common, and what they are of where they do not. */
const same: [word: string, ofReport: (report: Conformance) => string][] = [
  ['targets', ({ target }) => target],
  ['targets', ({ target, mock }) => (mock ? 'the embedded mock' : target)],
  ['profiles', ({ profile }) => profile],
  ['contracts', ({ contract }) => contract],
];

/** The shards by number. @throws {MergeError} when they are of different runs, or one is there twice. */
export function shardsInOrder({ hash }: Contract, reports: Conformance[]): Conformance[] {
  const shards = reports.toSorted((one, other) => numberOf(one) - numberOf(other));
  for (const [word, ofReport] of same) {
    const values = [...new Set(shards.map(ofReport))];
    if (values.length > 1) throw new MergeError(`the shards are of different ${word}: ${values.join(', ')}`);
  }
  const totals = [...new Set(shards.map(({ shard }) => shard?.total))];
  if (totals.length > 1)
    throw new MergeError(`the shards are parts of different numbers: ${totals.join(', ')}`);
  const twice = shards.find((one, index) => index > 0 && numberOf(one) === numberOf(shards[index - 1]));
  if (twice) throw new MergeError(`shard ${numberOf(twice)} is given twice`);
  if (shards[0] && shards[0].contract !== hash)
    throw new MergeError(`the shards are of contract ${shards[0].contract}, and this is ${hash}`);
  assertSameSelection(shards);
  return shards;
}

/** Shards divide what is selected: what only some of them were to judge, nobody may have judged. */
function assertSameSelection(shards: Conformance[]): void {
  const [first, ...others] = shards.filter(({ shard }) => shard?.selected);
  for (const other of others) {
    assertSelectedBy(first, other);
    assertSelectedBy(other, first);
  }
}

function assertSelectedBy(one: Conformance | undefined, other: Conformance | undefined): void {
  const selected = new Set(one?.shard?.selected);
  const odd = other?.shard?.selected?.find((address) => !selected.has(address));
  if (odd !== undefined)
    throw new MergeError(
      `shard ${numberOf(other)} was to judge ${odd}, and shard ${numberOf(one)} was not: run all with the same variables and the same --grep`,
    );
}

/** The number of a shard. @throws {MergeError} when a report is of a whole run */
export function numberOf(report: Conformance | undefined): number {
  if (!report?.shard) throw new MergeError('a report is of a whole run, not of a shard (--shard=i/n)');
  return report.shard.current;
}

/** How many shards are named that are not there. */
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
    ...(more > 0 ? [`${more} more shards are missing`] : []),
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
