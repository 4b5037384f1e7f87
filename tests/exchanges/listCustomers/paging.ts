import type { ResponseSummary } from '../session.ts';
import { isSameSet } from './answers/lists.ts';
import type { CustomersPage } from './customers-page.ts';

/** A page of customers, as it is kept. */
export type Page = ResponseSummary<CustomersPage>;

const lengthOf = (page: Page) => page.content.length;

/**
 * Whether the page at offset 1 begins with the second customer of the page at offset 0, and is behind the first one: a page
 * of another replica, in the opposite order, is not.
 */
export function countsRecords(first: Page, second: Page): boolean {
  const [begin = '', next] = first.content.identities;
  const { identities } = second.content;
  return next !== undefined && next === identities[0] && !identities.includes(begin);
}

/** Whether the page at offset 1 holds nothing of the page at offset 0: then `offset` counts pages. */
export function countsPages(first: Page, second: Page): boolean {
  const known = new Set(first.content.identities);
  const { identities } = second.content;
  return identities.length > 0 && !identities.some((identity) => known.has(identity));
}

/**
 * Whether another limit was accepted, so that the bounds of `limit` exclude the rejected one, or may have been. They do
 * not where a full page is of that length without a limit. @param plain the list without any parameter
 */
export function limitMayBeRejected(limit: number, plain: Page, others: Page[]): boolean {
  const accepted = others.find(({ rejected }) => !rejected);
  if (!accepted || plain.rejected) return false;
  return lengthOf(plain) !== limit || lengthOf(accepted) <= limit;
}

/** Pages of half as many customers as were listed: they exist in any unit of `offset`. */
export interface Halves {
  limit: number;
  /** At offset 0, at offset 1, and at an offset of as many customers as the page holds. */
  first: Page;
  moved: Page;
  aligned: Page;
}

/**
 * Whether offset 1 may be rejected: no page lies there, only multiples of `limit` are accepted, or nothing shows that
 * it must be accepted. @param halves undefined where too few customers are listed for two pages
 */
export function offsetMayBeRejected(all: Page, halves: Halves | undefined): boolean {
  if (!halves) return true;
  const { limit, first, moved, aligned } = halves;
  if (!moved.answered || !aligned.answered) return true;
  if (lengthOf(moved) > 0) return limit === 1 || !countsRecords(all, moved);
  return lengthOf(aligned) > 0 || lengthOf(first) !== limit;
}

/** Where following the pages of a list has ended. */
export interface End {
  page: Page;
  offset: number;
  /** How many customers are known to be listed; 0 where `offset` counts something else. */
  known: number;
  /** The first page, and the one that was requested before this. */
  first: Page;
  last: Placed;
}

/** A page, and the offset that it was requested with, if any. */
export interface Placed {
  page: Page;
  offset?: number;
}

/** Whether no page needs to be where the pages end. @param before the page that begins one customer earlier */
export function pageMayNotExist(
  { offset, known }: Pick<End, 'offset' | 'known'>,
  before: Page | undefined,
): boolean {
  return offset >= known && (!before || lengthOf(before) < 2);
}

/** Whether a page that was requested again shows the customers that it showed before, in any order. */
export const isSamePage = (before: Page, after: Page): boolean =>
  lengthOf(before) === lengthOf(after) && isSameSet(before.content.identities, after.content.identities);
