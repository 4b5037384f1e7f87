/** What follows on a value of a list, up to the name of the first member of the next one. */
const behindValue = /^\s*,\s*\{\s*"[^"\\]*"/;
const longest = 200;

/**
 * How a recorder separates the objects of a list: the same way each time. Where that stands next, an object ends, if
 * JSON.parse takes what stands before it for one: then its bytes need not be looked through.
 */
export class Separator {
  #bytes: Buffer | undefined;

  /** Takes note of what follows on an object. */
  learn(behind: Buffer): void {
    const [found] = behindValue.exec(behind.toString('latin1', 0, longest)) ?? [];
    if (found !== undefined) this.#bytes = Buffer.from(`}${found}`, 'latin1');
  }

  /** How many bytes the object seems to take with which some text begins, where it seems to end in it. */
  lengthIn(text: Buffer): number | undefined {
    const end = this.#bytes === undefined ? -1 : text.indexOf(this.#bytes);
    return end === -1 ? undefined : end + 1;
  }
}
