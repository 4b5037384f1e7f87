import type { Operation } from '../../../schemas/contract/contract.ts';
import type { Part } from '../paging/paging.ts';
import type { SweepResult } from './result.ts';
import { sharesOf } from './shares.ts';
import { summed, type Tally } from './tally.ts';

/** How a sweep of a file of identifiers has gone. */
interface IdentifierState {
  operation: Operation;
  journal: string;
  noun: string;
  tally: Tally;
  stopped: string | undefined;
  part: Part | undefined;
  batchSize: number;
}

/** The result of a sweep of a file of identifiers. */
export function identifierResultOf(state: IdentifierState): SweepResult {
  const { operation, journal, noun, tally, stopped, part, batchSize } = state;
  const own = tally.observations().filter((one) => one.operation === operation.id);
  const unasked =
    stopped === undefined ? [] : [{ from: tally.next * batchSize + 1, to: undefined, reason: stopped }];
  const result = {
    operation: operation.id,
    ...{ noun, pointer: '', journal, mode: 'all' as const, judged: tally.judged, pages: tally.held },
    blocked: [...tally.blocked, ...unasked],
    ...(stopped === undefined ? {} : { stopped }),
    ...{ moved: tally.moved, broken: tally.broken },
    states: summed(own.map(({ states }) => states)),
    exercised: summed(own.map(({ visits }) => visits)),
    ...(part ? { part } : {}),
  };
  return { ...result, shares: sharesOf(result) };
}
