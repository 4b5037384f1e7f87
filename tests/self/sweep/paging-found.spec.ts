import { expect, test } from '@playwright/test';
import { all, customer, type ShowPage, sweep } from './odd-list.ts';
import { brokenIn } from './sweep-run.ts';

/* Lists of which the first pages say little of how they are paged. */

const list = all(400);

test('a page that is empty where `limit` is above the maximum is no empty list', async () => {
  const showPage: ShowPage = (limit, offset) => (limit > 50 ? [] : list.slice(offset, offset + limit));
  const { result } = await sweep(showPage);
  expect(result).toMatchObject({ judged: 400, population: 400, blocked: [] });
});

test('a list that shows pages of a few customers only, and nothing on longer ones, is not empty', async () => {
  const within: Record<string, ShowPage> = {
    'customers are counted': (limit, offset) => list.slice(offset, offset + limit),
    'pages are counted': (limit, page) => list.slice(page * limit, (page + 1) * limit),
    'pages are counted from 1': (limit, page) => list.slice(Math.max(0, page - 1) * limit, page * limit),
    'single customers are rejected': (limit, offset) =>
      limit > 1 ? list.slice(offset, offset + limit) : undefined,
    'single customers are shown in pairs': (limit, offset) => list.slice(offset, offset + Math.max(2, limit)),
  };
  for (const [how, showPage] of Object.entries(within))
    for (const max of [2, 9])
      for (const above of [undefined, []]) {
        const { result } = await sweep((limit, offset) => (limit > max ? above : showPage(limit, offset)));
        expect(result, `${how}, ${max}`).toMatchObject({ judged: 400, blocked: [] });
        expect(result.stopped).toBeUndefined();
      }
});

test('a list whose first page is empty is none of no customers', async () => {
  const { result } = await sweep((limit, offset) => (offset === 0 ? [] : list.slice(offset, offset + limit)));
  const reason = 'the first page is empty, though there are records behind it';
  expect(result).toMatchObject({ judged: 0, stopped: reason, blocked: [{ from: 1, reason }] });
  expect((await sweep(() => [])).result).toMatchObject({ judged: 0, population: 0, blocked: [] });
});

for (const [how, nothing] of [
  ['is rejected', undefined],
  ['is empty', []],
] as const)
  test(`a list that counts pages, of which the second ${how}, is followed`, async () => {
    const many = all(12_000);
    const { result } = await sweep((limit, page) =>
      limit > 1 && page === 1 ? nothing?.slice() : many.slice(page * limit, (page + 1) * limit),
    );
    expect(result).toMatchObject({ judged: 11_900, blocked: [{ from: 101, to: 200 }] });
    expect(result.stopped).toBeUndefined();
  });

test('what nothing shows of `offset` is not guessed', async () => {
  const many = all(12_000);
  const { result } = await sweep((limit, page) =>
    limit < 100 || (page > 0 && page < 50) ? undefined : many.slice(page * limit, (page + 1) * limit),
  );
  const reason = 'no page but the first was answered';
  expect(result).toMatchObject({ judged: 100, stopped: reason, blocked: [{ from: 101, reason }] });
});

test('a list of which many pages behind the first are empty does not end there', async () => {
  const many = all(4000);
  const { result } = await sweep((limit, page) =>
    page > 0 && page < 10 ? [] : many.slice(page * limit, (page + 1) * limit),
  );
  expect(result.stopped ?? result.blocked[0]?.reason).toContain('is empty, though');
  expect(result.population).toBeUndefined();
});

test('a list of which hundreds of pages behind the first are rejected does not end there', async () => {
  const many = all(40_000);
  const { result } = await sweep((limit, page) => {
    const place = page * limit;
    return place >= 100 && place < 20_000 ? undefined : many.slice(place, place + limit);
  });
  expect(result.population).toBeUndefined();
  expect(result.blocked[0]?.from).toBe(101);
});

test('a target that shows its default where `limit` is above its maximum is swept at its maximum', async () => {
  const limits = new Set<number>();
  const { result } = await sweep((limit, offset) => {
    if (offset > 100) limits.add(limit);
    return list.slice(offset, offset + (limit > 50 ? 20 : limit));
  });
  expect(result).toMatchObject({ judged: 400, population: 400, blocked: [] });
  expect([...limits].filter((limit) => limit > 1)).toEqual([50]);
});

test('a list is followed in pages of fewer than ten customers where the target rejects larger ones', async () => {
  const few = all(61);
  const within: Record<string, ShowPage> = {
    'customers are counted': (limit, offset) => few.slice(offset, offset + limit),
    'pages are counted': (limit, page) => few.slice(page * limit, (page + 1) * limit),
    'pages are counted from 1': (limit, page) =>
      page ? few.slice((page - 1) * limit, page * limit) : undefined,
    'only multiples are accepted': (limit, offset) =>
      offset % limit ? undefined : few.slice(offset, offset + limit),
  };
  for (const [how, showPage] of Object.entries(within))
    for (const max of [2, 5, 9]) {
      const shown: ShowPage = (limit, offset) => (limit > max ? undefined : showPage(limit, offset));
      const { result } = await sweep(shown);
      expect(result, `${how}, ${max}`).toMatchObject({ judged: 61, blocked: [] });
      const { result: sampled } = await sweep(shown, { SWEEP: '20', SWEEP_SEED: '3' });
      expect(sampled, `${how}, ${max}`).toMatchObject({ judged: 20, blocked: [] });
    }
});

test('a list of pages of five customers, at that limit and at its multiples alone, does not end behind the first', async () => {
  const { result } = await sweep((limit, offset) =>
    limit === 5 && offset % 5 === 0 && offset < 23 ? all(23).slice(offset, offset + 5) : undefined,
  );
  expect(result).toMatchObject({ judged: 23, blocked: [] });
});

test('what `offset` counts is not guessed from customers without a uuid that look alike, or change', async () => {
  const reason = 'nothing shows what `offset` counts: its records cannot be told apart';
  let request = 0;
  for (const reference of [() => 'R', () => `R${request}`]) {
    const { result } = await sweep((limit, offset) => {
      request += 1;
      const page = list.slice(offset, offset + limit);
      return page.map(() => ({ dial_code: '+1', reference_number: reference() }) as never);
    });
    expect(result.stopped).toBe(reason);
  }
  const { result } = await sweep((limit, offset) =>
    list.slice(offset, offset + limit).map(({ uuid: _, ...rest }) => rest as never),
  );
  expect(result).toMatchObject({ judged: 400, population: 400, blocked: [] });
});

test('what `offset` counts is found also where the first customers share a uuid', async () => {
  const [first] = list;
  const { result } = await sweep((limit, offset) => {
    const size = Math.min(limit, 40);
    const shown = list.map((one, place) => (place < 3 && first ? { ...one, uuid: first.uuid } : one));
    return shown.slice(offset * size, (offset + 1) * size);
  });
  expect(result).toMatchObject({ judged: 400, blocked: [] });
});

test('what `offset` counts is found where the second page begins with a uuid of the first one', async () => {
  for (const count of [101, 301])
    for (const twin of [0, 1, 5, 99]) {
      const shown = all(count).map((one, place) =>
        place === 100 ? { ...one, uuid: customer(twin).uuid } : one,
      );
      const { result } = await sweep((limit, page) => shown.slice(page * limit, (page + 1) * limit));
      expect(result, `${count}, ${twin}`).toMatchObject({ judged: count, blocked: [] });
      expect(brokenIn(result)['listCustomers/rules/uuid-is-unique']).toEqual([1, 101]);
    }
});

test('a list whose pages are empty for one customer of theirs does not end before them', async () => {
  const { result } = await sweep((limit, offset) => {
    const shown = list.slice(offset * limit, (offset + 1) * limit);
    return offset > 0 && shown.some((one) => list.indexOf(one) % 100 === 50) ? [] : shown;
  });
  const reason = 'the page at `offset` 1 is empty, though there are records behind it';
  expect(result).toMatchObject({ judged: 100, stopped: reason, blocked: [{ from: 101, reason }] });
});

test('a page that lacks one customer has left one out, also where pages overlap', async () => {
  const { result } = await sweep((limit, offset) =>
    list.slice(offset, offset + limit).filter((one) => limit === 1 || list.indexOf(one) !== 143),
  );
  const reason = 'a page held fewer records than requested';
  expect(result).toMatchObject({ judged: 399, blocked: [{ from: 199, to: 199, reason }] });
});

test('a list whose first customer goes and comes back meanwhile is not taken for one that is counted from 1', async () => {
  const short = all(120);
  let [isCountedFromOne, requests] = [false, 0];
  const { result } = await sweep((limit, place) => {
    isCountedFromOne ||= place > 0;
    if (!isCountedFromOne) return undefined;
    // Once, `offset` 0 shows what 1 shows.
    if (place === 0) requests += 1;
    const begin = place === 0 && requests === 1 ? 1 : place;
    return short.slice(begin, begin + limit);
  });
  expect(result).toMatchObject({ judged: 0, stopped: expect.stringContaining('no page at `offset` 0') });
  expect(requests).toBeGreaterThan(1);
});
