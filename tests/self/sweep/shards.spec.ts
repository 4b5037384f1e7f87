import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { customers } from '../../../mock/customers.ts';
import { type Alter, startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { askInProcess, runInProcess } from '../harness/in-process-run.ts';
import { type Environment, targetOf } from '../harness/whole-run.ts';
import { planted } from '../proof/named-faults.ts';
import { sweepMock } from './sweep-run.ts';

test.setTimeout(120_000);

const below = (name: string) => test.info().outputPath(name);
const read = (name: string): Conformance =>
  JSON.parse(readFileSync(path.join(below(name), 'conformance.json'), 'utf8'));

/** Runs a shard, which leaves its reports in `s1` and so on: of each requirement the tests of every third are its own. */
async function runShard(env: Environment, current: number, total = 3) {
  const shard = { current, total };
  const select = (all: string[]) => all.filter((_, index) => index % total === current - 1);
  return askInProcess({ ...env, REPORTS_DIR: below(`s${current}`) }, (judge) => judge({ shard, select }));
}

const merge = (...names: string[]) =>
  runCommand('reports/merge.ts', [...names.map(below), '--output', below('all')]);

/** Customer 1,500 has the identity of the tenth, which another shard sees. */
const withUuidAgain: Alter = (answer, { operation, parameters: { offset = '0' } }) => {
  const { data } = (answer.body ?? {}) as { data?: { customers?: { uuid: string }[] } };
  const customer = operation === 'listCustomers' ? data?.customers?.[1499 - Number(offset)] : undefined;
  if (customer) customer.uuid = customers[9]?.customer.uuid ?? '';
  return answer;
};

const faults = [planted('customer: phone is null', 401), planted('customer: dial_code is missing', 99)];

/** What a report says, but for times, requests, and the order and first requests of findings. */
const facts = ({ verdict, requirements, sweeps, findings, observed, gates, notes }: Conformance) => ({
  ...{ verdict, sweeps, observed, gates, notes },
  // Each shard looks up a customer of each form that its pages show: of lookups only the verdicts are the same.
  requirements: requirements.map(({ since: _, ...one }) =>
    isLookup(one) ? [one.address, one.verdict] : one,
  ),
  findings: new Set(
    findings
      .filter((one) => !isLookup(one))
      .map(({ kind, requirement, actual, places }) => `${kind} ${requirement} ${actual} ${places}`),
  ),
});

const isLookup = ({ operation }: { operation: string }) => operation === 'getCustomer';

test('shards divide the pages and the tests, and merged they say what one run says', async () => {
  const mock = await startMock({ population: { customers: 2000, faults }, alter: withUuidAgain });
  const gates = { MIN_COVERAGE: '90', FAIL_ON: 'unjudged,server-errors,drift,undeclared' };
  const env = { ...targetOf(mock.url), TARGET_NAME: 'staging', SWEEP: 'all', ...gates };
  await runInProcess({ ...env, REPORTS_DIR: below('whole') });
  mock.requests.length = 0;
  for (const current of [2, 1, 3]) await runShard(env, current);
  await mock.close();
  expect(read('s2').sweeps).toMatchObject([
    { judged: 700, population: 2000, shard: { current: 2, total: 3 } },
  ]);
  mkdirSync(below('s2/allure-results'));
  writeFileSync(below('s2/allure-results/attachment.txt'), 's2');
  const merged = await merge('s3', 's1', 's2');
  expect(merged).toMatchObject({ status: 1, stdout: expect.stringContaining('does not keep the contract') });
  expect(facts(read('all'))).toEqual(facts(read('whole')));
  const parts = ['s1', 's2', 's3'].map(read);
  const ends = parts.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs);
  expect(read('all')).toMatchObject({
    requests: parts.reduce((sum, { requests }) => sum + requests, 0),
    startedAt: parts[1]?.startedAt,
    durationMs: Math.max(...ends) - Date.parse(parts[1]?.startedAt ?? ''),
  });
  const unique = read('all').requirements.find(({ address }) => address.endsWith('uuid-is-unique'));
  expect(unique).toMatchObject({ verdict: 'violation', swept: { broken: 1, first: [1500] } });
  for (const file of ['conformance.md', 'contract.html', 'allure-report/index.html', 'junit.xml'])
    expect(existsSync(below(`all/${file}`)), file).toBe(true);
  expect(existsSync(below('all/allure-results/attachment.txt'))).toBe(true);
  expect(readFileSync(below('all/contract.html'), 'utf8')).toContain('allure-report/index.html');
  expect(await merge('s1', 's3')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('of 3 shards, 2 are missing'),
  });
  expect(read('all').verdict).toBe('error');
  const rejected: [names: string[], says: string][] = [
    [['s1', 's1'], 'shard 1 is given twice'],
    [['s1', 'whole'], 'is of a whole run, not of a shard'],
    [['s1', 'all'], '--output must be another folder'],
    [['nowhere'], 'holds no conformance.json'],
    [[], 'usage: npm run merge'],
  ];
  for (const [names, says] of rejected)
    expect(await merge(...names)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(says),
    });
  const file = path.join(below('s2'), 'conformance.json');
  const own = read('s2');
  const mergedWith = (edit: object) => {
    writeFileSync(file, JSON.stringify({ ...own, ...edit }));
    return merge('s1', 's2', 's3');
  };
  const edits: [edit: object, says: string][] = [
    [{ target: 'production' }, 'different targets: staging, production'],
    [{ contract: '000000000000' }, 'different contracts'],
    [{ profile: 'documented' }, 'different profiles'],
    [{ suite: '9.9.9' }, 'different versions of the suite'],
    [{ mock: true }, 'different targets: staging, the embedded mock'],
    [{ shard: { current: 2, total: 4, complete: true } }, 'different numbers of shards: 3, 4'],
  ];
  for (const [edit, says] of edits)
    expect(await mergedWith(edit)).toMatchObject({ status: 2, stderr: expect.stringContaining(says) });
  // Rendering takes its time.
  rmSync(below('s2/allure-results'), { recursive: true });
  const shard = { current: 2, total: 3, complete: false };
  expect(await mergedWith({ verdict: 'error', notes: ['interrupted'], shard })).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('shard 2 did not come to its end: interrupted'),
  });
  const other = { contract: '000000000000' };
  for (const name of ['s1', 's3'])
    writeFileSync(path.join(below(name), 'conformance.json'), JSON.stringify({ ...read(name), ...other }));
  const says = /the shards are of contract 0{12}, and this is/;
  expect(await mergedWith(other)).toMatchObject({ status: 2, stderr: expect.stringMatching(says) });
  rmSync(below('s3/observations'), { recursive: true });
  const lacking = expect.stringContaining('s3 holds no results of a run: merge needs the whole of');
  expect(await merge('s1', 's3')).toMatchObject({ status: 2, stderr: lacking });
});

test('shards that were swept at different addresses are rejected', async () => {
  for (const current of [1, 2]) {
    const mock = await startMock({ population: { customers: 300 } });
    await runShard({ ...targetOf(mock.url), TARGET_NAME: 'staging', SWEEP: 'all' }, current, 2);
    await mock.close();
  }
  mkdirSync(below('all'));
  writeFileSync(below('all/conformance.json'), '{"verdict":"pass"}');
  expect(await merge('s1', 's2')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('run all with the same TARGET_NAME and BASE_URL'),
  });
  expect(existsSync(below('all/conformance.json'))).toBe(false);
});

const recording = (name: string) => fileURLToPath(new URL(`../traffic/recordings/${name}`, import.meta.url));

test('shards divide the files of recorded traffic, and merged they say what one run says', async () => {
  const TRAFFIC = ['mitmproxy-conforming.har', 'playwright-embed-conforming.har'].map(recording).join();
  const { code } = await runInProcess({ TRAFFIC, REPORTS_DIR: below('whole') });
  for (const current of [1, 2]) await runShard({ TRAFFIC }, current, 2);
  expect((await merge('s1', 's2')).status).toBe(code);
  const verdicts = ({ requirements }: Conformance) =>
    requirements.map(({ address, verdict }) => `${address} ${verdict}`);
  expect(verdicts(read('all'))).toEqual(verdicts(read('whole')));
  expect(read('all').traffic).toEqual(read('whole').traffic);
});

test('shards whose recordings hold the same responses add no record more often than one run does', async () => {
  const name = 'playwright-embed-conforming.har';
  copyFileSync(recording(name), below('copy.har'));
  const TRAFFIC = [recording(name), below('copy.har')].join();
  await runInProcess({ TRAFFIC, REPORTS_DIR: below('whole') });
  for (const current of [1, 2]) await runShard({ TRAFFIC }, current, 2);
  await merge('s1', 's2');
  const [merged, whole] = [read('all'), read('whole')];
  expect(merged.coverage).toEqual(whole.coverage);
  // Only the one run compares a record of the first file with the same record of the second.
  const differences = merged.requirements.filter(
    ({ exercised }, index) => exercised !== whole.requirements[index]?.exercised,
  );
  expect(differences.map(({ address, exercised }) => [address, exercised])).toEqual([
    ['getCard/rules/card-is-constant', 2],
  ]);
});

test('shards draw one sample between them', async () => {
  const env = { SWEEP: '90:5' };
  const options = { population: { customers: 2000 } };
  const singles = ({ sent }: { sent: { path: string }[] }) =>
    new Set(sent.map((one) => one.path).filter((one) => /limit=1&offset=[1-9]/.test(one)));
  const whole = singles(await sweepMock(options, { env }));
  const shards = [];
  for (const current of [1, 2, 3])
    shards.push(await sweepMock(options, { env, shard: { current, total: 3 } }));
  expect(shards.map(({ summary }) => summary.judged)).toEqual([30, 30, 30]);
  expect(shards.every(({ said }) => said.includes(': 30 more requests, shard'))).toBe(true);
  expect(new Set(shards.flatMap((shard) => [...singles(shard)]))).toEqual(whole);
});

test('shards of recordings with nothing to divide, or of a sample without a seed in common, are rejected before anything is sent', async () => {
  const output = async (env: Environment) => (await runShard(env, 1)).output;
  expect(await output({ TRAFFIC: recording('mitmproxy-faulty.har') })).toContain(
    '--shard divides the files of TRAFFIC, and there is none for each of 3 shards: use fewer shards',
  );
  expect(await output({ SWEEP: '50' })).toContain(
    'SWEEP=50 with --shard needs a seed, as SWEEP=50:42, the same for all shards',
  );
});
