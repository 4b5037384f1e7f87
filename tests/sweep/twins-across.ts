import type { Operation } from '../../schemas/contract.ts';
import type { Observation } from '../client/observation.ts';
import type { SweptList } from '../exchanges/session.ts';
import type { BrokenRecords, SweepResult } from './result.ts';
import { sharesOf } from './shares.ts';
import { addedUp, maxPlaces } from './tally.ts';
import { twinViolation, uniqueRuleOf } from './uniqueness.ts';

/** A sweep, and what was observed in it. */
interface Merged {
  sweep: SweepResult;
  observations: Observation[];
}

/**
 * Adds the records whose identity names another one in another part: no part alone could see that. They cannot be asked for
 * again; what they name differs all the same. @param places of the records in the list, from 0
 */
export function withTwins(merged: Merged, operation: Operation, list: SweptList, places: number[]): Merged {
  const rule = uniqueRuleOf(operation, list);
  const base = merged.observations.find(
    (one) => one.operation === operation.id && one.response === 'success',
  );
  if (!rule || !base || places.length === 0) return merged;
  const sorted = places.toSorted((one, other) => one - other);
  const first = sorted.slice(0, maxPlaces).map((place) => place + 1);
  const broken: BrokenRecords = { records: places.length, first, states: {}, pages: places.length };
  const sweep = { ...merged.sweep, broken: { ...merged.sweep.broken } };
  sweep.broken[rule.address] = addedUp(sweep.broken[rule.address], broken);
  const { expected, actual = '' } = twinViolation(rule, list, 0);
  const { folded: _, ...single } = base;
  const finding = {
    ...({ kind: 'violation', requirement: rule.address, operation: operation.id } as const),
    ...{ pointer: `${list.pointer}/*/${list.key}`, places: places.length, expected, actual },
    exchange: `the pages of several shards, first number ${first[0]} of the list`,
  };
  const observation: Observation = { ...single, visits: {}, states: {}, findings: [finding], tolerated: [] };
  return {
    sweep: { ...sweep, shares: sharesOf(sweep) },
    observations: [...merged.observations, observation],
  };
}
