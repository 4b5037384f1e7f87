import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { askInProcess } from '../harness/in-process-run.ts';
import type { Judging } from '../harness/judging.ts';
import { filesBelow, runSuite, type WholeRun } from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';
import { shardTarget } from './shard-target.ts';

test.setTimeout(180_000);

const canaries = new Canaries();
const { alter, below, settings } = shardTarget(canaries);

const verdictsOf = ({ requirements }: Conformance) =>
  requirements.map(({ address, verdict, reason }) => `${address}: ${verdict} ${reason ?? ''}`);

const read = (folder: string): Conformance =>
  JSON.parse(readFileSync(path.join(folder, 'conformance.json'), 'utf8'));

/** A run, or a part of one, in this process. */
const judgedAs = (url: string, name: string, judging?: Judging) =>
  askInProcess(settings(url, name), (judge) => judge(judging));

/** The shards of a run: Playwright makes the one in the middle, with every reporter, and what is beside it is left to the others. */
async function shardsOf(url: string, whole: Conformance): Promise<WholeRun[]> {
  const middle = await runSuite(settings(url, 's2'), ['--shard=2/3']);
  const judged = middle.conformance?.requirements.map(({ address }) => address) ?? [];
  const all = whole.requirements.map(({ address }) => address);
  const [from, to] = [all.indexOf(judged[0] ?? ''), all.indexOf(judged.at(-1) ?? '')];
  const part = (current: number, isIn: (index: number) => boolean) =>
    judgedAs(url, `s${current}`, {
      shard: { current, total: 3 },
      select: (addresses) => addresses.filter((address, index) => isIn(index) && !judged.includes(address)),
    });
  return [await part(1, (index) => index < from), middle, await part(3, (index) => index > to)];
}

test('three shards merged say what one run says, requirement by requirement', async () => {
  const mock = await startMock({ alter });
  const one = (await judgedAs(mock.url, 'whole')).conformance as Conformance;
  const shards = await shardsOf(mock.url, one);
  await mock.close();
  const selected = [...one.requirements, ...(one.gates ?? [])].map(({ address }) => address);
  for (const [index, { conformance, output }] of shards.entries()) {
    expect(conformance?.shard).toEqual({ current: index + 1, total: 3, complete: true, selected });
    expect(conformance?.requirements.length).toBeGreaterThan(one.requirements.length / 5);
    expect(conformance?.requirements.length).toBeLessThan(one.requirements.length / 2);
    expect(conformance?.selection).toBeUndefined();
    expect(output).toContain(`shard ${index + 1} of 3`);
  }
  for (const name of ['s1', 's3']) {
    mkdirSync(below(`${name}/allure-results`));
    writeFileSync(below(`${name}/allure-results/${name}-attachment.txt`), name);
  }
  const results = readdirSync(below('s2/allure-results')).filter((name) => name.endsWith('-result.json'));
  expect(results.length).toBeGreaterThanOrEqual(shards[1]?.conformance?.requirements.length ?? 0);
  const args = [...['s2', 's3', 's1'].map(below), '--output', below('all')];
  expect(await runCommand('reports/merge.ts', args)).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('FAIL: the target does not keep'),
  });
  const all = read(below('all'));
  expect(verdictsOf(all)).toEqual(verdictsOf(one));
  expect(all).toMatchObject({ verdict: one.verdict, target: one.target, contract: one.contract });
  expect(all.requests).toBe(shards.reduce((sum, { conformance }) => sum + (conformance?.requests ?? 0), 0));
  expect(all.shard).toBeUndefined();
  expect(all.findings.map(keyOf).sort()).toEqual(one.findings.map(keyOf).sort());
  expect(all.coverage.nodes).toEqual(one.coverage.nodes);
  for (const file of ['conformance.md', 'contract.html', 'allure-report/index.html', 'junit.xml'])
    expect(existsSync(below(`all/${file}`)), file).toBe(true);
  for (const name of ['s1', 's3'])
    expect(existsSync(below(`all/allure-results/${name}-attachment.txt`)), name).toBe(true);
  expect(canaries.leaksIn(filesBelow(below('all')))).toEqual([]);
});

const keyOf = ({ kind, requirement, pointer, exchange }: Conformance['findings'][number]) =>
  `${kind} ${requirement} ${pointer} ${exchange}`;
