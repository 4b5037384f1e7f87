import type { Contract } from '../../../schemas/contract/contract.ts';
import { schemaOf } from './places.ts';
import type { TalliedValues } from './tallied-values.ts';
import { valuesAt } from './values-at.ts';

/** How often something is said of the values that a question tallies. */
export interface Tally {
  total: number;
  counts: Map<string, number>;
  /** Whether more was to be said than is kept. */
  cut: boolean;
}

/** More than this a field of free text has, and a vocabulary has not. */
const maxKept = 50;

/** Tallies of an answer by question, for those that list what was seen. */
export function talliesOf(
  contract: Contract,
  operation: string,
  body: unknown,
  tallied: Record<string, TalliedValues>,
): Map<string, Tally> {
  const tallies = Object.entries(tallied).map(
    ([id, values]) => [id, tallyOf(contract, values, operation, body)] as const,
  );
  return new Map(tallies.filter(([, { total }]) => total > 0));
}

function tallyOf(contract: Contract, values: TalliedValues, operation: string, body: unknown): Tally {
  const tally: Tally = { total: 0, counts: new Map(), cut: false };
  for (const place of values.places.filter(([own]) => own === operation)) {
    const schema = schemaOf(contract, place);
    for (const value of valuesAt(body, place[1].split('/').slice(1)))
      count(tally, values.describe(value, schema));
  }
  return tally;
}

function count(tally: Tally, text: string): void {
  tally.total += 1;
  const known = tally.counts.get(text);
  if (known === undefined && tally.counts.size >= maxKept) tally.cut = true;
  else tally.counts.set(text, (known ?? 0) + 1);
}

/** What several tallies come to, with drafts as they may be shown. */
export function merged(tallies: Tally[], show: (draft: string) => string): Tally {
  const all: Tally = { total: 0, counts: new Map(), cut: tallies.some(({ cut }) => cut) };
  for (const { total, counts } of tallies) {
    all.total += total;
    for (const [draft, by] of counts) all.counts.set(show(draft), (all.counts.get(show(draft)) ?? 0) + by);
  }
  return all;
}
