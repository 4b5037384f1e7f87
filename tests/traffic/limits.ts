import { BrokenText } from './broken-text.ts';

/** How much a source may cost. */
export interface Limits {
  /** Larger entries are skipped. */
  maxEntryBytes: number;
  /** What a compressed source may grow to, all that is read of it together. */
  maxInflatedBytes: number;
  /** Files in a zip. */
  maxZipEntries: number;
}

export const defaultLimits: Limits = {
  maxEntryBytes: 16 * 2 ** 20,
  maxInflatedBytes: 4 * 2 ** 30,
  maxZipEntries: 200_000,
};

/** A source costs more than it may. */
export class LimitExceeded extends BrokenText {
  constructor(reason: string) {
    super(reason, 0);
  }
}

/** How many inflated bytes a source may still have. */
export class Budget {
  readonly #bytes: number;
  #spent = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Passes chunks on. @throws BrokenText once there are too many of them. */
  async *limit(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#spent += chunk.length;
      if (this.#spent > this.#bytes) throw new LimitExceeded(`inflates to more than ${this.#bytes} bytes`);
      yield chunk;
    }
  }
}

/** All of a stream, or undefined if it has more bytes than that. */
export async function collect(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}
