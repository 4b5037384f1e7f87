import { number } from '../../schemas/counted.ts';
import type { ListClient, PageAnswer } from './list-client.ts';
import type { ListPlan } from './list-plan.ts';
import { type PageRequest, pageAt } from './paging.ts';
import type { PageResult } from './tally.ts';

/** Records that one machine tells apart in 400 MB; and of a list that shows some where no list has any. */
const [maxRecords, maxOfEndless] = [10_000_000, 100_000];

/** Pages in a row that hold nothing new: the list has no end, but begins again. */
const maxPagesWithoutNews = 3;

/** Whether a list has come to its end, or only seems to; and whether it has one. */
export class ListEnd {
  readonly #client: ListClient;
  readonly #plan: ListPlan;
  #last: { number: number; isFull: boolean } | undefined;
  #withoutNews = 0;

  constructor(client: ListClient, plan: ListPlan) {
    this.#client = client;
    this.#plan = plan;
  }

  /** Takes note of a page that was answered. */
  note(request: PageRequest, { records = [] }: PageAnswer): void {
    this.#last = { number: request.number, isFull: records.length >= request.limit };
  }

  /** Why a sweep stops where pages show what others have shown. */
  repeats({ held, judged }: PageResult, added: Uint32Array): string | undefined {
    this.#withoutNews = held > 1 && judged === 0 && added.length === 0 ? this.#withoutNews + 1 : 0;
    return this.#withoutNews < maxPagesWithoutNews
      ? undefined
      : 'the pages began to repeat what was listed before';
  }

  /** Why a sweep stops after so many records, though the list goes on. */
  tooLong(records: number): string | undefined {
    const { endless, sample } = this.#plan;
    const max = endless ? maxOfEndless : maxRecords;
    if (sample || records < max) return undefined;
    return endless
      ? `the list has no end: it shows records at any place, of which ${number(records)} were read`
      : `${number(max)} records were read, the most that one machine tells apart: divide the sweep with --shard`;
  }

  /**
   * Why a page that was rejected, or is empty, is not the end: it begins with the last record of the page before, which is
   * full and shows that record.
   */
  async contradiction(at: number): Promise<string | undefined> {
    const { paging } = this.#plan;
    if (paging.overlap === 0 || at === 0) return undefined;
    if (this.#last?.number === at - 1 && !this.#last.isFull) return undefined;
    const { limit, offset, position } = pageAt(paging, at - 1);
    const { records = [] } = await this.#client.page(limit, offset);
    return records.length < limit
      ? undefined
      : `the target shows nothing behind place ${number(position + limit)}, where the list does not end`;
  }
}
