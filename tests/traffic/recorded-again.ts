import { crc32 } from 'node:zlib';
import { PrintTable } from '../relations/print-table.ts';
import { halvesOf, printOf } from '../relations/prints.ts';
import type { ExchangeEntry } from './recorded-entry.ts';

/** Exchanges that are stored, in 16 to 24 bytes each; those after them count as often as they are recorded. */
const maxRemembered = 1_000_000;

/** Recognizes exchanges that recordings hold again, as exports that overlap do. Without a time, no two are known to be one. */
export class RecordedAgain {
  readonly #known = new PrintTable(0, maxRemembered);

  has(entry: ExchangeEntry): boolean {
    if (entry.startedAt === undefined) return false;
    const print = halvesOf(printOf(contentOf(entry)));
    const isAgain = this.#known.find(print) !== -1;
    if (!isAgain) this.#known.add(print, []);
    return isAgain;
  }
}

const nothing = new Uint8Array();

/** What exchanges have in common that are one. */
const contentOf = ({ url, accept, startedAt, durationMs, status, headers, body, bodyIs }: ExchangeEntry) => {
  const response = [status, headers['content-type'], bodyIs, body?.length, crc32(body ?? nothing)];
  return [url, accept, startedAt, durationMs, ...response];
};
