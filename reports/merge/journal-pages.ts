import { closeSync, openSync } from 'node:fs';
import { isObjectOrArray } from '../../schemas/json/read.ts';
import { ownValue } from '../../schemas/own-value.ts';
import { irregularReason } from '../../tests/configuration/regular-file.ts';
import { linesOf } from '../../tests/sweep/journal/lines-of-file.ts';
import type { PageResult } from '../../tests/sweep/results/tally.ts';
import { journalFile, type StoredPart } from './journal-prints.ts';
import { MergeError } from './shards.ts';

/**
 * The pages of a part of a sweep, as its journal has them.
 * @throws {MergeError} when there is no such journal, it cannot be read, or it is not the one that the report rests on.
 */
export function* pagesOfPart(part: StoredPart): Generator<PageResult> {
  const file = journalFile(part);
  let [judged, broken] = [0, 0];
  for (const page of pagesIn(file)) {
    judged += page.judged;
    broken += brokenIn(page);
    yield page;
  }
  if (judged !== part.sweep.judged || broken !== brokenIn(part.sweep))
    throw new MergeError(
      `${file} is not of the run whose report stands beside it: merge needs the whole of REPORTS_DIR`,
    );
}

/** How often a record breaks a requirement. */
const brokenIn = ({ broken }: Pick<PageResult, 'broken'>): number =>
  Object.values(broken).reduce((sum, { records }) => sum + records, 0);

function* pagesIn(file: string): Generator<PageResult> {
  if (irregularReason(file)) throw unreadable(file);
  const opened = openSync(file, 'r');
  try {
    for (const { text } of linesOf(opened)) {
      const page = ownValue(JSON.parse(text), 'page');
      if (isObjectOrArray(page)) yield page as unknown as PageResult;
    }
  } catch {
    throw unreadable(file);
  } finally {
    closeSync(opened);
  }
}

/** Why journals cannot be merged. */
export const unreadable = (file: string): MergeError =>
  new MergeError(`${file} is missing or cannot be read: merge needs the whole of REPORTS_DIR`);
