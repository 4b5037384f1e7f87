import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { mergeShards } from '../../../reports/merge/merge-shards.ts';
import { withSweepsMerged } from '../../../reports/merge/merge-sweeps.ts';
import { withMergedChanges } from '../../../reports/merge/merged-changes.ts';
import { readShardResults } from '../../../reports/merge/shard-results.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { folderOf, left, merge, type SweptShards, sweepInTwo, total } from './swept-shards.ts';

let shards: SweptShards;

test.beforeAll(async () => {
  shards = await sweepInTwo();
});

test('shards of a sweep come to an error where one did not come to its end, or a test of it failed', async () => {
  const { one, other } = shards;
  const folder = folderOf();
  expect(await merge([one, other], folder)).toMatchObject({ verdict: 'pass', sweeps: [{ judged: 60 }] });
  const [first] = other.requirements;
  const failed = { ...other, requirements: [{ ...first, verdict: 'error' }, ...other.requirements.slice(1)] };
  expect((await merge([one, failed as Conformance], folder)).verdict).toBe('error');
  const unable = { requests: 0, requirements: [], notes: ['timed out'], verdict: 'error' as const };
  const cut: Conformance = { ...other, shard: { current: 2, total, complete: false }, ...unable };
  const said = { verdict: 'error', notes: ['shard 2: timed out'] };
  expect(await merge([one, cut], folder)).toMatchObject(said);
  rmSync(path.join(folder, 'observations'), { recursive: true });
  expect(await merge([one, cut], folder)).toMatchObject(said);
});

test('what has changed, and since when, is said as of a whole run', async () => {
  const { one, other } = shards;
  const broken = one.requirements[0]?.address ?? '';
  const earlier = '2026-01-01T00:00:00.000Z';
  const folder = folderOf();
  const was = await merge([one, other], folder);
  const requirements = was.requirements.map((requirement) => ({
    ...requirement,
    since: earlier,
    ...(requirement.address === broken ? { verdict: 'violation' } : {}),
  }));
  const { target, profile, contract, verdict } = was;
  const since = { target, profile, startedAt: '2026-01-02T00:00:00.000Z', contract, verdict };
  const all = requirements.map(({ address }) => address);
  const changes = { since, broken: [], mended: [], newlyExercised: [], noLongerExercised: all };
  const compared = [one, other].map((report) => ({ ...report, changes }));
  const sinceIn = (merged: Conformance) =>
    new Set(merged.requirements.map((requirement) => requirement.since));
  expect(sinceIn(was)).toEqual(new Set([was.startedAt]));
  const unknown = await merge(compared, folder);
  expect(unknown.changes).toMatchObject({ since, noLongerExercised: [] });
  const keep = (run: object) => writeFileSync(path.join(folder, 'previous.json'), JSON.stringify(run));
  keep({ ...was, ...since, requirements, startedAt: earlier });
  expect(await merge(compared, folder)).toEqual(unknown);
  keep({ ...was, ...since, requirements });
  const merged = await merge(compared, folder);
  expect(merged.changes).toMatchObject({ since, mended: [broken], noLongerExercised: [] });
  expect(sinceIn(merged)).toEqual(new Set([merged.startedAt, earlier]));
  const odd = { ...other, changes: { ...changes, since: { ...since, startedAt: earlier } } };
  const first = compared[0] as Conformance;
  const own = [{ address: broken, verdict: 'violation', since: earlier }, ...first.requirements.slice(1)];
  const apart = withMergedChanges(was, [{ ...first, requirements: own } as Conformance, odd], [folder]);
  expect(sinceIn(apart)).not.toContain(earlier);
});

test('a merged sweep has the notes that all shards have, and says that they are of different days', async () => {
  const reports = [shards.one, shards.other].map((report) => ({ ...report, notes: ['of both'] }));
  const results = readShardResults(loadContract(), [left('s1'), left('s2')], reports);
  Object.assign(reports[0] ?? {}, { startedAt: '2026-01-01T00:00:00.000Z', notes: ['of both', 'of one'] });
  const all = mergeShards(loadContract(), reports);
  const { notes } = await withSweepsMerged(loadContract(), all, results, reports);
  expect(notes.join()).toMatch(
    /^the shards are of different days: shard 1 on 2026-01-01, .*,of both(?!.*of one)/,
  );
});
