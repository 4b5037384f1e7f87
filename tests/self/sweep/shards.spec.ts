import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { customers } from '../../../mock/customers.ts';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { type Alter, startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { sumSweeps } from '../../../src/sweep/merge.ts';
import { restrictToShard } from '../../../src/sweep/shards.ts';
import { computeShare, summarizeSweep } from '../../../src/sweep/summary.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { judgeInProcess, runInProcess } from '../harness/in-process-run.ts';
import { configureTarget, type Environment, type WholeRun } from '../harness/whole-run.ts';
import { createPopulation } from '../mock/population.ts';
import { createPlantedFault } from '../proof/named-faults.ts';
import { sweepList, sweepMock } from './sweep-run.ts';

test.setTimeout(120_000);

const folderPath = (name: string) => test.info().outputPath(name);
const readReport = (name: string): Conformance =>
  JSON.parse(readFileSync(path.join(folderPath(name), 'conformance.json'), 'utf8'));

async function runShard(env: Environment, current: number, total = 3): Promise<WholeRun> {
  const shard = { current, total };
  const select = (addresses: string[]) => addresses.filter((_, index) => index % total === current - 1);
  const shardEnv = { ...env, REPORTS_DIR: folderPath(`s${current}`) };
  return judgeInProcess(shardEnv, (judge) => judge({ shard, select }));
}

const merge = (...names: string[]) =>
  runCommand('reports/merge.ts', [...names.map(folderPath), '--output', folderPath('all')]);

/** Gives customer 1,500 the `uuid` of customer 10. */
const withSharedUuid: Alter = (response, { operation, parameters: { offset = '0' } }) => {
  // Different shards request the pages of the two.
  if (operation !== 'listCustomers') return response;
  const { data } = (response.body ?? {}) as { data?: { customers?: { uuid: string }[] } };
  const indexOnPage = 1499 - Number(offset);
  const customer1500 = data?.customers?.[indexOnPage];
  if (customer1500) customer1500.uuid = customers[9]?.customer.uuid ?? '';
  return response;
};

const customer = 'listCustomers/data/customers/*';
const faults = [
  createPlantedFault('customer: phone is null', 401),
  createPlantedFault('customer: dial_code is missing', 99),
];

/** Selects what a single run and merged shards must report equally. */
function selectShared({ verdict, requirements, sweeps, findings, observed, gates, notes }: Conformance) {
  const comparedRequirements = requirements.map(({ since: _, ...result }) => {
    // Shards look up other customers than a single run. The results for a lookup then differ, except for the verdict.
    if (isLookup(result)) return [result.address, result.verdict];
    return result;
  });
  const comparedFindings = findings
    .filter((finding) => !isLookup(finding))
    .map(({ kind, requirement, actual, places }) => `${kind} ${requirement} ${actual} ${places}`);
  return {
    verdict,
    sweeps,
    observed,
    gates,
    notes,
    requirements: comparedRequirements,
    findings: new Set(comparedFindings),
  };
}

function sumNumbers(reports: Conformance[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { schemaVersion: _, durationMs: __, ...fields } of reports)
    for (const [name, value] of Object.entries(fields))
      if (typeof value === 'number') sums[name] = (sums[name] ?? 0) + value;
  return sums;
}

const isLookup = ({ operation }: { operation: string }) => operation === 'getCustomer';

test('the merged reports of shards that divide pages and tests are those of one run', async () => {
  const mock = await startMock({
    store: createPopulation({ customers: 2000, faults }),
    alter: withSharedUuid,
  });
  const gates = { MIN_COVERAGE: '90', FAIL_ON: 'unjudged,server-errors,drift,undeclared' };
  const env = { ...configureTarget(mock.url), TARGET_NAME: 'staging', SWEEP: 'all', ...gates };
  await runInProcess({ ...env, REPORTS_DIR: folderPath('whole') });
  mock.requests.length = 0;
  for (const current of [2, 1, 3]) await runShard(env, current);
  await mock.close();
  expect(readReport('s2').sweeps).toMatchObject([
    { judged: 700, population: 2000, shard: { current: 2, total: 3 } },
  ]);
  mkdirSync(folderPath('s2/allure-results'));
  writeFileSync(folderPath('s2/allure-results/attachment.txt'), 's2');
  const merged = await merge('s3', 's1', 's2');
  expect(merged).toMatchObject({ status: 1, stdout: expect.stringContaining('violates the contract') });
  expect(selectShared(readReport('all'))).toEqual(selectShared(readReport('whole')));
  const parts = ['s1', 's2', 's3'].map(readReport);
  const ends = parts.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs);
  expect(readReport('all')).toMatchObject({
    ...sumNumbers(parts),
    startedAt: parts[1]?.startedAt,
    durationMs: Math.max(...ends) - Date.parse(parts[1]?.startedAt ?? ''),
  });
  const unique = readReport('all').requirements.find(({ address }) => address.endsWith('uuid-is-unique'));
  expect(unique).toMatchObject({ verdict: 'violation', swept: { broken: 1, first: [1500] } });
  for (const file of ['conformance.md', 'contract.html', 'allure-report/index.html', 'junit.xml'])
    expect(existsSync(folderPath(`all/${file}`)), file).toBe(true);
  expect(existsSync(folderPath('all/allure-results/attachment.txt'))).toBe(true);
  expect(readFileSync(folderPath('all/contract.html'), 'utf8')).toContain('allure-report/index.html');
  const customTests = [{ title: 'a test of the team', failed: true }];
  writeFileSync(folderPath('s3/conformance.json'), JSON.stringify({ ...readReport('s3'), customTests }));
  expect(await merge('s1', 's3')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('of 3 shards, these are missing: 2; name'),
  });
  expect(readReport('all').verdict).toBe('error');
  expect(readReport('all').gates).toContainEqual(
    expect.objectContaining({ address: 'run/custom-tests', actual: '1 failed: a test of the team' }),
  );
  const mistakes: [names: string[], message: string][] = [
    [['s1', 's1'], 'shard 1 is given twice'],
    [['s1', 'whole'], 'is of a whole run, not of a shard'],
    [['s1', 'all'], '--output must be another folder'],
    [['nowhere'], 'holds no conformance.json'],
    [[], 'usage: npm run merge'],
  ];
  for (const [names, message] of mistakes)
    expect(await merge(...names)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  const file = path.join(folderPath('s2'), 'conformance.json');
  const report = readReport('s2');
  const mergeEdited = (edit: object) => {
    writeFileSync(file, JSON.stringify({ ...report, ...edit }));
    return merge('s1', 's2', 's3');
  };
  const edits: [edit: object, message: string][] = [
    [{ target: 'production' }, 'different targets: staging, production'],
    [{ contract: '000000000000' }, 'different contracts'],
    [{ profile: 'documented' }, 'different profiles'],
    [{ ledger: '000000000000' }, 'different ledgers'],
    [{ suite: '9.9.9' }, 'different versions of the suite'],
    [{ mock: true }, 'different targets: staging, the embedded mock'],
    [{ shard: { current: 2, total: 4, complete: true } }, 'different numbers of shards: 3, 4'],
  ];
  for (const [edit, message] of edits)
    expect(await mergeEdited(edit)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  // Without results of Allure, a merge is faster.
  rmSync(folderPath('s2/allure-results'), { recursive: true });
  const shard = { current: 2, total: 3, complete: false };
  expect(await mergeEdited({ verdict: 'error', notes: ['interrupted'], shard })).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('shard 2 is incomplete: interrupted'),
  });
  await mergeEdited({ incomplete: true });
  expect(readReport('all')).toMatchObject({ verdict: 'fail', incomplete: true });
  const otherContract = { contract: '000000000000' };
  for (const name of ['s1', 's3'])
    writeFileSync(
      path.join(folderPath(name), 'conformance.json'),
      JSON.stringify({ ...readReport(name), ...otherContract }),
    );
  const message = /the shards were judged by contract 0{12}, but spec/;
  expect(await mergeEdited(otherContract)).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(message),
  });
  rmSync(folderPath('s3/observations'), { recursive: true });
  const lacking = expect.stringContaining('s3 holds no results of a run: merge needs the whole of');
  expect(await merge('s1', 's3')).toMatchObject({ status: 2, stderr: lacking });
});

test('a violation that only a later shard has seen is in the merged report', async () => {
  let isFaulty = false;
  const alter: Alter = (response, { operation }) =>
    isFaulty && operation === 'listCustomers'
      ? { ...response, body: { ...(response.body as object), message: 7 } }
      : response;
  const mock = await startMock({ alter });
  const env = { ...configureTarget(mock.url), TARGET_NAME: 'staging' };
  await runShard(env, 1, 2);
  isFaulty = true;
  await runShard(env, 2, 2);
  await mock.close();
  expect(await merge('s1', 's2')).toMatchObject({ status: 1 });
  const violations = readReport('all').requirements.filter(({ verdict }) => verdict === 'violation');
  expect(violations.map(({ address }) => address)).toEqual(['listCustomers/message']);
});

test('the merged reports say which identifiers were not set, as those of one run do', async () => {
  const mock = await startMock();
  const env = { ...configureTarget(mock.url), TARGET_NAME: 'staging', CARD_IDS: '' };
  await runInProcess({ ...env, REPORTS_DIR: folderPath('whole') });
  for (const current of [1, 2]) await runShard(env, current, 2);
  await mock.close();
  await merge('s1', 's2');
  const [merged, single] = [readReport('all'), readReport('whole')];
  expect(merged.notes).toEqual(['CARD_IDS is not set: requirements that need it are not exercised']);
  expect({ notes: merged.notes, gates: merged.gates }).toEqual({ notes: single.notes, gates: single.gates });
});

test('the merged reports have the configuration of one run, unless a shard was configured otherwise', async () => {
  const mock = await startMock();
  const env = { ...configureTarget(mock.url), TARGET_NAME: 'staging' };
  await runInProcess({ ...env, REPORTS_DIR: folderPath('whole') });
  for (const current of [1, 2]) await runShard(env, current, 2);
  await merge('s1', 's2');
  const { configuration } = readReport('whole');
  expect(readReport('all').configuration).toBe(configuration);
  await runShard({ ...env, CARD_IDS: '' }, 2, 2);
  await mock.close();
  await merge('s1', 's2');
  const configurations = ['s1', 's2', 'all'].map((name) => readReport(name).configuration);
  expect(new Set(configurations).size).toBe(3);
});

test('shards that were swept at different addresses are rejected', async () => {
  for (const current of [1, 2]) {
    const mock = await startMock({ store: createPopulation({ customers: 300 }) });
    await runShard({ ...configureTarget(mock.url), TARGET_NAME: 'staging', SWEEP: 'all' }, current, 2);
    await mock.close();
  }
  mkdirSync(folderPath('all'));
  writeFileSync(folderPath('all/conformance.json'), '{"verdict":"pass"}');
  expect(await merge('s1', 's2')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('run all with the same TARGET_NAME and BASE_URL'),
  });
  expect(existsSync(folderPath('all/conformance.json'))).toBe(false);
});

test('shards that divide a list by different pages are rejected, because records would be missing', async () => {
  let maxLimit = Number.POSITIVE_INFINITY;
  const alter: Alter = (response, { parameters: { limit } }) =>
    Number(limit) > maxLimit ? { ...response, status: 502, body: 'Bad Gateway' } : response;
  const mock = await startMock({ store: createPopulation({ customers: 300 }), alter });
  const env = { ...configureTarget(mock.url), TARGET_NAME: 'staging', SWEEP: 'all' };
  await runShard(env, 1, 2);
  maxLimit = 50;
  await runShard(env, 2, 2);
  await mock.close();
  expect(await merge('s1', 's2')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('shard 1: pages of 100; shard 2: pages of 50. Run each shard again'),
  });
});

test('shards of a list of one page that grew between them are merged', async () => {
  const options = { TARGET_NAME: 'staging', SWEEP: 'all', MAX_RPS: '1000' };
  let customerCount = 60;
  const alter: Alter = (response, { operation, parameters: { offset = '0' } }) => {
    const { data } = (response.body ?? {}) as { data?: { customers?: unknown[] } };
    const remainingCount = Math.max(0, customerCount - Number(offset));
    if (operation === 'listCustomers') data?.customers?.splice(remainingCount);
    return response;
  };
  const mock = await startMock({ store: createPopulation({ customers: 61 }), alter });
  const env = { ...configureTarget(mock.url), ...options };
  await runShard(env, 1, 2);
  customerCount = 61;
  await runShard(env, 2, 2);
  await mock.close();
  expect((await merge('s1', 's2')).stderr).not.toContain('differently');
  expect(existsSync(folderPath('all/conformance.json'))).toBe(true);
});

test('shards that divide different files of identifiers are rejected', async () => {
  const [cardId = '', ...otherCardIds] = knownIdentifiers.CARD_IDS ?? [];
  writeFileSync(folderPath('all.txt'), [cardId, ...otherCardIds].join('\n'));
  writeFileSync(folderPath('some.txt'), otherCardIds.join('\n'));
  const mock = await startMock();
  const env = { ...configureTarget(mock.url), TARGET_NAME: 'staging' };
  await runShard({ ...env, CARD_IDS: `@${folderPath('all.txt')}` }, 1, 2);
  await runShard({ ...env, CARD_IDS: `@${folderPath('some.txt')}` }, 2, 2);
  await mock.close();
  const { status, stderr } = await merge('s1', 's2');
  expect(status).toBe(2);
  expect(stderr).toMatch(/shard 1: a file of 8 lines \(\S+\); shard 2: a file of 7 lines/);
});

test('a merge with a shard that has not swept what another one has is no pass', async () => {
  const mock = await startMock();
  const env = { ...configureTarget(mock.url), TARGET_NAME: 'staging' };
  await runShard({ ...env, SWEEP: 'all' }, 1, 2);
  await runShard(env, 2, 2);
  await mock.close();
  expect(await merge('s1', 's2')).toMatchObject({ status: 1 });
  expect(readReport('all').notes).toContain('shard 2 has not swept customers, as other shards have');
});

const recordingPath = (name: string) =>
  fileURLToPath(new URL(`../traffic/recordings/${name}`, import.meta.url));

test('the merged reports of shards that divide recordings are those of one run', async () => {
  const TRAFFIC = ['mitmproxy-conforming.har', 'playwright-embed-conforming.har'].map(recordingPath).join();
  const { code } = await runInProcess({ TRAFFIC, REPORTS_DIR: folderPath('whole') });
  for (const current of [1, 2]) await runShard({ TRAFFIC }, current, 2);
  expect((await merge('s1', 's2')).status).toBe(code);
  const verdicts = ({ requirements }: Conformance) =>
    requirements.map(({ address, verdict }) => `${address} ${verdict}`);
  expect(verdicts(readReport('all'))).toEqual(verdicts(readReport('whole')));
  expect(readReport('all').traffic).toEqual(readReport('whole').traffic);
});

test('the merged reports say once that a recording of a shard ends early', async () => {
  const recording = readFileSync(recordingPath('mitmproxy-conforming.har'), 'utf8');
  const cutFile = folderPath('cut.har');
  writeFileSync(cutFile, recording.slice(0, -20));
  const env = { TRAFFIC: `${cutFile},${recordingPath('mitmproxy-conforming.har')}` };
  for (const current of [1, 2]) await runShard(env, current, 2);
  expect((await merge('s1', 's2')).status).toBe(1);
  const { notes } = readReport('all');
  expect(notes.filter((note) => note.includes('ends early'))).toEqual([
    expect.stringMatching(/^shard 1 is incomplete: \[1\] ….har: ends early at byte \d+/),
  ]);
});

test('shards whose recordings hold the same responses count no record more often than one run', async () => {
  const name = 'playwright-embed-conforming.har';
  copyFileSync(recordingPath(name), folderPath('copy.har'));
  const TRAFFIC = [recordingPath(name), folderPath('copy.har')].join();
  await runInProcess({ TRAFFIC, REPORTS_DIR: folderPath('whole') });
  for (const current of [1, 2]) await runShard({ TRAFFIC }, current, 2);
  await merge('s1', 's2');
  const [merged, single] = [readReport('all'), readReport('whole')];
  expect(merged.coverage).toEqual(single.coverage);
  // Only the one run compares a record of the first file with the same record of the second.
  const differences = merged.requirements.filter(
    ({ exercised }, index) => exercised !== single.requirements[index]?.exercised,
  );
  expect(differences.map(({ address, exercised }) => [address, exercised])).toEqual([
    ['getCard/rules/card-is-constant', 2],
  ]);
});

test('the sum of shards says that the list changed if one shard has counted more records than another', async () => {
  const sumShards = async (firstPopulation: number, secondPopulation: number, SWEEP: string) => {
    const results = [];
    for (const [index, population] of [firstPopulation, secondPopulation].entries()) {
      const shard = { current: index + 1, total: 2 };
      results.push((await sweepList({ population, maxLimit: 10 }, { shard, env: { SWEEP } })).result);
    }
    const { shard: _, ...sum } = sumSweeps(results);
    return { summary: summarizeSweep(sum), share: computeShare(sum, `${customer}/uuid`, true) };
  };
  // The first shard has seen no customers at 201 to 210.
  const grown = await sumShards(200, 215, 'all');
  expect(grown.summary).toMatchObject({ judged: 205, moved: { repeated: 0, before: 200, after: 215 } });
  const shrunk = await sumShards(200, 185, 'all');
  expect(shrunk.summary).toMatchObject({ judged: 190, moved: { repeated: 0, before: 200, after: 190 } });
  // Two shards that count different numbers of records draw two samples.
  const sampled = await sumShards(200, 215, '60:5');
  expect(sampled.summary.moved).toMatchObject({ repeated: expect.any(Number), before: 215 });
  expect(sampled.share).not.toHaveProperty('upperBound');
  const unchanged = await sumShards(200, 200, '60:5');
  expect(unchanged.summary.moved).toBeUndefined();
  expect(unchanged.share).toHaveProperty('upperBound');
});

test('shards divide one sample', async () => {
  const env = { SWEEP: '90:5' };
  const options = { store: createPopulation({ customers: 2000 }) };
  const listSample = (sweep: { sent: { path: string }[] }) =>
    new Set(sweep.sent.map((request) => request.path).filter((text) => /limit=1&offset=[1-9]/.test(text)));
  const wholeSample = listSample(await sweepMock(options, { env }));
  const shards = [];
  for (const current of [1, 2, 3])
    shards.push(await sweepMock(options, { env, shard: { current, total: 3 } }));
  expect(shards.map(({ summary }) => summary.judged)).toEqual([30, 30, 30]);
  expect(shards.every((shard) => shard.output.includes(': 30 more requests, shard'))).toBe(true);
  expect(new Set(shards.flatMap((shard) => [...listSample(shard)]))).toEqual(wholeSample);
});

test('shards of too few recordings, or of a sample without a seed, are rejected before any request', async () => {
  const getOutput = async (env: Environment) => (await runShard(env, 1)).output;
  expect(await getOutput({ TRAFFIC: recordingPath('mitmproxy-faulty.har') })).toContain(
    '--shard divides the files of TRAFFIC, of which there are fewer than 3: use fewer shards',
  );
  expect(await getOutput({ SWEEP: '50' })).toContain(
    'SWEEP=50 with --shard needs a seed, as SWEEP=50:42, the same for all shards',
  );
});

test('each shard sends at its share of MAX_RPS', () => {
  const { target } = readConfiguration(
    { BASE_URL: 'https://staging.example.com', MAX_RPS: '8' },
    '/nonexistent',
  );
  expect(restrictToShard({ ...target, shard: { current: 2, total: 4 } }).maxRps).toBe(2);
  expect(restrictToShard(target).maxRps).toBe(8);
});
