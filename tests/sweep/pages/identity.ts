import { ownValue } from '../../../schemas/own-value.ts';
import type { SweptList } from '../../exchanges/session.ts';
import type { Print } from '../../relations/print-table.ts';
import { differ } from '../../relations/prints.ts';
import type { PrintOf } from './prints.ts';
import type { UniqueRule } from './uniqueness.ts';

/** What identifies a record, and what it names, if a rule says that it names one: prints; 0 where nothing is compared. */
export interface Identity {
  key: Print;
  named: number;
}

/** Of a record that nothing identifies: it is no other one than that at its place, however alike they look. No print is zero. */
export const withoutIdentity: Identity = { key: { high: 0, low: 0 }, named: 0 };

export const hasIdentity = ({ key }: Identity): boolean => key.high !== 0 || key.low !== 0;

/** The record at an end of a page: its print, and what it names. */
export type EdgeRecord = Print & { named: number };

/** What identifies a record: a text, or nothing does. What it names is compared where it is a text. */
export function identityIn(
  record: unknown,
  list: SweptList,
  rule: UniqueRule | undefined,
  printOf: PrintOf,
): Identity {
  const identity = textIn(record, list.key);
  if (identity === undefined) return withoutIdentity;
  const named = textIn(record, rule?.check.named ?? '');
  return { key: printOf(identity), named: named === undefined ? 0 : printOf(named).low || 1 };
}

function textIn(record: unknown, name: string): string | undefined {
  const value = ownValue(record, name);
  return typeof value === 'string' ? value : undefined;
}

/** A record as an end of a page. */
export const edgeOf = ({ key, named }: Identity): EdgeRecord => ({ ...key, named });

/** Whether two pages show the same record at their ends: what another one shares is no more than its identity. */
export const isSame = (one: EdgeRecord, other: EdgeRecord): boolean =>
  isSamePrint(one, other) && !differ(one.named, other.named);

/**
 * Whether a record is shown again as it was. One that names nothing any more is not: it would stand for both records of a
 * contradiction at once.
 */
export const isUnchanged = (one: Identity, other: Identity): boolean =>
  isSamePrint(one.key, other.key) && one.named === other.named;

/** Whether a record names something else than before. */
export const isChanged = (one: Identity, other: Identity): boolean =>
  isSamePrint(one.key, other.key) && differ(one.named, other.named);

const isSamePrint = (one: Print, other: Print) => one.high === other.high && one.low === other.low;
