import { expect, test } from '@playwright/test';
import { json } from '../harness/examples.ts';
import { randomOf, runs, seed } from '../soak.ts';
import { type PagingRun, runAgainstPages } from './paging-client.ts';
import { movingPages, type Pages, type Paging, pagesOf, usual } from './paging-provider.ts';

/** The requests for lists in whose responses something was found. */
const foundIn = ({ observations }: PagingRun) =>
  observations
    .filter(({ operation }) => operation === 'listCustomers')
    .flatMap(({ findings }) => findings)
    .map(({ exchange }) => exchange);

for (const kind of ['added', 'removed'] as const)
  test(`a customer is ${kind} while pages are followed: an offset past the end may be rejected`, async () => {
    for (const total of [2, 20, 21, 41])
      for (let request = 1; request <= 24; request += 1) {
        const { pages, knows } = movingPages({ ...usual, total }, { kind, place: 0, request });
        const found = foundIn(await runAgainstPages(pages, 3, knows));
        expect({ total, request, found }).toEqual({ total, request, found: [] });
      }
  });

for (const offset of ['pages from one', 'page starts'] as const)
  test(`a first customer who goes does not make offset count customers where it counts ${offset}`, async () => {
    for (let request = 1; request <= 24; request += 1) {
      const paging = { ...usual, total: 20, defaultLimit: 12, limit: 'capped', offset } as const;
      const { pages, knows } = movingPages(paging, { kind: 'removed', place: 0, request });
      const found = foundIn(await runAgainstPages(pages, 3, knows));
      expect({ request, found }).toEqual({ request, found: [] });
    }
  });

/** Two replicas that list different customers, or in another order, and reply in turn or as drawn. */
function replicas(paging: Paging, [one, other]: [number[], number[]], isOther: IsOther): Pages {
  const pages = [pagesOf(paging, one), pagesOf(paging, other)] as const;
  return (query) => pages[isOther(query) ? 1 : 0](query);
}

type IsOther = (query: URLSearchParams) => boolean;

const upTo = (total: number) => Array.from({ length: total }, (_, number) => number);
/** For each source by itself, since lists are followed side by side. */
function inTurn(): IsOther {
  const others = new Map<string | null, boolean>();
  return (query) => {
    const source = query.get('linked_source_type');
    others.set(source, !others.get(source));
    return !others.get(source);
  };
}

for (const offset of ['records', 'pages', 'pages from one'] as const) {
  test(`replicas in opposite order do not make a page exist where offset counts ${offset}`, async () => {
    const random = randomOf(seed);
    for (let run = 0; run < runs(40); run += 1) {
      const [total, defaultLimit] = [1 + (run % 12), 2 + (run % 5)];
      const paging = { ...usual, defaultLimit, limit: run % 2 ? 'any' : 'capped', offset } as const;
      const isOther = run % 3 ? inTurn() : () => random() < 0.5;
      const pages = replicas(paging, [upTo(total), upTo(total).toReversed()], isOther);
      const found = foundIn(await runAgainstPages(pages, 3));
      expect({ run, total, found }).toEqual({ run, total, found: [] });
    }
  });

  test(`replicas in turn, one of which lists fewer, do not make a page exist where offset counts ${offset}`, async () => {
    for (let run = 0; run < runs(40); run += 1) {
      const [total, defaultLimit] = [2 + (run % 11), 1 + (run % 7)];
      const paging = { ...usual, defaultLimit, limit: run % 2 ? 'any' : 'capped', offset } as const;
      const fewer = upTo(total).slice(run % 3 ? 1 : 0, run % 4 ? total : -1);
      const pages = replicas(paging, run % 5 ? [upTo(total), fewer] : [fewer, upTo(total)], inTurn());
      const found = foundIn(await runAgainstPages(pages, 3));
      expect({ run, total, found }).toEqual({ run, total, found: [] });
    }
  });
}

const secondPage = 'limit=20&offset=20';
const error = (status: number) => json(status, { code: status, message: 'no', data: null });

/** Rejects the second page of a list that has one, so often. */
function withoutSecondPage(total: number, status: number, times = Number.POSITIVE_INFINITY): Pages {
  const pages = pagesOf({ ...usual, total });
  let rejected = 0;
  return (query) => {
    if (`${query}` !== secondPage || rejected === times) return pages(query);
    rejected += 1;
    return error(status);
  };
}

for (const total of [21, 40])
  test(`a page that is always rejected is found in a list of ${total}`, async () => {
    const run = await runAgainstPages(withoutSecondPage(total, 404), 3);
    expect(foundIn(run)).toEqual([expect.stringMatching(/customers\?limit=20&offset=20$/)]);
  });

test('a page that is rejected once may not have been there; a failure of the target is none of the list', async () => {
  expect(foundIn(await runAgainstPages(withoutSecondPage(21, 404, 1), 3))).toEqual([]);
  expect(foundIn(await runAgainstPages(withoutSecondPage(21, 500, 1), 3))).toHaveLength(1);
});

test('a limit below the minimum is rejected where as many customers are listed, and one comes', async () => {
  const paging = { ...usual, total: 20, defaultLimit: 25, limit: 'rejected below' } as const;
  for (let request = 1; request <= 20; request += 1) {
    const { pages, knows } = movingPages(paging, { kind: 'added', place: 0, request });
    expect({ request, found: foundIn(await runAgainstPages(pages, 3, knows)) }).toEqual({
      request,
      found: [],
    });
  }
});
