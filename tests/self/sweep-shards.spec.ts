import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { customers } from '../../mock/customers.ts';
import { type Alter, type MockOptions, startMock } from '../../mock/server.ts';
import type { Conformance } from '../../reports/conformance.ts';
import { mergedSweep, readLeft, withSweepsMerged } from '../../reports/merge-sweeps.ts';
import { mergeShards } from '../../reports/shards.ts';
import { type LeftPart, printsOfParts } from '../../reports/sweep-prints.ts';
import { loadContract } from '../../schemas/contract.ts';
import { withEdges } from '../sweep/merged-pages.ts';
import type { SweepResult } from '../sweep/result.ts';
import { nothingOf, type PageResult } from '../sweep/tally.ts';
import type { Shard } from '../verdict/verdict.ts';
import { askInProcess, runInProcess } from './in-process-run.ts';
import { brokenIn, sweepAt, sweepMock } from './sweep-run.ts';
import { targetOf, type WholeRun } from './whole-run.ts';

/** Customer 1,500 has the identity of the tenth, which another shard sees. */
const withUuidAgain: Alter = (answer, { operation, parameters: { offset = '0' } }) => {
  const { data } = (answer.body ?? {}) as { data?: { customers?: { uuid: string }[] } };
  const customer = operation === 'listCustomers' ? data?.customers?.[1499 - Number(offset)] : undefined;
  if (customer) customer.uuid = customers[9]?.customer.uuid ?? '';
  return answer;
};

const population = {
  customers: 2000,
  faults: [
    { name: 'customer: phone is null', every: 401 },
    { name: 'customer: dial_code is missing', every: 99 },
  ],
};
const total = 3;
/** A share of the requirements for each shard, as Playwright gives them out. */
const selections = [/^(getC|listCustomers\/http)/, /^listCustomers\/(?!http)/, /^(getFee|run)/];

const runShard = (env: Record<string, string>, grep: RegExp, shard: Shard): Promise<WholeRun> =>
  askInProcess(
    env,
    (judge) => judge({ select: (addresses) => addresses.filter((address) => grep.test(address)), shard }),
    { shard },
  );

const facts = ({ verdict, requirements, sweeps, coverage }: Conformance) => ({
  verdict,
  sweeps,
  coverage,
  requirements: requirements.map(({ address, verdict, exercised, swept }) => ({
    address,
    verdict,
    exercised,
    swept,
  })),
});

/** What does not depend on how often customers are looked up: each shard looks up one of each shape. */
const unrelatedToLookups = ({ requirements, findings, observed, notes, gates }: Conformance) => ({
  requirements: requirements
    .filter(({ operation }) => operation !== 'getCustomer')
    .map(({ since: _, ...requirement }) => requirement),
  findings: findings.filter(({ operation }) => operation !== 'getCustomer'),
  ...{ observed, notes, gates },
});

test('shards divide the pages and the ordinary requests, and merged they say what one run says', async () => {
  const mock = await startMock({ population, alter: withUuidAgain });
  const env = { ...targetOf(mock.url), TARGET_NAME: 'staging', SWEEP: 'all' };
  const below = (name: string) => test.info().outputPath(name);
  const whole = await runInProcess({ ...env, REPORTS_DIR: below('whole') });
  mock.requests.length = 0;
  const shards: WholeRun[] = [];
  for (const [index, grep] of selections.entries()) {
    const shard = { current: index + 1, total };
    shards.push(await runShard({ ...env, REPORTS_DIR: below(`s${index + 1}`) }, grep, shard));
  }
  await mock.close();
  const pages = mock.requests.map(({ path }) => path).filter((path) => /limit=100&offset=[2-9]/.test(path));
  // Each shard finds out what it needs to know, and how far the list goes.
  const twice = pages.filter((one, index) => pages.indexOf(one) !== index && !one.endsWith('offset=2'));
  expect(twice.filter((path) => Number(path.split('=').at(-1)) < population.customers)).toEqual([]);
  expect(mock.requests.filter(({ path }) => /limit=20$/.test(path)).length).toBe(1);
  for (const { conformance } of shards) expect(conformance?.sweeps?.[0]?.judged).toBeGreaterThan(500);
  const reports = shards.map(({ conformance }) => conformance as Conformance);
  const left = shards.map(({ reportsDir }) => readLeft(reportsDir));
  const contract = loadContract();
  const merged = await withSweepsMerged(contract, mergeShards(contract, reports), left);
  const one = facts(whole.conformance as Conformance);
  const all = facts(merged);
  expect(all.verdict).toBe('fail');
  expect(swept(merged)['listCustomers/rules/uuid-is-unique']).toMatchObject({ broken: 1, first: [1500] });
  expect(swept(merged)).toEqual(swept(whole.conformance as Conformance));
  expect(all.sweeps).toMatchObject([
    { judged: 2000, population: 2000, pages: one.sweeps?.[0]?.pages, blocked: [] },
  ]);
  expect(all.requirements.map(({ address, verdict }) => [address, verdict])).toEqual(
    one.requirements.map(({ address, verdict }) => [address, verdict]),
  );
  expect(all.coverage.nodes).toEqual(one.coverage.nodes);
  expect(unrelatedToLookups(merged)).toEqual(unrelatedToLookups(whole.conformance as Conformance));
  const lacking = await withSweepsMerged(contract, mergeShards(contract, reports.slice(1)), left.slice(1));
  expect(lacking.verdict).toBe('error');
  expect(lacking.notes[0]).toContain('shard 1 of 3 is missing');
  expect(lacking.sweeps?.[0]?.population).toBeUndefined();
});

/** A whole sweep, and one that shards have divided: what each says of broken records, and what the shards have said. */
async function wholeAndMerged(options: MockOptions) {
  const mock = await startMock(options);
  const whole = await sweepAt(mock.url);
  const parts: LeftPart[] = [];
  let said = '';
  for (let current = 1; current <= total; current += 1) {
    const folder = test.info().outputPath(`part-${current}`);
    const run = await sweepAt(mock.url, { env: { REPORTS_DIR: folder }, part: { current, total } });
    parts.push({ sweep: run.result, folder });
    said += run.said;
  }
  await mock.close();
  const merged = await mergedSweep(loadContract(), parts);
  return { whole: whole.result, merged: merged.result, observations: merged.observations, said };
}

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

test('shards whose identities cannot be compared are rejected', () => {
  const parts = ['one', 'other', 'third'].map((key) => {
    const folder = test.info().outputPath(key);
    mkdirSync(path.join(folder, 'sweep'), { recursive: true });
    writeFileSync(path.join(folder, 'sweep', 'listCustomers.ndjson'), `${JSON.stringify({ key })}\n`);
    if (key !== 'third') writeFileSync(path.join(folder, 'sweep', 'listCustomers.prints'), '');
    const sweep = { journal: 'listCustomers', pointer: '/data/customers' } as SweepResult;
    return { sweep, folder };
  });
  expect(printsOfParts(parts.slice(0, 1))).toHaveLength(1);
  expect(() => printsOfParts(parts.slice(0, 2))).toThrow(/different keys.*SWEEP_KEY/);
  expect(() => printsOfParts(parts.slice(2))).toThrow(/listCustomers.prints is missing/);
});

const swept = ({ requirements }: Conformance) =>
  Object.fromEntries(requirements.flatMap(({ address, swept }) => (swept ? [[address, swept]] : [])));

test('shards draw one sample between them', async () => {
  const env = { SWEEP: '90', SWEEP_SEED: '5' };
  const whole = await sweepMock({ population }, { env });
  const parts = [];
  for (let current = 1; current <= total; current += 1)
    parts.push(await sweepMock({ population }, { env, part: { current, total } }));
  expect(parts.map(({ result }) => result.judged)).toEqual([30, 30, 30]);
  const singles = (all: { path: string }[]) =>
    all.map(({ path }) => path).filter((path) => /limit=1&offset=\d/.test(path));
  const drawn = new Set(parts.flatMap(({ requests }) => singles(requests)));
  expect(singles(whole.requests).every((path) => drawn.has(path))).toBe(true);
});

test('shards without a seed in common are rejected before anything is sent', async () => {
  const { output } = await runShard({ SWEEP: '50' }, /./, { current: 1, total });
  expect(output).toContain('SWEEP=50 with --shard needs SWEEP_SEED, the same for all shards');
});
