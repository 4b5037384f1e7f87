import type { SweptList } from '../exchanges/session.ts';
import type { SweepContext } from './context.ts';
import { type ListPlan, requestCountOf } from './list-plan.ts';
import { duration } from './progress.ts';

const number = (value: number) => value.toLocaleString('en');

/** Says what a sweep is about to do: how many records, requests and machines, and how long that takes at `MAX_RPS`. */
export function announcement(
  plan: ListPlan,
  { noun }: SweptList,
  { target, part }: Pick<SweepContext, 'target' | 'part'>,
  done: number,
): string {
  const { records, sample, paging } = plan;
  const requests = requestCountOf(plan);
  const own =
    requests === undefined ? undefined : Math.max(0, Math.ceil((requests - done) / (part?.total ?? 1)));
  const what = sample
    ? `${number(sample.drawn)} ${sample.by === 'records' ? noun : `pages of ${noun}`} at random of ${number(sample.of)} (SWEEP_SEED=${sample.seed})`
    : records === undefined
      ? `all ${noun}, whose number is not known`
      : `about ${number(records)} ${noun}`;
  const pages = sample?.by === 'records' ? '' : `, pages of ${number(paging.size)}`;
  const asked = own === undefined ? '' : `: ${number(own)} more requests${timeOf(own, target.maxRps)}`;
  const shard = part ? `, as machine ${part.current} of ${part.total}` : ', on one machine';
  return `sweep: ${what}${pages}${asked}${shard}${done > 0 ? `; going on after ${number(done)} pages` : ''}`;
}

const timeOf = (requests: number, perSecond: number) =>
  Number.isFinite(perSecond)
    ? `, about ${duration(requests / perSecond)} at ${number(perSecond)} a second`
    : '';
