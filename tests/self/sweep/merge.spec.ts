import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { withEdges } from '../../sweep/merge/merged-pages.ts';
import { nothingOf, type PageResult } from '../../sweep/results/tally.ts';
import { brokenIn } from './sweep-run.ts';
import { total, wholeAndMerged } from './whole-and-merged.ts';

test('a uuid that customers at the edge of two shards share is counted once', async () => {
  for (const every of [2, 9, 10]) {
    const faults = [{ name: 'customer: uuid is that of the customer before it', every }];
    const { whole, merged, said } = await wholeAndMerged({
      population: { customers: 200, faults },
      choices: { maxLimit: 10 },
    });
    expect(brokenIn(merged)).toEqual(brokenIn(whole));
    expect(merged).toMatchObject({ judged: 200, moved: { repeated: 0, gaps: 0 } });
    expect(said.match(/customers \(100 %\)/g)).toHaveLength(total);
  }
});

test('customers without an identity are counted at each place, however alike they look', async () => {
  // Pages of ten overlap by one: places 90 and 99 are each on two pages.
  const alter: Alter = (answer, { operation, parameters: { offset = '0', limit = '10' } }) => {
    const { data } = (answer.body ?? {}) as { data?: { customers?: unknown[] } };
    for (const place of operation === 'listCustomers' ? [45, 46, 90, 99, 120] : []) {
      const index = place - Number(offset);
      if (data?.customers && index >= 0 && index < Math.min(10, Number(limit)))
        data.customers[index] = place === 46 ? { dial_code: '+1' } : null;
    }
    return answer;
  };
  const { whole, merged } = await wholeAndMerged({
    population: { customers: 200 },
    choices: { maxLimit: 10 },
    alter,
  });
  const still = { judged: 200, population: 200, moved: { repeated: 0, gaps: 0 } };
  expect(whole).toMatchObject(still);
  expect(brokenIn(whole)['listCustomers/data/customers/*']).toEqual([4, 46]);
  expect(merged).toMatchObject(still);
  expect(brokenIn(merged)).toEqual(brokenIn(whole));
});

/** Shows half of some pages of ten. */
const halving =
  (offsets: number[]): Alter =>
  (answer, { operation, parameters: { limit, offset = '0' } }) => {
    const { data } = (answer.body ?? {}) as { data?: { customers?: unknown[] } };
    const isShort = operation === 'listCustomers' && limit === '10' && offsets.includes(Number(offset));
    if (data?.customers && isShort) data.customers = data.customers.slice(0, 5);
    return answer;
  };

test('the last page of a shard that is short is no end where a page of another shard follows it', async () => {
  const ranges = (places: [from: number, to: number][]) =>
    places.map(([from, to]) => ({ from, to, reason: 'a page held fewer records than requested' }));
  const still = { moved: { repeated: 0, gaps: 0 } };
  const byPages = await wholeAndMerged({
    population: { customers: 220 },
    choices: { maxLimit: 10, offsetCounts: 'pages' },
    alter: halving([18, 20]),
  });
  const blocked = ranges([
    [186, 190],
    [206, 210],
  ]);
  expect(byPages.whole).toMatchObject({ judged: 210, blocked, ...still });
  expect(byPages.merged).toMatchObject({ judged: 210, blocked, ...still });
  const byRecords = await wholeAndMerged({
    population: { customers: 200 },
    choices: { maxLimit: 10 },
    alter: halving([36, 189]),
  });
  const whole = ranges([
    [42, 45],
    [195, 198],
  ]);
  expect(byRecords.whole).toMatchObject({ judged: 192, blocked: whole, ...still });
  // The customer with which the next page begins is the shard's that has the short one.
  const merged = whole.map((range) => ({ ...range, to: range.to + 1 }));
  expect(byRecords.merged).toMatchObject({ judged: 190, blocked: merged, ...still });
});

test('pages without a list, and where shards stop, read merged as in one run', async () => {
  const broken = (from: number, to: number): Alter => {
    return (answer, { operation, parameters: { limit, offset = '0' } }) => {
      const isHidden = operation === 'listCustomers' && Number(offset) > from && Number(offset) < to;
      return isHidden && limit !== '1' ? { ...answer, raw: '<p>' } : answer;
    };
  };
  const options = { population: { customers: 400 }, choices: { maxLimit: 10 } };
  const middle = await wholeAndMerged({ ...options, alter: broken(100, 250) });
  expect(middle.merged.moved).toEqual({ repeated: 0, gaps: 0 });
  expect(middle.whole.blocked).toMatchObject([{ from: 110, to: 252 }]);
  expect(middle.merged.blocked).toMatchObject([{ from: 110, to: 253 }]);
  const end = await wholeAndMerged({ ...options, alter: broken(100, 1e9) });
  expect(end.merged.blocked.at(-1)).toMatchObject({ to: undefined, reason: end.whole.stopped });
  expect(end.merged.judged).toBe(end.whole.judged);
});

test('prints that were cut are not compared', async () => {
  const { merge } = await wholeAndMerged({ population: { customers: 200 }, choices: { maxLimit: 10 } });
  const file = test.info().outputPath('part-2', 'sweep', 'listCustomers.prints');
  truncateSync(file, 64);
  await expect(merge()).rejects.toThrow(
    /listCustomers.prints is missing or not whole, .* merge needs the whole/,
  );
});

test('a journal whose pages lack something is rejected in one sentence', async () => {
  const { merge } = await wholeAndMerged({ population: { customers: 200 }, choices: { maxLimit: 10 } });
  const file = test.info().outputPath('part-2', 'sweep', 'listCustomers.ndjson');
  for (const observations of ['', ',"observations":[7]', ',"observations":null']) {
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/,"observations":.*?(?=,"broken":)/, observations),
    );
    await expect(merge()).rejects.toThrow(/listCustomers\.ndjson is missing or cannot be read: merge needs/);
  }
});

test('a journal, or prints, of another sweep than the result are rejected', async () => {
  const { merge } = await wholeAndMerged({ population: { customers: 100 }, choices: { maxLimit: 10 } });
  const at = (extension: string) => test.info().outputPath('part-2', 'sweep', `listCustomers.${extension}`);
  const left = ['ndjson', 'prints'].map(
    (extension) => [at(extension), readFileSync(at(extension), 'latin1')] as const,
  );
  const isRejected = async ([ndjson, prints]: readonly ((text: string) => string)[], says: RegExp) => {
    for (const [index, [file, text]] of left.entries())
      writeFileSync(file, [ndjson, prints][index]?.(text) ?? text, 'latin1');
    await expect(merge(), `${says}`).rejects.toThrow(says);
  };
  const asItIs = (text: string) => text;
  await isRejected([(text) => text.replace('"key":"', '$&x')], /were swept with different keys/);
  await isRejected([(text) => text.replace(/"judged":\d+/, '"judged":1')], /ndjson is not of the run/);
  await isRejected([(text) => `${text}{\n`], /ndjson is missing or cannot be read/);
  await isRejected([asItIs, (text) => text.repeat(2)], /prints is missing or not whole/);
  const unsaid = (text: string) => text.replace(/"prints":\d+/g, '"prints":null');
  await isRejected([unsaid, () => ''], /prints is missing or not whole/);
});

test('of two customers in two shards the one that is listed later is the second', async () => {
  // Pages of ten overlap by one: place 105 is on page 11, of the third shard, and place 195 on page 21, of the first.
  const alter: Alter = (answer, { operation, parameters: { offset = '0' } }) => {
    const { data } = (answer.body ?? {}) as { data?: { customers?: { uuid: string }[] } };
    for (const place of operation === 'listCustomers' ? [105, 195] : []) {
      const customer = data?.customers?.[place - Number(offset)];
      if (customer) customer.uuid = '00000000-0000-4000-8000-000000000000';
    }
    return answer;
  };
  const { whole, merged, observations } = await wholeAndMerged({
    population: { customers: 200 },
    choices: { maxLimit: 10 },
    alter,
  });
  expect(brokenIn(whole)).toEqual({ 'listCustomers/rules/uuid-is-unique': [1, 196] });
  expect(brokenIn(merged)).toEqual(brokenIn(whole));
  expect(observations.flatMap(({ findings }) => findings)).toMatchObject([
    { pointer: '/data/customers/6/uuid', exchange: expect.stringMatching(/limit=10&offset=189$/) },
  ]);
});

test('a page that begins with another customer than the page of another shard has ended with shows that the list moved', () => {
  const edge = (low: number) => ({ high: 1, low, named: low });
  const page = (number: number, first: number, last: number): PageResult => {
    const position = 9 * number;
    return { ...nothingOf(number), position, first: edge(first), last: edge(last) };
  };
  const placeOf = ({ low }: { low: number }) => (low === 3 ? 2 : undefined);
  const pages = [page(0, 0, 9), page(1, 9, 18), page(2, 20, 29), page(3, 3, 40), page(5, 50, 59)];
  const moved = [...withEdges(pages, { repeated: 0, twins: [], placeOf })].map((one) => one.moved);
  const still = { repeated: 0, gaps: 0 };
  expect(moved).toEqual([still, still, { repeated: 0, gaps: 1 }, { repeated: 1, gaps: 0 }, still]);
});
