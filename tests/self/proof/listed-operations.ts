import { existsSync, readFileSync } from 'node:fs';
import { test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';

const mentionsOperation = (text: string, { id }: { id: string }) => new RegExp(`\\b${id}\\b`).test(text);

/** Joins lines to the text of a snapshot. Drops lines of operations that the stored snapshot lacks: a new operation fails no test. */
export function keepListedOperations(lines: string[], snapshot: string): string {
  const snapshotFile = test.info().snapshotPath(snapshot);
  const isUpdated = ['all', 'changed'].includes(test.info().config.updateSnapshots);
  // A new or updated snapshot mentions every operation.
  const isNew = isUpdated || !existsSync(snapshotFile);
  const snapshotText = isNew ? lines.join('\n') : readFileSync(snapshotFile, 'utf8');
  const unlistedOperations = loadContract().operations.filter(
    (operation) => !mentionsOperation(snapshotText, operation),
  );
  const isAboutUnlisted = (line: string) =>
    unlistedOperations.some((operation) => mentionsOperation(line, operation));
  return `${lines.filter((line) => !isAboutUnlisted(line)).join('\n')}\n`;
}
