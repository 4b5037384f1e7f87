import { addressOf } from '../../../schemas/contract/nodes.ts';
import { stateOf } from '../../../schemas/contract/states.ts';
import { upperBound, upperBoundByPages } from './bounds.ts';
import { type BrokenRecords, isStill, type SweepResult, type SweptShare } from './result.ts';
import { nothingBroken } from './tally.ts';

/** What a sweep says of each requirement that it has judged record by record, by address. */
export function sharesOf(sweep: Omit<SweepResult, 'shares'>): Record<string, SweptShare> {
  const { operation, pointer, exercised, broken, betweenRecords = [] } = sweep;
  const ofRecords = pointer === '' ? `${operation}/` : addressOf(operation, `${pointer}/*`);
  const judged = Object.keys(exercised).filter(
    (address) => address.startsWith(ofRecords) || betweenRecords.includes(address),
  );
  const addresses = new Set([...judged, ...Object.keys(broken)]);
  return Object.fromEntries([...addresses].map((address) => [address, shareOf(sweep, address, ofRecords)]));
}

function shareOf(sweep: Omit<SweepResult, 'shares'>, address: string, ofRecords: string): SweptShare {
  const { judged, noun, mode } = sweep;
  const broken = sweep.broken[address] ?? nothingBroken;
  const isBetween = sweep.betweenRecords?.includes(address) ?? false;
  const common = commonStates(sweep, address, broken, ofRecords);
  return {
    judged,
    broken: broken.records,
    ...(mode === 'sample' && !isBetween && sweep.blocked.length === 0 && sweep.stopped === undefined
      ? { upperBound: boundOf(sweep, broken) }
      : {}),
    records: noun,
    ...(broken.first.length > 0 ? { first: broken.first } : {}),
    ...(common.length > 0 ? { common } : {}),
  };
}

function boundOf(
  { judged, population, drawnPages, pages, moved, endsAtFullPage }: Omit<SweepResult, 'shares'>,
  broken: BrokenRecords,
) {
  // How many there are is certain only of a list that stands still, and whose end was seen.
  const still = isStill(moved) && !endsAtFullPage;
  if (drawnPages)
    return upperBoundByPages({
      ...{ drawn: pages, broken: broken.pages, of: drawnPages.of, pageSize: drawnPages.size, isStill: still },
      // The last page may hold a single record: the fewer there are, the more a broken page weighs.
      records: (drawnPages.of - 1) * drawnPages.size + 1,
    });
  return upperBound({ drawn: judged, broken: broken.records, of: still ? population : undefined });
}

/** How many states are named, and how frequent one may be among all records to say something. */
const [maxStates, maxFrequency] = [3, 0.9];

/** How likely it may be that as many records have a state by chance. */
const maxChance = 0.001;

/** States that all broken records have, and not nearly all others: the rarest first. */
function commonStates(
  { judged, states }: Pick<SweepResult, 'judged' | 'states'>,
  address: string,
  broken: BrokenRecords,
  ofRecords: string,
): string[] {
  const frequency = (state: string) => (states[state] ?? 0) / Math.max(1, judged);
  const isTrivial = (state: string) => address.startsWith(stateOf(state).address);
  return Object.keys(broken.states)
    .filter((state) => broken.states[state] === broken.records && frequency(state) <= maxFrequency)
    .filter((state) => frequency(state) ** broken.records <= maxChance)
    .filter((state) => !isTrivial(state))
    .sort((one, other) => frequency(one) - frequency(other))
    .slice(0, maxStates)
    .map((state) => state.slice(ofRecords.length).replace(/^\//, ''));
}
