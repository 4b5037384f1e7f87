import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { customers } from '../../../mock/customers.ts';
import { type Alter, startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { printsOfParts } from '../../../reports/merge/journal-prints.ts';
import { mergeShards } from '../../../reports/merge/merge-shards.ts';
import { withSweepsMerged } from '../../../reports/merge/merge-sweeps.ts';
import { readShardResults } from '../../../reports/merge/shard-results.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { shareOfTarget } from '../../sweep/divide.ts';
import type { SweepResult } from '../../sweep/results/result.ts';
import type { Shard } from '../../verdict/verdict.ts';
import { exampleTarget } from '../harness/examples.ts';
import { askInProcess, runInProcess } from '../harness/in-process-run.ts';
import { targetOf, type WholeRun } from '../harness/whole-run.ts';
import { sweepMock } from './sweep-run.ts';

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
  // Ordinary requests are sent several at a time: their findings come in the order of the responses.
  findings: new Set(findings.filter(({ operation }) => operation !== 'getCustomer')),
  // A connection may be reset under either, and the request sent again.
  notes: notes.filter((note) => !note.startsWith('repeated ')),
  ...{ observed, gates },
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
  const contract = loadContract();
  const left = readShardResults(
    contract,
    shards.map(({ reportsDir }) => reportsDir),
    reports,
  );
  const merged = await withSweepsMerged(contract, mergeShards(contract, reports), left, reports);
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
  const some = reports.slice(1);
  const lacking = await withSweepsMerged(contract, mergeShards(contract, some), left.slice(1), some);
  expect(lacking.verdict).toBe('error');
  expect(lacking.notes[0]).toContain('shard 1 of 3 is missing');
  expect(lacking.sweeps?.[0]?.population).toBeUndefined();
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

test('of shards that divide what is asked, each has its share of the rate, and the first one sends the probes', () => {
  const target = exampleTarget({ sweep: 'all', maxRps: 10, probes: true, fuzzRequests: 5 });
  const shares = [1, 2].map((current) => shareOfTarget(target, { current, total: 2 }));
  expect(shares).toMatchObject([
    { maxRps: 5, probes: true, fuzzRequests: 5 },
    { maxRps: 5, probes: false, fuzzRequests: 0 },
  ]);
  const whole = exampleTarget({ maxRps: 10, probes: true });
  expect(shareOfTarget(whole, { current: 2, total: 2 })).toEqual(whole);
});
