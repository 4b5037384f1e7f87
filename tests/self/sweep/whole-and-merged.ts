import { test } from '@playwright/test';
import { type MockOptions, startMock } from '../../../mock/server.ts';
import type { StoredPart } from '../../../reports/merge/journal-prints.ts';
import { mergedSweep } from '../../../reports/merge/merge-sweeps.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { sweepAt } from './sweep-run.ts';

export const total = 3;

/** A whole sweep, and one that shards have divided: what each says of broken records, and what the shards have said. @param onPart is called before each of these */
export async function wholeAndMerged(options: MockOptions, onPart = (_: number) => {}) {
  const mock = await startMock(options);
  const whole = await sweepAt(mock.url);
  const parts: StoredPart[] = [];
  let said = '';
  for (let current = 1; current <= total; current += 1) {
    onPart(current);
    const folder = test.info().outputPath(`part-${current}`);
    const run = await sweepAt(mock.url, { env: { REPORTS_DIR: folder }, part: { current, total } });
    parts.push({ sweep: run.result, folder });
    said += run.said;
  }
  await mock.close();
  const merge = () => mergedSweep(loadContract(), parts);
  const merged = await merge();
  return { whole: whole.result, merged: merged.result, observations: merged.observations, said, merge };
}
