import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf } from '../harness/whole-run.ts';
import { brokenIn, sweepMock } from './sweep-run.ts';

const customer = 'listCustomers/data/customers/*';
const faults = [
  { name: 'customer: phone is null', every: 601 },
  { name: 'customer: default_payment_token/error_code is null', every: 1999 },
  { name: 'customer: dial_code is missing', every: 20 },
];

test('a sweep counts the customers that break a rule, each once, in the same tests and reports', async () => {
  const options = { population: { customers: 2000, faults: faults.slice(0, 2) }, choices: { maxLimit: 300 } };
  const { code, conformance, output, files } = await runInProcessAgainst(options, { SWEEP: 'all' });
  const swept = (address: string) => conformance?.requirements.find((one) => one.address === address)?.swept;
  expect(code).toBe(1);
  expect(addressesOf({ conformance } as never, 'violation')).toEqual(
    expect.arrayContaining([`${customer}/phone`, `${customer}/default_payment_token/error_code`]),
  );
  expect(swept(`${customer}/phone`)).toMatchObject({ judged: 2000, broken: 3, first: [601, 1202, 1803] });
  expect(swept(`${customer}/default_payment_token/error_code`)).toMatchObject({ judged: 2000, broken: 1 });
  expect(swept(`${customer}/uuid`)).toEqual({ judged: 2000, broken: 0, records: 'customers' });
  expect(swept('listCustomers/rules/uuid-is-unique')).toEqual({
    judged: 2000,
    broken: 0,
    records: 'customers',
  });
  expect(swept('getCard/data/card/id')).toBeUndefined();
  expect(conformance?.sweeps).toMatchObject([
    { mode: 'all', judged: 2000, population: 2000, blocked: [], moved: { repeated: 0, gaps: 0 } },
  ]);
  expect(conformance?.gates?.find(({ address }) => address === 'run/sweep')?.verdict).toBe('pass');
  expect(output).toMatch(/2,000 of 2,000 customers were judged, on 7 pages, \d+ of them looked up/);
  const text = 'by 3 of 2,000 customers (0.15 %), first at number 601, 1,202, 1,803 of the list';
  expect(output).toContain(text);
  for (const name of ['conformance.md', 'contract.html'])
    expect(files().find((file) => file.name === name)?.text, name).toContain(text);
  // On a busy machine the first page takes so long that there is a range.
  expect(output).toMatch(
    /customers, pages of 300: 7 more requests and at most 200 lookups, about 1 s( to \d+ s)? at 10,000 a second, on one machine/,
  );
});

test('a name that only a page of the sweep shows is not quoted from another response', async () => {
  const name = 'Zephyrine';
  const alter: Alter = (answer, { operation, parameters: { offset = '0' } }) => {
    const { data } = (answer.body ?? {}) as { data?: { customers?: { name?: string }[]; card?: object } };
    const customer = operation === 'listCustomers' ? data?.customers?.[250 - Number(offset)] : undefined;
    if (customer) customer.name = `${name} Maier`;
    if (data?.card) Object.assign(data.card, { zephyrine: 1, rosette: 1 });
    return answer;
  };
  const quoted = async (env: Record<string, string>) => {
    const { output, files } = await runInProcessAgainst(
      { population: { customers: 300 }, alter },
      env,
      /^getCard/,
    );
    const shown = [output, ...files().map(({ text }) => text)].join('\n').toLowerCase();
    return ['zephyrine', 'rosette'].filter((word) => shown.includes(word));
  };
  expect(await quoted({})).toEqual(['zephyrine', 'rosette']);
  expect(await quoted({ SWEEP: 'all' })).toEqual(['rosette']);
});

test('what broken customers have in common is said, as far as the contract has words for it', async () => {
  const { result } = await sweepMock({
    population: { customers: 600, faults: faults.slice(1, 2).map((one) => ({ ...one, every: 47 })) },
  });
  const share = result.shares[`${customer}/default_payment_token/error_code`];
  expect(share).toMatchObject({ broken: 12 });
  expect(share?.common?.length).toBeGreaterThan(0);
});

test('what chance may explain is not said to be what broken customers have in common', async () => {
  for (const every of [400, 250]) {
    const planted = [{ name: 'customer: phone is null', every }];
    const { result } = await sweepMock({ population: { customers: 600, faults: planted } });
    const share = result.shares[`${customer}/phone`];
    expect(share?.broken).toBe(Math.floor(600 / every));
    expect(share?.common).toBeUndefined();
  }
});

test('no page is requested twice, and the largest that the target accepts are', async () => {
  const { requests, result } = await sweepMock({
    population: { customers: 950 },
    choices: { maxLimit: 100 },
  });
  const pages = requests.map(({ path }) => path).filter((path) => path.includes('limit=100&'));
  expect(new Set(pages).size).toBe(pages.length);
  expect(pages.length).toBeLessThan(27);
  expect(result).toMatchObject({ judged: 950, pages: 10 });
});

for (const choices of [{ offsetCounts: 'pages' }, {}] as const)
  for (const customers of [1, 75, 99, 100, 101, 199, 200, 1000])
    test(`${customers} customers are all seen, whatever offset counts (${JSON.stringify(choices)})`, async () => {
      const options = { population: { customers, faults: faults.slice(2) }, choices };
      const { result } = await sweepMock(options);
      expect(result).toMatchObject({ judged: customers, blocked: [] });
      const hasOverlap = !('offsetCounts' in choices) || result.pages === 1;
      expect(result.population).toBe(hasOverlap ? customers : undefined);
      const count = Math.floor(customers / 20);
      expect(brokenIn(result)).toEqual(count > 0 ? { [`${customer}/dial_code`]: [count, 20] } : {});
    });

test('failed pages are requested again, and then reported as ranges that nothing is known of', async () => {
  const failingPages = [{ position: 250 }, { position: 450, times: 2 }];
  const options = { population: { customers: 1000, faults: faults.slice(0, 1), failingPages } };
  const { result } = await sweepMock(options);
  expect(result.blocked).toEqual([{ from: 200, to: 297, reason: 'the target answered HTTP 500' }]);
  expect(result.judged).toBe(1000 - 98);
  expect(result.population).toBeUndefined();
  expect(brokenIn(result)).toEqual({ [`${customer}/phone`]: [1, 601] });
  const inARow = [{ position: 250 }, { position: 350 }];
  const two = await sweepMock({ population: { customers: 1000, failingPages: inARow } });
  expect(two.result.blocked).toMatchObject([{ from: 200, to: 396 }]);
  expect(two.result.judged).toBe(1000 - 197);
});

test('a target that goes down ends a sweep, which keeps what it has', async () => {
  let left = 40;
  const around = (client: { get: (path: string) => Promise<never> }) => ({
    get: async (path: string) => {
      left -= 1;
      return left >= 0 ? client.get(path) : { blocked: 'the connection was refused' };
    },
  });
  const { result } = await sweepMock({ population: { customers: 5000 } }, { around: around as never });
  expect(result.stopped).toBe('too many pages were not answered: the connection was refused');
  expect(result.judged).toBeGreaterThan(100);
  expect(result.blocked).toEqual([{ from: result.judged + 1, to: undefined, reason: result.stopped }]);
});

test('inserts and removals are no violation: the report says that the list moved', async () => {
  for (const movement of [{ insertEvery: 3 }, { removeEvery: 3 }]) {
    const { result } = await sweepMock({ population: { customers: 3000, ...movement } });
    expect(brokenIn(result)).toEqual({});
    expect(result.moved.repeated + result.moved.gaps, JSON.stringify(movement)).toBeGreaterThan(0);
    expect(result.population).toBeUndefined();
    expect(result.blocked).toEqual([]);
  }
});
