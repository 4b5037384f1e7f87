import type { Tally } from '../results/tally.ts';
import type { ListClient, PageAnswer } from './list-client.ts';
import { type PageRequest, type Paging, pageAt } from './paging.ts';

/** What a sweep knows of the pages of a list: those that are on their way, and the last one that held records. */
export class SeenPages {
  readonly #client: ListClient;
  readonly #paging: Paging;
  readonly #asked = new Map<number, Promise<{ answer: PageAnswer }>>();
  /** The last page that held records. */
  last: { number: number; held: number; isFull: boolean } | undefined;

  /** @param tally of what an earlier run has seen, with which this one goes on */
  constructor(client: ListClient, paging: Paging, { last, left }: Pick<Tally, 'last' | 'left'>) {
    this.#client = client;
    this.#paging = paging;
    if (!last) return;
    const { position, limit } = pageAt(paging, last.number);
    const held = left?.number === last.number ? left.places.from - position - 1 : limit;
    this.last = { number: last.number, held, isFull: held >= limit };
  }

  /** Takes note of a page that is requested. */
  noteAsked<Asked extends { answer: PageAnswer }>(at: number, page: Promise<Asked>): Promise<Asked> {
    this.#asked.set(at, page);
    return page;
  }

  /** Takes note of a page whose turn it is. */
  note(request: PageRequest, { records = [] }: PageAnswer): void {
    this.#asked.delete(request.number);
    if (records.length > 0)
      this.last = { number: request.number, held: records.length, isFull: records.length >= request.limit };
  }

  /** What a page shows now, unless it is on its way. */
  readonly page = async (at: number): Promise<PageAnswer> => {
    const asked = await this.#asked.get(at);
    if (asked) return asked.answer;
    const { limit, offset } = pageAt(this.#paging, at);
    return this.#client.page(limit, offset);
  };

  /** How many records a page shows now. */
  async countOn(at: number): Promise<number> {
    return ((await this.page(at)).records ?? []).length;
  }
}
