import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { mergeShards } from '../../../reports/merge/merge-shards.ts';
import { withUnreported } from '../../../reports/merge/read-shards.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Changes } from '../../verdict/changes.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { shardOf } from './shard-reports.ts';

let whole: Conformance;
let shards: [Conformance, Conformance, Conformance];

test.beforeAll(async () => {
  whole = (await runInProcess()).conformance as Conformance;
});
test.beforeEach(() => {
  shards = [shardOf(whole, 1, 3), shardOf(whole, 2, 3), shardOf(whole, 3, 3)];
});

const merged = () => mergeShards(loadContract(), shards);

test('a run that was ended before it could report makes an error of all, though each shard is there', () => {
  const { verdict, notes } = withUnreported(merged(), ['/home/somebody/s4']);
  expect(verdict).toBe('error');
  expect(notes[0]).toMatch(/^the folder s4 holds no conformance.json: /);
});

test('where nothing of what was selected was exercised, all come to an error, as one run does', () => {
  for (const { requirements } of shards)
    for (const requirement of requirements) Object.assign(requirement, { verdict: 'not exercised' });
  expect(merged().verdict).toBe('error');
});

test('of an error without a reason a shard did not come to its end, unless it says that it did', () => {
  Object.assign(shards[1], { verdict: 'error' });
  expect(merged()).toMatchObject({ verdict: 'error', notes: ['shard 2: it did not come to its end'] });
  const [gate] = shards[0].gates ?? [];
  Object.assign(gate ?? {}, { verdict: 'error' });
  Object.assign(shards[1], { verdict: 'pass' });
  Object.assign(shards[0], { verdict: 'error', shard: { current: 1, total: 3, complete: true } });
  expect(merged()).toMatchObject({ verdict: 'error', notes: whole.notes });
});

test('three requirements that no shard has judged are named, and no more are counted', () => {
  const named = shards[1].requirements.splice(0, 3).map(({ address }) => address);
  expect(merged().notes[0]).toBe(`no shard has judged what was selected: ${named.join(', ')}`);
});

test('the coverage is the largest, and the time lasts to the end of the last shard', () => {
  const [first, second, third] = shards;
  Object.assign(first.coverage.nodes, { exercised: 1 });
  for (const shard of shards) Object.assign(shard, { startedAt: '2026-11-22T10:00:00.000Z' });
  for (const [shard, durationMs] of [
    [first, 5000],
    [second, 9000],
    [third, 7000],
  ] as const)
    Object.assign(shard, { durationMs });
  expect(merged()).toMatchObject({ coverage: whole.coverage, durationMs: 9000 });
});

test('of a gate that --repeat-each repeats the worse verdict counts, and what has changed is said once', () => {
  const selected = [...whole.requirements, ...(whole.gates ?? [])].map(({ address }) => address);
  const gates = structuredClone(whole.gates ?? []);
  const again = shards[0].requirements[0] as Conformance['requirements'][number];
  const since: Changes['since'] = { ...whole, startedAt: '2026-01-01T00:00:00.000Z' };
  const changes = { since, broken: [], mended: [again.address], newlyExercised: [], noLongerExercised: [] };
  for (const shard of shards)
    Object.assign(shard, {
      changes,
      shard: { ...shard.shard, selected: [...selected, ...selected] },
    });
  const last = gates.at(-1);
  Object.assign(last ?? {}, { verdict: 'fail' });
  Object.assign(shards[1], {
    gates: [last],
    verdict: 'fail',
    requirements: [...shards[1].requirements, again],
  });
  expect(merged()).toMatchObject({ verdict: 'fail', gates, changes: { mended: [again.address] } });
  const [other] = shards[2].requirements;
  shards[1].requirements.push(other as Conformance['requirements'][number]);
  for (const { shard } of shards)
    Object.assign(shard ?? {}, { selected: [...selected, again.address, last?.address] });
  expect(merged).toThrow(`shards 2 and 3 have both judged ${other?.address}`);
  shards[1].requirements.pop();
  Object.assign(shards[2], { changes: undefined });
  expect(merged().changes).toBeUndefined();
});

test('shards of another contract than this one are rejected', () => {
  for (const shard of shards) Object.assign(shard, { contract: '000000000000' });
  expect(merged).toThrow(`the shards are of contract 000000000000, and this is ${whole.contract}`);
});

test('of many missing shards twenty are named, and the others counted', () => {
  for (const shard of shards) Object.assign(shard, { shard: { ...shard.shard, total: 25 } });
  const { notes } = merged();
  expect(notes.slice(19, 21)).toEqual([
    expect.stringMatching(/^shard 23 of 25 is missing/),
    '2 more shards are missing',
  ]);
});
