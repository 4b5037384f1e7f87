import { number } from '../../../schemas/counted.ts';
import { maxConcurrency } from '../../client/http-client.ts';
import type { SweptList } from '../../exchanges/session.ts';
import type { SweepContext } from '../context.ts';
import { type ListPlan, requestCountOf } from '../paging/list-plan.ts';
import { countOwn } from '../paging/paging.ts';
import { duration } from './progress.ts';

/** How far a sweep is before it begins, or goes on. */
interface Beginning {
  /** Number of the first page to be requested. */
  next: number;
  /** Records that may still be looked up, at most. */
  lookups: number;
  /** How long the first page took: response and reading, without waiting for its turn. */
  pageMs?: number | undefined;
}

/** Says what a sweep is about to do: how many records, requests and machines, and how long that takes. */
export function announcement(
  plan: ListPlan,
  { noun }: SweptList,
  { target, part }: Pick<SweepContext, 'target' | 'part'>,
  beginning: Beginning,
): string {
  const { records, sample, paging, hidden, isEndUnseen } = plan;
  const { next } = beginning;
  const all = requestCountOf(plan);
  const pages = all === undefined ? undefined : Math.max(0, countOwn(part, all) - countOwn(part, next));
  const what = sample
    ? `${number(sample.drawn)} ${sample.by === 'records' ? noun : `pages of ${noun}`} at random of ${hidden || isEndUnseen ? 'at least ' : ''}${number(sample.of)} (SWEEP_SEED=${sample.seed})`
    : records === undefined
      ? `all ${noun}, whose number is not known`
      : `about ${number(records)} ${noun}`;
  const size = sample?.by === 'records' ? '' : `, pages of ${number(paging.size)}`;
  const asked = pages === undefined ? '' : `: ${askedText(pages, beginning, target.maxRps)}`;
  const shard = part ? `, as machine ${part.current} of ${part.total}` : ', on one machine';
  return `sweep: ${what}${size}${asked}${shard}${next > 0 ? `; going on after ${number(next)} pages` : ''}`;
}

function askedText(pages: number, { lookups, pageMs }: Beginning, perSecond: number): string {
  const counts = `${number(pages)} more requests and at most ${number(lookups)} lookups`;
  const time = timeOf(pages, lookups, pageMs, perSecond);
  const rate = Number.isFinite(perSecond) ? ` at ${number(perSecond)} a second` : '';
  return time === undefined ? counts : `${counts}, about ${time}${rate}`;
}

/**
 * The time to send the requests. Judging is not in it: a process judges its first page many times as slowly as later ones. At least
 * what the pages take, several at a time; at most what they and the lookups take if the target answers one page after the other.
 * Undefined where neither a rate nor a page is known to go by.
 */
function timeOf(pages: number, lookups: number, pageMs = 0, perSecond: number): string | undefined {
  const turnMs = 1000 / perSecond;
  const besideMs = Math.max(turnMs, pageMs / maxConcurrency);
  const min = duration((pages * besideMs) / 1000);
  const max = duration((pages * Math.max(turnMs, pageMs) + lookups * besideMs) / 1000);
  if (besideMs === 0) return undefined;
  return min === max ? max : `${min} to ${max}`;
}
