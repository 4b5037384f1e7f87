import type { Violation } from '../../../schemas/judge/judgement.ts';
import type { PageRequest } from '../paging/paging.ts';
import type { BrokenRecords } from '../results/result.ts';
import { maxPlaces, type PageResult } from '../results/tally.ts';
import { hasIdentity, type Identity } from './identity.ts';
import { type PageRules, statesOfRecords } from './page-judge.ts';
import type { Sorted } from './sightings.ts';

/** Prints of the records that break any requirement, where they have one. */
export const printsOf = (broken: Map<string, Set<number>>, identities: Identity[]): number[] =>
  [...new Set([...broken.values()].flatMap((indices) => [...indices]))].flatMap((index) => {
    const identity = identities[index];
    return identity && hasIdentity(identity) ? [identity.key.high, identity.key.low] : [];
  });

export const twinPrintsOf = ({ twins }: Sorted, identities: Identity[]): number[] =>
  twins.flatMap(({ index }) => {
    const { key, named } = identities[index] as Identity;
    return [key.high, key.low, named];
  });

/** How many of the records that share their identity with an earlier one were not confirmed to, if there are any. */
export const unconfirmedOf = ({ twins }: Sorted, confirmed: Violation[]): Pick<PageResult, 'unconfirmed'> =>
  twins.length > confirmed.length ? { unconfirmed: twins.length - confirmed.length } : {};

/** Whether the list has moved, as far as a page shows it. @param isShared whether the first record is that of the page before it */
export function movedOf(
  { begins, repeated, twice }: Sorted,
  isShared: boolean,
): Pick<PageResult, 'moved' | 'twice'> {
  const moved = {
    repeated: begins === 'as expected' && isShared ? Math.max(0, repeated.size - 1) : repeated.size,
    gaps: begins === 'with another one' ? 1 : 0,
  };
  return { moved, ...(twice > 0 ? { twice } : {}) };
}

/** The records of a page behind those that it shares with the one before it, as places in the list. */
export const rangeOf = ({ number, position, limit }: PageRequest, reason: string, before: number) => ({
  from: position + 1 + (number > 0 ? before : 0),
  to: position + limit,
  reason,
});

/** How many records of a page break a requirement, by its address, with the places of the first ones in the list. */
export const brokenRecordsOf = (
  { operation, pointer }: PageRules,
  broken: Map<string, Set<number>>,
  records: unknown[],
  { position }: PageRequest,
): Record<string, BrokenRecords> =>
  Object.fromEntries(
    [...broken].map(([address, indices]) => {
      const sorted = [...indices].sort((one, other) => one - other);
      const first = sorted.slice(0, maxPlaces).map((index) => position + index + 1);
      const own = sorted.map((index) => records[index]);
      return [
        address,
        { records: sorted.length, first, states: statesOfRecords(operation, pointer, own), pages: 1 },
      ];
    }),
  );
