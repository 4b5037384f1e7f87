import type { ListClient, PageAnswer } from './list-client.ts';
import type { Unit } from './offset-unit.ts';
import type { Paging } from './paging.ts';
import { showsSingles } from './single-records.ts';

/** What was found out of a list, or why it cannot be followed. */
export type FoundPaging =
  | { paging: Paging; first: PageAnswer; records: number | undefined; hidden?: string }
  /** `rejected` is set where the target rejects each request for the first page. */
  | { problem: string; rejected?: true | undefined };

/** What is known of a list whose first page is all that can be read. */
export const wholeOf = (size: number, first: PageAnswer) => ({
  paging: { size: Math.max(2, size), unit: 'records', overlap: 1, singles: false } satisfies Paging,
  first,
  records: first.records?.length ?? 0,
});

/** A list of more pages than the first. @param counted what its `offset` counts */
export const paged = async (client: ListClient, size: number, counted: Unit, first: PageAnswer) => ({
  ...{ paging: { size, ...counted, singles: await showsSingles(client) }, first },
  records: undefined,
});

/** Why nothing behind the first page can be read. */
export const whyHidden = {
  unanswered: 'no page but the first was answered',
  empty: 'the page at `offset` 1 is empty, though there are records behind it',
  ignored: '`offset` has no effect: only the first page of the list can be read',
  alike: 'nothing shows whether `offset` has an effect: each page shows the same record',
  unclear: 'nothing shows what `offset` counts: its records cannot be told apart',
  unsteady: 'nothing shows what `offset` counts: the list changes, or shows one record in several places',
  emptyFirst: 'the first page is empty, though there are records behind it',
};
