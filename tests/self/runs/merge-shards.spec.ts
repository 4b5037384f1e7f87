import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { contradictionIn } from '../../../reports/contradictions.ts';
import { mergeShards } from '../../../reports/merge/merge-shards.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { shardOf } from './shard-reports.ts';

test.describe('merging', () => {
  let shards: Conformance[];
  let whole: Conformance;

  test.beforeAll(async () => {
    whole = (await runInProcess()).conformance as Conformance;
  });
  test.beforeEach(() => {
    shards = [1, 2, 3].map((current) => shardOf(whole, current, 3));
  });

  test('all of a conforming target pass', () => {
    const merged = mergeShards(loadContract(), shards);
    expect(merged).toMatchObject({ verdict: 'pass', requirements: whole.requirements });
    expect(merged).toMatchObject({ notes: whole.notes, gates: whole.gates });
    expect(merged.selection).toBeUndefined();
  });

  test('a missing shard is said, and nothing sure is', () => {
    shards.splice(1, 1);
    const { verdict, notes } = mergeShards(loadContract(), shards);
    expect(verdict).toBe('error');
    expect(notes[0]).toBe('shard 2 of 3 is missing: nothing is known of its requirements');
  });

  test('a shard that could not begin makes an error of all', () => {
    const unable = { verdict: 'error', requests: 0, notes: ['BASE_URL is not a URL'] };
    Object.assign(shards[2] as Conformance, unable);
    const { verdict, notes } = mergeShards(loadContract(), shards);
    expect(verdict).toBe('error');
    expect(notes).toContain('shard 3: BASE_URL is not a URL');
  });

  test('a shard that fails for a reason of its own makes all fail', () => {
    Object.assign(shards[0] as Conformance, { verdict: 'fail' });
    expect(mergeShards(loadContract(), shards).verdict).toBe('fail');
  });

  test('what one shard did not see, and what another saw differently, is in the answers of all', () => {
    const [one, other, third] = shards.map(({ observed }) => observed);
    const first = one?.[0] as Conformance['observed'][number];
    Object.assign(first, { confidence: 'unknown', answer: 'not asked' });
    Object.assign(other?.[0] ?? {}, { confidence: 'certain', answer: 'yes' });
    Object.assign(third?.[0] ?? {}, { confidence: 'certain', answer: 'no' });
    const { observed } = mergeShards(loadContract(), shards);
    expect(observed[0]).toMatchObject({ id: first.id, answer: 'yes', confidence: 'likely' });
    expect(observed[0]?.evidence.at(-1)).toBe('another shard got: no');
    expect(observed.slice(1)).toEqual(whole.observed.slice(1));
  });

  test('a shard that did not come to its end makes an error of all', () => {
    const shard = { current: 3, total: 3, complete: false };
    Object.assign(shards[2] as Conformance, { verdict: 'error', shard, notes: ['interrupted'] });
    const { verdict, notes, selection } = mergeShards(loadContract(), shards);
    expect({ verdict, selection }).toEqual({ verdict: 'error', selection: undefined });
    expect(notes).toContain('shard 3: interrupted');
  });

  test('what no shard has judged makes an error of all, unless nobody has selected it', () => {
    const [odd] = shards[1]?.requirements.splice(3, 1) ?? [];
    const { verdict, notes } = mergeShards(loadContract(), shards);
    expect(verdict).toBe('error');
    expect(notes[0]).toBe(`no shard has judged what was selected: ${odd?.address}`);
    const judged = shards.flatMap(({ requirements }) => requirements.map(({ address }) => address));
    for (const { shard } of shards) Object.assign(shard ?? {}, { selected: judged });
    const { length: total } = whole.requirements;
    expect(mergeShards(loadContract(), shards)).toMatchObject({
      verdict: 'pass',
      selection: { selected: total - 1, total },
    });
  });

  test('where no requirement was selected, the requests decide, as in one run', () => {
    const [one, ...others] = shards as [Conformance, ...Conformance[]];
    for (const each of shards) Object.assign(each, { requirements: [], findings: [] });
    for (const { shard } of shards) Object.assign(shard ?? {}, { selected: [], complete: true });
    for (const gates of [one.gates, []]) {
      const merged = mergeShards(loadContract(), [{ ...one, gates: gates ?? [] }, ...others]);
      expect(merged).toMatchObject({ verdict: 'pass', selection: { selected: 0 } });
      expect(contradictionIn(merged)).toBeUndefined();
    }
    for (const { coverage } of shards) coverage.nodes.exercised = 0;
    expect(mergeShards(loadContract(), shards).verdict).toBe('error');
  });

  test('shards that were to judge different things are rejected', () => {
    const selected = whole.requirements.map(({ address }) => address);
    for (const { shard } of shards) Object.assign(shard ?? {}, { selected });
    Object.assign(shards[1]?.shard ?? {}, { selected: [...selected, 'run/coverage'] });
    expect(() => mergeShards(loadContract(), shards)).toThrow(
      'shard 2 was to judge run/coverage, and shard 1 was not: run all with the same variables',
    );
  });

  test('what two shards have judged, or no contract has, is rejected', () => {
    const [first, other] = shards.map(({ requirements }) => requirements);
    const again = first?.[0] as Conformance['requirements'][number];
    other?.push(again);
    expect(() => mergeShards(loadContract(), shards)).toThrow(
      `shards 1 and 2 have both judged ${again.address}: they are not of one run`,
    );
    other?.splice(-1, 1, { ...again, address: 'getCard/nothing' });
    expect(() => mergeShards(loadContract(), shards)).toThrow(
      'shard 2 has judged getCard/nothing, which is no requirement of this contract',
    );
  });

  test('of what --repeat-each repeats in two shards, the worse verdict counts, once', () => {
    const selected = whole.requirements.map(({ address }) => address);
    for (const { shard } of shards) Object.assign(shard ?? {}, { selected: [...selected, ...selected] });
    const [one, other] = shards as [Conformance, Conformance];
    const [again] = structuredClone(one.requirements) as [Conformance['requirements'][number]];
    other.requirements.push(again);
    expect(mergeShards(loadContract(), shards)).toMatchObject({
      verdict: 'pass',
      requirements: whole.requirements,
    });
    const finding = { requirement: again.address, kind: 'violation', exchange: 1 };
    Object.assign(again, { verdict: 'violation' });
    Object.assign(other, { verdict: 'fail', findings: [finding] });
    for (const order of [shards, shards.toReversed()]) {
      const merged = mergeShards(loadContract(), order);
      const named = merged.requirements.filter(({ address }) => address === again.address);
      expect(named).toEqual([again]);
      expect(merged.findings).toEqual([finding]);
    }
    Object.assign(one.requirements[0] ?? {}, { verdict: 'violation' });
    Object.assign(one, { verdict: 'fail', findings: [{ ...finding, exchange: 2 }] });
    expect(mergeShards(loadContract(), shards)).toMatchObject({
      verdict: 'fail',
      requirements: { length: whole.requirements.length },
      findings: { length: 1 },
    });
  });

  test('shards of different days say so', () => {
    Object.assign(shards[1] as Conformance, { startedAt: '2026-11-22T01:00:00+02:00' });
    Object.assign(shards[0] as Conformance, { startedAt: '2026-11-21T22:59:00Z' });
    Object.assign(shards[2] as Conformance, { startedAt: '2026-11-22T23:00:01Z' });
    expect(mergeShards(loadContract(), shards)).toMatchObject({
      startedAt: '2026-11-21T22:59:00Z',
      notes: ['the shards are of different days: shard 1 on 2026-11-21, shard 3 on 2026-11-22'],
    });
  });

  const different: [name: string, change: Partial<Conformance>, says: string][] = [
    ['another target', { target: 'production' }, 'different targets: mock, production'],
    ['a target that is no mock', { mock: false }, 'different targets: the embedded mock, mock'],
    ['another profile', { profile: 'documented' }, 'different profiles: observed, documented'],
    ['another contract', { contract: '000000000000' }, 'different contracts'],
    ['another number of shards', { shard: { current: 3, total: 4 } }, 'parts of different numbers: 3, 4'],
    ['a shard twice', { shard: { current: 2, total: 3 } }, 'shard 2 is given twice'],
  ];
  for (const [name, change, says] of different) {
    test(`${name} is rejected`, () => {
      Object.assign(shards[2] as Conformance, change);
      expect(() => mergeShards(loadContract(), shards)).toThrow(says);
    });
  }

  test('the command rejects a shard that contradicts itself', async () => {
    const folder = test.info().outputPath('shard');
    mkdirSync(folder, { recursive: true });
    const shard = { ...shards[0], verdict: 'fail' };
    writeFileSync(path.join(folder, 'conformance.json'), JSON.stringify(shard));
    const says = /^merge: \S+conformance\.json contradicts itself: its verdict is fail, but .*\n$/;
    const merged = await runCommand('reports/merge.ts', [folder, '--output', test.info().outputPath('all')]);
    expect(merged).toMatchObject({ status: 2, stderr: expect.stringMatching(says) });
  });

  test('a whole run is rejected', () => {
    expect(() => mergeShards(loadContract(), [whole])).toThrow('a report is of a whole run, not of a shard');
  });
});
