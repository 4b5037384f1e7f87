import { existsSync, readFileSync } from 'node:fs';
import { test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';

const mentions = (text: string, { id }: { id: string }) => new RegExp(`\\b${id}\\b`).test(text);

/**
 * The text of a snapshot, without lines about operations that the snapshot does not list: an operation can be added
 * before its lines are taken over by `--update-snapshots`.
 */
export function aboutListed(lines: string[], snapshot: string): string {
  const file = test.info().snapshotPath(snapshot);
  const isUpdated = ['all', 'changed'].includes(test.info().config.updateSnapshots);
  const listed = isUpdated || !existsSync(file) ? lines.join('\n') : readFileSync(file, 'utf8');
  const unlisted = loadContract().operations.filter((operation) => !mentions(listed, operation));
  return `${lines.filter((line) => !unlisted.some((operation) => mentions(line, operation))).join('\n')}\n`;
}
