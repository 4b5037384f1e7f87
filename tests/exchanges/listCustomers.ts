import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../configuration/target.ts';
import { type CustomersPage, maxShapes, type Sample, summarizePage } from './listCustomers/customers-page.ts';
import { isEndOpen, isLimitOpen, isOffsetOpen, type Limits, type List } from './listCustomers/open-errors.ts';
import { countsPages, countsRecords, type End, type Halves, type Page } from './listCustomers/paging.ts';
import { type Arguments, documentedValues, literal } from './request.ts';
import type { ExchangesResult, Lookup, Session } from './session.ts';

export { questions } from './listCustomers/questions.ts';
export { sweptList } from './listCustomers/swept-list.ts';
export const summarize = summarizePage;

const filters = (operation: Operation): Arguments[] => [
  {},
  ...documentedValues(operation, 'linked_source_type').map((linked_source_type) => ({
    linked_source_type,
  })),
];

/** Lists customers with every combination of the optional parameters, and follows pages (contract 4.2). */
export default async function listCustomers({
  ask,
  askAgain,
  target,
  operation,
}: Session<CustomersPage>): Promise<ExchangesResult> {
  const plain = await ask();
  const listed = await Promise.all(
    filters(operation).map(async (filter) => {
      const [pages, again]: [Page[], Page[]] = [[], []];
      const list: List = {
        get: (limit, offset) => collectedIn(pages, ask({ ...filter, ...numeric({ limit, offset }) })),
        getAgain: (limit, offset) =>
          collectedIn(again, askAgain({ ...filter, ...numeric({ limit, offset }) })),
        plain,
        plainAgain: () => collectedIn(again, askAgain()),
      };
      return { pages, again, openErrors: await listPages(list, target.maxPages) };
    }),
  );
  // By filter, since responses arrive in any order.
  const pages = listed.flatMap(({ pages }) => pages);
  return {
    openErrors: listed.flatMap(({ openErrors }) => openErrors),
    lookups: lookupsOf(pages),
    inOrder: [...pages, ...listed.flatMap(({ again }) => again)],
  };
}

async function collectedIn(pages: Page[], asked: Promise<Page>): Promise<Page> {
  const page = await asked;
  pages.push(page);
  return page;
}

const numeric = (numbers: Record<string, number | undefined>): Arguments =>
  Object.fromEntries(
    Object.entries(numbers).flatMap(([name, number]) =>
      number === undefined ? [] : [[name, literal(String(number))]],
    ),
  );

/**
 * Asks for the pages of a list, then for what settles why some were rejected.
 * @returns the error responses that the contract leaves open
 */
async function listPages(list: List, maxPages: number): Promise<Page[]> {
  const { get, plain } = list;
  const all = await get();
  const moved = await get(undefined, 1);
  const limits = await askLimits(get, plain.content.length);
  const { size, first } = limits;
  const second = await get(size, 1);
  const followed = await followPages(get, size, first, second, maxPages);
  const end = followed.at(-1);
  const longest = first.content.length > all.content.length ? { page: first, limit: size } : { page: all };
  const halves = moved.rejected || second.rejected ? await askHalves(get, longest.page) : undefined;
  const before = end && needsPageBefore(end) ? await get(size, end.offset - 1) : undefined;

  const open = [
    ...((await isOffsetOpen(list, longest, halves)) ? [moved, second] : []),
    ...((await isLimitOpen(list, limits)) ? [limits.chosen] : []),
    ...(end && (await isEndOpen(list, size, end, before)) ? [end.page] : []),
  ];
  const expected = new Set([all, moved, limits.chosen, first, second, ...followed.map(({ page }) => page)]);
  const settling = [...limits.others, before, halves?.first, halves?.moved, halves?.aligned];
  return [...open, ...settling.filter((page) => page !== undefined).filter((page) => !expected.has(page))];
}

/** @param found how many customers a page holds unless said otherwise */
async function askLimits(get: List['get'], found: number): Promise<Limits> {
  const chosenSize = pageSize(found);
  const chosen = await get(chosenSize);
  const limits: Limits = { size: chosenSize, first: chosen, chosenSize, chosen, others: [] };
  if (!chosen.rejected) return limits;
  for (const size of otherLimits(chosenSize, found)) {
    const first = await get(size);
    limits.others.push(first);
    if (!first.rejected) return { ...limits, size, first };
  }
  return limits;
}

/** A page size that the target itself seems to use is one that it accepts; else one that is common. */
function pageSize(found: number): number {
  if (found >= 20) return 20;
  return found > 0 && found % 5 === 0 ? found : 10;
}

/** The bounds of `limit` are open: where one is rejected, as many as were listed or other common ones must do. */
const otherLimits = (size: number, found: number) => [found || 1, 50, 100].filter((limit) => limit !== size);

/** Follows pages by the unit that `offset` seems to count in, until one is empty. */
async function followPages(
  get: List['get'],
  size: number,
  first: Page,
  second: Page,
  maxPages: number,
): Promise<End[]> {
  const step = countsPages(first, second) ? 1 : first.content.length;
  const ends: End[] = [];
  let known = countsRecords(first, second) ? 1 + second.content.length : 0;
  let last = { page: second, offset: 1 };
  for (let number = 1; step > 0 && number < maxPages; number += 1) {
    const offset = number * step;
    const page = await get(size, offset);
    ends.push({ page, offset, known, first, last });
    if (page.content.length === 0) break;
    known = known && offset + page.content.length;
    last = { page, offset };
  }
  return ends;
}

const needsPageBefore = ({ page, offset, known }: End) => page.rejected && known > 0 && offset >= known;

/** Nothing of these is expected but that they are answered. */
async function askHalves(get: List['get'], { content: { length } }: Page): Promise<Halves | undefined> {
  if (length < 2) return undefined;
  const limit = Math.ceil(length / 2);
  const moved = await get(limit, 1);
  const aligned = await get(limit, limit);
  const first = await get(limit);
  return { limit, first, moved, aligned };
}

/** One customer of each shape that the list has shown, to be looked up. */
function lookupsOf(pages: Page[]): Lookup[] {
  const samples = new Map<string, Sample>();
  for (const sample of pages.flatMap(({ content }) => content.samples))
    if (!samples.has(sample.shape)) samples.set(sample.shape, sample);
  return [...samples.values()].slice(0, maxShapes).map(({ uuid, shell }, index) => {
    const label = `{uuid of a listed customer, shape ${index + 1}}`;
    return { operation: 'getCustomer', parameters: { id: { value: uuid, label, shell } } };
  });
}

/** Most targets accept so many, or show as many as they do. */
const longLimit = 100;

/** More customers, from the same place on, by the same filter. */
export const longerPage = (page: Arguments): Arguments => ({ ...page, ...numeric({ limit: longLimit }) });

/** For each filter: the pages, three requests beside them, and sixteen that settle why something was rejected. */
export const maxRequests = ({ maxPages }: Target, operation: Operation) =>
  filters(operation).length * (maxPages + 19) + maxShapes;
