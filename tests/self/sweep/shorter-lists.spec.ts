import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { SweepResult } from '../../sweep/results/result.ts';
import { isComplete, summaryOfSweep, sweepSentences } from '../../verdict/swept.ts';
import { all, type Customer, pagesOf, response, type ShowPage, sweep, sweepByShards } from './odd-list.ts';
import { journalDir } from './sweep-run.ts';

/* Lists that end before the place at which a sweep is, or show some customers again in place of others. */

const notSeen =
  'the list became shorter, or changed its order, while it was read, so that less than nine tenths of it were judged: sweep it again';

const said = (result: SweepResult) => sweepSentences(summaryOfSweep(result)).join();

/** Shows a list from which something is removed when a page behind a place is requested. */
const removing = (list: Customer[], place: number, remove: (list: Customer[]) => void): ShowPage => {
  let isDone = false;
  return (limit, offset) => {
    if (limit > 10 && offset >= place && !isDone) {
      isDone = true;
      remove(list);
    }
    return pagesOf(list)(limit, offset);
  };
};

const removals: Record<string, (list: Customer[]) => void> = {
  'the first half': (list) => list.splice(0, 1000),
  'every second': (list) => list.splice(0, list.length, ...list.filter((_, index) => index % 2 === 1)),
};

for (const [what, remove] of Object.entries(removals))
  test(`a list of whose customers ${what} are removed while it is read was not seen as a whole`, async () => {
    const { result } = await sweep(removing(all(2000), 990, remove));
    expect(result).toMatchObject({ places: 2000, moved: { repeated: 0, gaps: 1 } });
    expect(result.judged).toBeLessThan(1200);
    expect(result.blocked).toEqual([{ from: result.judged + 1, to: 2000, reason: notSeen }]);
    expect(isComplete(result)).toBe(false);
    expect(said(result)).toMatch(/ of at least 2,000 customers were judged.*the list of customers moved/);
  });

test('that a list has become shorter is counted once, also where the end is not in the journal', async () => {
  const list = all(2000);
  const { result } = await sweep(removing(list, 1900, (shown) => shown.splice(1850)));
  expect(result).toMatchObject({ judged: 1981, moved: { repeated: 0, gaps: 1 } });
  const file = path.join(journalDir(), 'listCustomers.ndjson');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  for (const left of [1, 2]) {
    writeFileSync(file, `${lines.slice(0, -left).join('\n')}\n`);
    const { result: resumed } = await sweep(pagesOf(list), { RESUME: '1' });
    expect(resumed, String(left)).toEqual(result);
  }
});

for (const [unit, at] of [
  ['customers', 990],
  ['pages', 10],
] as const)
  test(`that a list has lost many customers is seen where no customer can be requested alone (\`offset\` counts ${unit})`, async () => {
    for (const shortest of [10, undefined]) {
      const list = all(2000);
      const { result } = await sweep((limit, offset) => {
        if (limit === 100 && offset === at && list.length === 2000) list.splice(0, 1000);
        if (limit < 10 && !shortest) return undefined;
        const shown = Math.max(10, limit);
        return pagesOf(list)(shown, unit === 'pages' ? offset * shown : offset);
      });
      expect(result.judged).toBeLessThan(1200);
      expect(result.blocked).toMatchObject([{ from: result.judged + 1, reason: notSeen }]);
      expect(said(result)).toMatch(/ of at least 1,9\d\d customers were judged/);
    }
  });

test('one customer fewer of a few is no list that was not seen', async () => {
  for (let request = 1; request <= 14; request += 1) {
    const list = all(9);
    let asked = 0;
    const { result } = await sweep((limit, offset) => {
      asked += 1;
      if (asked === request) list.shift();
      return pagesOf(list)(limit, offset);
    });
    expect([request, result.blocked, result.stopped]).toEqual([request, [], undefined]);
  }
});

test('whole pages are drawn where `offset` is rounded down', async () => {
  const { result } = await sweep((limit, offset) => pagesOf(all(400))(limit, 10 * Math.floor(offset / 10)), {
    SWEEP: '50',
    SWEEP_SEED: '3',
  });
  expect(result).toMatchObject({ drawnPages: { of: 4, size: 100 }, judged: 100, blocked: [] });
});

test('the same is seen where a sweep goes on of which the list has lost most customers meanwhile', async () => {
  const list = all(2000);
  const env = { REPORTS_DIR: test.info().outputPath('reports') };
  let isDown = false;
  const interrupted = await sweep((limit, offset) => {
    isDown ||= limit > 10 && offset > 990;
    return isDown ? response({}, 503) : pagesOf(list)(limit, offset);
  }, env);
  expect(interrupted.result.judged).toBe(1090);
  list.splice(0, 1200);
  const { result } = await sweep(pagesOf(list), { ...env, RESUME: '1' });
  expect(result).toMatchObject({ judged: 1090, moved: { repeated: 0, gaps: 1 } });
  expect(result.blocked).toMatchObject([{ reason: notSeen }]);
});

for (const [count, removed, place] of [
  [992, 2, 990],
  [1000, 12, 990],
  [10_000, 300, 9801],
] as const)
  test(`a list of ${count} that has lost ${removed} before its last page has moved`, async () => {
    const { result } = await sweep(removing(all(count), place, (list) => list.splice(0, removed)));
    expect(result).toMatchObject({ moved: { repeated: 0, gaps: 1 }, blocked: [] });
    expect(result.population).toBeUndefined();
    expect(said(result)).toMatch(/ of at least \S+ customers were judged.*the list of customers moved/);
  });

test('the same is seen where pages share no customer', async () => {
  const show = removing(all(1000), 900, (list) => list.splice(0, 100));
  const { result } = await sweep((limit, offset) => (offset % limit > 0 ? undefined : show(limit, offset)));
  expect(result).toMatchObject({ moved: { repeated: 0, gaps: 1 }, blocked: [] });
});

test('a short list of pages, of which the first half is removed meanwhile, was not seen as a whole', async () => {
  const show = removing(all(250), 200, (list) => list.splice(0, 125));
  const { result } = await sweep((limit, page) => show(limit, page * limit));
  expect(result).toMatchObject({ judged: 200, blocked: [{ from: 201, to: 250, reason: notSeen }] });
});

test('a list in no order, behind its first pages, was not seen as a whole', async () => {
  const list = all(2000);
  let requests = 0;
  const unordered: ShowPage = (limit, offset) => {
    requests += 1;
    // 1801 is a prime: each factor puts the other 1,800 in another order.
    const keyOf = (index: number) => ((index + 1) * requests * 577) % 1801;
    const rest = list.slice(200).map((one, index) => ({ one, key: keyOf(index) }));
    const shown = rest.toSorted((one, other) => one.key - other.key).map(({ one }) => one);
    return pagesOf([...list.slice(0, 200), ...shown])(limit, offset);
  };
  const { result } = await sweep(unordered);
  expect(result.blocked).toMatchObject([{ reason: notSeen }]);
  expect(isComplete(await sweepByShards(unordered, 2))).toBe(false);
});

test('a list that has each customer twice was seen as a whole, by one run and by shards', async () => {
  const list = all(700).flatMap((one) => [one, one]);
  for (const result of [(await sweep(pagesOf(list))).result, await sweepByShards(pagesOf(list), 2)])
    expect(result).toMatchObject({ judged: 700, places: 1400, blocked: [] });
});
