import type { Operation } from '../../../schemas/contract/contract.ts';
import { addressOf } from '../../../schemas/contract/nodes.ts';
import type { Visits } from '../../../schemas/judge/visits.ts';
import type { SweptList } from '../../exchanges/session.ts';
import { uniqueRuleOf } from '../pages/uniqueness.ts';
import type { ListPlan } from '../paging/list-plan.ts';
import { nextOwn, type Part } from '../paging/paging.ts';
import { shortRange } from '../paging/short-pages.ts';
import { withUnseen } from './ordinary-lists.ts';
import type { BlockedRange, SweepResult } from './result.ts';
import { sharesOf } from './shares.ts';
import { summed, type Tally, unconfirmedIn } from './tally.ts';
import { wholeOf } from './whole-list.ts';

/** How a sweep of a list has gone. */
export interface ListState {
  operation: Operation;
  list: SweptList;
  plan: ListPlan | undefined;
  tally: Tally;
  /** Whether its end was reached. */
  ended: boolean;
  /** Whether a page has shown that end which reaches across it. */
  isEndShown: boolean;
  stopped: string | undefined;
  part: Part | undefined;
  /** Records that ordinary requests of the run have listed. */
  listed?: number | undefined;
}

/** The result of a sweep of a list. */
export function resultOf(state: ListState): SweepResult {
  const { operation, list, tally, stopped, part, listed } = state;
  const { judged, lookedUp, pages, broken } = tally;
  const unique = uniqueRuleOf(operation, list);
  const result = withUnseen({
    operation: operation.id,
    ...{ noun: list.noun, pointer: list.pointer, journal: operation.id },
    ...{ judged, lookedUp, pages, broken },
    ...modeOf(state),
    ...seenOf(state),
    betweenRecords: unique ? [unique.address] : [],
    ...(stopped === undefined ? {} : { stopped }),
    ...unconfirmedIn(tally),
    ...countsOf(state),
    ...(part ? { part } : {}),
    ...(listed === undefined ? {} : { listed }),
  });
  return { ...result, shares: sharesOf(result) };
}

/** Which records were looked at, of how many. */
function modeOf(state: ListState) {
  const { plan, part, isEndShown, tally } = state;
  const sample = plan?.sample;
  return {
    mode: sample ? ('sample' as const) : ('all' as const),
    ...(sample ? { seed: sample.seed } : {}),
    ...(sample ? placesDrawnFrom(plan) : { places: placesOf(state) }),
    ...(overlaps(plan) ? {} : { withoutOverlap: true as const }),
    ...(endsAtFullPage(state) ? { endsAtFullPage: true as const } : {}),
    ...(part && isEndShown && tally.left ? { endsAtPage: tally.left.number } : {}),
    ...(sample?.by === 'pages' && plan ? { drawnPages: { of: sample.of, size: plan.paging.size } } : {}),
  };
}

/** At least so many records, where it is not known that there are no more. */
const placesDrawnFrom = ({ sample, isEndUnseen }: Pick<ListPlan, 'sample' | 'isEndUnseen'> = {}) =>
  isEndUnseen && sample?.by === 'records' ? { places: sample.of } : {};

/** How often the states of records were seen, and requirements of the operation exercised. */
function countsOf({ operation, list, tally }: ListState): Pick<SweepResult, 'states' | 'exercised'> {
  const own = tally.observations().filter((one) => one.operation === operation.id);
  const ofRecords = addressOf(operation.id, `${list.pointer}/*`);
  const [states, exercised] = [own.map((one) => one.states), own.map(({ visits }) => visits)];
  return { states: below(ofRecords, states), exercised: summed(exercised) };
}

/** What was seen of the list, and what was not; of a part of it no more than that. */
function seenOf(state: ListState): Pick<SweepResult, 'blocked' | 'moved' | 'population'> {
  const { plan, tally, ended, part } = state;
  const { judged, twice, moved, places: last } = tally;
  const blocked = [...tally.blocked, ...unasked(state)];
  if (plan?.sample) return { blocked, moved, ...drawnFrom(plan) };
  if (part || !ended || !plan) return { blocked, moved };
  const withoutOverlap = overlaps(plan) ? {} : { withoutOverlap: true as const };
  const [places, expected] = [placesOf(state), countedOf(plan)];
  return wholeOf({ judged, twice, blocked, moved, last, places, expected, ...withoutOverlap }, unseen);
}

const unseen =
  'the list became shorter, or changed its order, while it was read, so that less than nine tenths of it were judged: sweep it again';

/** How many records were drawn from, where that is all of them. */
const drawnFrom = ({ sample, hidden, isEndUnseen }: ListPlan): Pick<SweepResult, 'population'> =>
  sample?.by === 'records' && hidden === undefined && !isEndUnseen ? { population: sample.of } : {};

/**
 * How many records there were at least when they were counted; 0 where they were not. Where only some places begin a page, a single
 * record may be that of another place, and of pages that were counted the last one may be short.
 */
function countedOf({ paging, isOnePage, records = 0 }: ListPlan): number {
  const { size, unit, overlap, singles } = paging;
  const isExact = isOnePage || (singles && (unit === 'pages' || overlap > 0));
  return isExact ? records : Math.max(0, records - size + 1);
}

/** How many places a list has shown, then or on its pages. */
const placesOf = ({ plan, tally }: ListState): number => Math.max(tally.places, plan ? countedOf(plan) : 0);

/** Whether pages overlap, so that a removal is seen. */
const overlaps = (plan: ListPlan | undefined) =>
  plan === undefined || plan.sample !== undefined || plan.paging.overlap > 0;

/** The end is shown by a page that overlaps the last one, by a short page, or by one of another size; else by nothing. */
const endsAtFullPage = ({ plan, ended, isEndShown, tally: { left, judged } }: ListState) =>
  plan?.isEndUnseen || (ended && !isEndShown && judged > 0 && !overlaps(plan) && left === undefined);

/** What lies behind the place at which a sweep has stopped, and what the page before that place leaves out. */
function unasked({ stopped, plan, tally: { next: page, left }, part }: ListState): BlockedRange[] {
  if (stopped === undefined || (plan?.sample && plan.hidden === undefined)) return [];
  const { size = 1, overlap = 0 } = plan?.paging ?? {};
  const next = nextOwn(part, page);
  const behind = next === 0 ? 1 : next * (size - overlap) + overlap + 1;
  const from = plan?.hidden === undefined ? behind : (plan.records ?? 0) + 1;
  return [...(left ? [shortRange(left.places)] : []), { from, to: undefined, reason: stopped }];
}

const below = (address: string, all: Visits[]): Visits =>
  Object.fromEntries(Object.entries(summed(all)).filter(([name]) => name.startsWith(address)));
