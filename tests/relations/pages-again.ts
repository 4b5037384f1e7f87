import type { Shown } from './conclude.ts';
import { type ComparePlan, comparedField, isSameField, type Relations } from './relation-rules.ts';
import { presence, type Sighting, sightingsIn } from './sightings.ts';
import { differ, type Seen } from './sightings-of-run.ts';
import { noList } from './unconfirmed.ts';

/** What is compared of a list. @throws when no rule compares it. */
export function comparePlanOf({ lists }: Relations, operation: string, key: string): ComparePlan {
  const plan = lists.find((one) => one.operation === operation && one.key === key);
  if (!plan) throw new Error(`no rule compares what ${operation} lists by ${key}`);
  return plan;
}

type ComparingCheck = Parameters<typeof comparedField>[0];

/** What a page that was requested again shows of a record, and where. */
export interface ShownAgain {
  shown: Shown;
  pointer?: string;
}

/** What a page shows of a record; of several values, the one that it showed before. */
export function sameOnPage<Source>(
  plan: ComparePlan,
  check: ComparingCheck,
  { key, before }: { key: number; before: number },
  page: Seen<Source>,
): ShownAgain {
  return onPage(plan, check, key, page, (value) => value === before);
}

/** What a page shows of a record; of several values, one that is not as before. */
export function otherOnPage<Source>(
  plan: ComparePlan,
  check: ComparingCheck,
  { key, before }: { key: number; before: number },
  page: Seen<Source>,
): ShownAgain {
  return onPage(plan, check, key, page, (value) => differ(value, before));
}

function onPage<Source>(
  plan: ComparePlan,
  check: ComparingCheck,
  key: number,
  { operation, body, outcome }: Seen<Source>,
  isPreferred: (value: number) => boolean,
): ShownAgain {
  if (outcome !== 'success') return { shown: { nothing: noList } };
  const records = [...sightingsIn(operation, plan, body)].filter((record) => record.key === key);
  const record = records.find((one) => isPreferred(comparedIn(plan, check, one))) ?? records[0];
  if (!record) return { shown: { nothing: 'the list no longer shows it where it did' } };
  const value = comparedIn(plan, check, record);
  return {
    shown: value === 0 ? { nothing: 'a list had nothing to compare' } : value,
    pointer: record.pointer,
  };
}

/** What a rule compares of a record of a list. */
export const comparedIn = (
  plan: ComparePlan,
  check: ComparingCheck,
  sighting: Pick<Sighting, 'values'>,
): number => readerOf(plan, check)(sighting);

/** Finds what a rule compares in any record of a list. */
export function readerOf(
  { fields }: ComparePlan,
  check: ComparingCheck,
): (sighting: Pick<Sighting, 'values'>) => number {
  const field = comparedField(check);
  if (!field) return () => presence.present;
  const at = fields.findIndex((one) => isSameField(one, field));
  return ({ values }) => values[at] ?? 0;
}
