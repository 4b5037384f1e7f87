import { textOf } from '../../schemas/json/read.ts';
import type { RecordedEntry } from './recorded-entry.ts';

/** How far a source was read: its name, bytes, and of how many when that is known. */
export type Progress = [source: string, bytes: number, total: number | undefined];

/** Entries on their way from the thread that reads to the one that judges. */
export interface EntryBatch {
  entries: RecordedEntry[];
  /** The texts of their bodies, so that nobody has to decode them again. */
  texts: (string | undefined)[];
  /** Bytes of bodies. */
  bytes: number;
  /** How far the source was read, where the thread knows it. */
  progress: Progress | undefined;
  isLast: boolean;
}

/** A batch is full with so many bytes of bodies, or so many entries. */
const [fullBytes, fullEntries] = [2 ** 18, 100];

/** Collects entries until they are worth a message. */
export class BatchInMaking {
  #entries: RecordedEntry[] = [];
  #bodies: Uint8Array[] = [];
  #texts: EntryBatch['texts'] = [];
  #bytes = 0;
  progress: Progress | undefined;

  /** @returns whether it is full */
  add(entry: RecordedEntry): boolean {
    const body = entry.kind === 'exchange' ? entry.body : undefined;
    const own = body && withOwnMemory(body);
    if (own) this.#bodies.push(own);
    this.#texts.push(body && textOf(body));
    this.#entries.push(own && entry.kind === 'exchange' ? { ...entry, body: own } : entry);
    this.#bytes += body?.length ?? 0;
    return this.#bytes >= fullBytes || this.#entries.length >= fullEntries;
  }

  /** Takes what was collected, and the memory that is handed over with it. */
  take(isLast: boolean): { batch: EntryBatch; handedOver: ArrayBuffer[] } {
    const batch = {
      entries: this.#entries,
      texts: this.#texts,
      bytes: this.#bytes,
      progress: this.progress,
      isLast,
    };
    const handedOver = this.#bodies.map(({ buffer }) => buffer as ArrayBuffer);
    [this.#entries, this.#bodies, this.#texts, this.#bytes] = [[], [], [], 0];
    return { batch, handedOver };
  }
}

/** Small buffers share their memory with others. */
const withOwnMemory = (body: Uint8Array) =>
  body.byteLength === body.buffer.byteLength ? body : Uint8Array.from(body);
