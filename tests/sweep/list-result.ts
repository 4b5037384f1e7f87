import type { Operation } from '../../schemas/contract/contract.ts';
import { addressOf } from '../../schemas/contract/nodes.ts';
import type { Visits } from '../../schemas/judge/visits.ts';
import type { SweptList } from '../exchanges/session.ts';
import type { ListPlan } from './list-plan.ts';
import type { Part } from './paging.ts';
import { type BlockedRange, isStill, type SweepResult } from './result.ts';
import { sharesOf } from './shares.ts';
import { shortRange } from './short-pages.ts';
import { summed, type Tally } from './tally.ts';
import { uniqueRuleOf } from './uniqueness.ts';

/** How a sweep of a list has gone. */
export interface ListState {
  operation: Operation;
  list: SweptList;
  plan: ListPlan | undefined;
  tally: Tally;
  /** Whether its end was reached. */
  ended: boolean;
  stopped: string | undefined;
  part: Part | undefined;
}

/** The result of a sweep of a list. */
export function resultOf(state: ListState): SweepResult {
  const { operation, list, plan, tally, stopped, part } = state;
  const { judged, lookedUp, pages, moved, broken, blocked } = tally;
  const sample = plan?.sample;
  const unique = uniqueRuleOf(operation, list);
  const population = populationOf(state);
  const own = tally.observations().filter((one) => one.operation === operation.id);
  const ofRecords = addressOf(operation.id, `${list.pointer}/*`);
  const result = {
    operation: operation.id,
    ...{
      noun: list.noun,
      pointer: list.pointer,
      journal: operation.id,
      judged,
      lookedUp,
      pages,
      moved,
      broken,
    },
    mode: sample ? ('sample' as const) : ('all' as const),
    ...(sample ? { seed: sample.seed } : {}),
    ...(population === undefined ? {} : { population }),
    ...(overlaps(plan) ? {} : { withoutOverlap: true as const }),
    ...(sample?.by === 'pages' && plan ? { drawnPages: { of: sample.of, size: plan.paging.size } } : {}),
    betweenRecords: unique ? [unique.address] : [],
    blocked: [...blocked, ...unasked(state)],
    ...(stopped === undefined ? {} : { stopped }),
    states: below(
      ofRecords,
      own.map(({ states }) => states),
    ),
    exercised: below(
      '',
      own.map(({ visits }) => visits),
    ),
    ...(part ? { part } : {}),
  };
  return { ...result, shares: sharesOf(result) };
}

function populationOf({ plan, tally, ended, part }: ListState): number | undefined {
  if (plan?.sample) return plan.sample.by === 'records' ? plan.sample.of : undefined;
  const { blocked, moved } = tally;
  const isCertain = ended && blocked.length === 0 && isStill(moved) && overlaps(plan);
  return isCertain && !part ? tally.judged : undefined;
}

/** Whether pages overlap, so that a removal is seen; as one page alone has no need to. */
const overlaps = (plan: ListPlan | undefined) =>
  plan === undefined || plan.sample !== undefined || plan.isOnePage || plan.paging.overlap > 0;

/** What lies behind the place at which a sweep has stopped, and what the page before that place leaves out. */
function unasked({ stopped, plan, tally: { next, left } }: ListState): BlockedRange[] {
  if (stopped === undefined || plan?.sample) return [];
  const { size = 1, overlap = 0 } = plan?.paging ?? {};
  const behind = next === 0 ? 1 : next * (size - overlap) + overlap + 1;
  const from = plan?.hidden === undefined ? behind : (plan.records ?? 0) + 1;
  return [...(left ? [shortRange(left.places)] : []), { from, to: undefined, reason: stopped }];
}

const below = (address: string, all: Visits[]): Visits =>
  Object.fromEntries(Object.entries(summed(all)).filter(([name]) => name.startsWith(address)));
