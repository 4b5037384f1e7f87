import { RecordTable } from '../pages/record-table.ts';
import type { BrokenRecords } from '../results/result.ts';
import type { PageResult } from '../results/tally.ts';

/** How many different records of several parts break anything: each part counts what it was shown. */
export class BrokenOnce {
  readonly #table = new RecordTable();
  #different = 0;
  readonly #withoutPrint = new Map<string, number>();

  /** Takes note of a page on its way. */
  *noting(pages: Iterable<PageResult>): Generator<PageResult> {
    for (const page of pages) {
      this.#note(page);
      yield page;
    }
  }

  /** @param max records that were judged in all, each counted once; @param twins records that share their identity with another one */
  atMost(
    broken: Record<string, BrokenRecords>,
    { max, twins }: { max: number; twins: number },
  ): Record<string, BrokenRecords> {
    const limit = (address: string) =>
      Math.min(max, this.#different + (this.#withoutPrint.get(address) ?? 0) + twins);
    return Object.fromEntries(
      Object.entries(broken).map(([address, one]) => [
        address,
        { ...one, records: Math.min(one.records, limit(address)) },
      ]),
    );
  }

  #note({ brokenPrints = [], broken }: PageResult): void {
    for (let at = 0; at + 2 <= brokenPrints.length; at += 2) {
      const [high = 0, low = 0] = brokenPrints.slice(at, at + 2);
      if (this.#table.add({ high, low }, { position: 0, named: 0 }) === undefined) this.#different += 1;
    }
    for (const [address, { records }] of Object.entries(broken)) {
      const more = Math.max(0, records - brokenPrints.length / 2);
      this.#withoutPrint.set(address, (this.#withoutPrint.get(address) ?? 0) + more);
    }
  }
}
