import { type Print, PrintTable } from '../../relations/print-table.ts';

/** What is known of a record: where it was first, and a print of 32 bits of what it names; 0 where that is not known. */
export interface Known {
  position: number;
  named: number;
}

/** The records of a list by their prints: a million take 32 MB. */
export class RecordTable {
  readonly #table = new PrintTable(2, Number.POSITIVE_INFINITY);

  /** Makes room for so many records at once. */
  reserve(records: number): void {
    this.#table.reserve(records);
  }

  /** What is known of a record. */
  find(print: Print): Known | undefined {
    const place = this.#table.find(print);
    if (place === -1) return undefined;
    return { position: this.#table.numberAt(place, 0), named: this.#table.numberAt(place, 1) };
  }

  /** Adds a record unless it is there. @returns what was known of it before */
  add(print: Print, { position, named }: Known): Known | undefined {
    return this.#table.add(print, [position, named]) ? undefined : this.find(print);
  }
}
