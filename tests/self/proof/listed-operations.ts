import { existsSync, readFileSync } from 'node:fs';
import { test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';

const mentionsOperation = (text: string, { id }: { id: string }) => new RegExp(`\\b${id}\\b`).test(text);

/**
 * Joins lines to compare with a snapshot. Leaves out lines that name an operation of the contract that the snapshot does not name,
 * so that the test still passes after an operation is added. Keeps all lines if the snapshot is missing or being updated.
 */
export function keepListedOperations(lines: string[], snapshotName: string): string {
  const snapshotFile = test.info().snapshotPath(snapshotName);
  // With `--update-snapshots`, new operations enter the snapshot, too.
  const updatesSnapshot = ['all', 'changed'].includes(test.info().config.updateSnapshots);
  if (updatesSnapshot || !existsSync(snapshotFile)) return `${lines.join('\n')}\n`;
  const snapshotText = readFileSync(snapshotFile, 'utf8');
  const newOperations = loadContract().operations.filter(
    (operation) => !mentionsOperation(snapshotText, operation),
  );
  const isListed = (line: string) => !newOperations.some((operation) => mentionsOperation(line, operation));
  return `${lines.filter(isListed).join('\n')}\n`;
}
