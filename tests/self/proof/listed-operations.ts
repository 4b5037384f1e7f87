import { existsSync, readFileSync } from 'node:fs';
import { test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';

const mentionsOperation = (text: string, { id }: { id: string }) => new RegExp(`\\b${id}\\b`).test(text);

/**
 * Formats the lines of a snapshot, without operations that the snapshot does not mention, so that a new operation fails no test
 * before `--update-snapshots` adds its lines.
 */
export function keepListedOperations(lines: string[], snapshot: string): string {
  const file = test.info().snapshotPath(snapshot);
  const isUpdated = ['all', 'changed'].includes(test.info().config.updateSnapshots);
  const snapshotText = isUpdated || !existsSync(file) ? lines.join('\n') : readFileSync(file, 'utf8');
  const unlistedOperations = loadContract().operations.filter(
    (operation) => !mentionsOperation(snapshotText, operation),
  );
  return `${lines.filter((line) => !unlistedOperations.some((operation) => mentionsOperation(line, operation))).join('\n')}\n`;
}
