import { existsSync, readFileSync } from 'node:fs';
import { test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';

const mentionsOperation = (text: string, { id }: { id: string }) => new RegExp(`\\b${id}\\b`).test(text);

/** Joins lines to the text of a snapshot. Drops lines of operations that the stored snapshot lacks: a new operation fails no test. */
export function keepListedOperations(lines: string[], snapshot: string): string {
  const snapshotFile = test.info().snapshotPath(snapshot);
  const isUpdated = ['all', 'changed'].includes(test.info().config.updateSnapshots);
  if (isUpdated || !existsSync(snapshotFile)) return `${lines.join('\n')}\n`;
  const snapshotText = readFileSync(snapshotFile, 'utf8');
  const newOperations = loadContract().operations.filter(
    (operation) => !mentionsOperation(snapshotText, operation),
  );
  const isListed = (line: string) => !newOperations.some((operation) => mentionsOperation(line, operation));
  return `${lines.filter(isListed).join('\n')}\n`;
}
