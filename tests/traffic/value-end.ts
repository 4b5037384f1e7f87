const [quote, backslash] = [0x22, 0x5c];

/** What a byte does outside of strings: opens a bracket (1), closes one (-1), or begins a string (2). */
const roles = new Int8Array(256);
for (const open of '{[') roles[open.charCodeAt(0)] = 1;
for (const close of '}]') roles[close.charCodeAt(0)] = -1;
roles[quote] = 2;

/** Finds the end of one value that may go on over many chunks, without reading what is in it. */
export class ValueEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** For a value that begins with this byte; undefined if it is neither string, array nor object. */
  static of(first: number | undefined): ValueEnd | undefined {
    return first !== undefined && (roles[first] ?? 0) > 0 ? new ValueEnd() : undefined;
  }

  /** The index after the value's last byte, or -1 if it goes on in the next chunk. */
  find(chunk: Uint8Array, from: number): number {
    const end = chunk.length;
    // Each byte passes through here: what is written to `this` in a loop costs a multiple of the loop.
    let depth = this.#depth;
    let at = this.#inString ? endOfString(chunk, this.#escaped ? from + 1 : from) : from;
    if (this.#inString && depth === 0 && at <= end) return at;
    while (at < end) {
      const role = roles[chunk[at++] as number] as number;
      if (role === 2) at = endOfString(chunk, at);
      else depth += role;
      if (depth === 0 && role !== 0 && at <= end) return at;
    }
    this.#depth = depth;
    this.#inString = at > end;
    this.#escaped = at === end + 2;
    return -1;
  }
}

/** The index after the string's last byte; if it goes on, one beyond the chunk, or two after a backslash. */
function endOfString(chunk: Uint8Array, from: number): number {
  const end = chunk.length;
  let at = from;
  while (at < end) {
    const byte = chunk[at++];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  // The escaped character may be the first of the next chunk.
  return at > end ? end + 2 : end + 1;
}

const delimiters = new Set([...',]} \t\r\n'].map((character) => character.charCodeAt(0)));

/** The end of a number or a literal: the delimiter after it. */
export const scalarEnd = {
  find(chunk: Uint8Array, from: number): number {
    const length = chunk.subarray(from).findIndex((byte) => delimiters.has(byte));
    return length === -1 ? -1 : from + length;
  },
};
