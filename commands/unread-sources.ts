import { brokenSentence } from '../tests/traffic/broken-text.ts';
import type { RecordedEntry } from '../tests/traffic/recorded-entry.ts';

/** What is said of a source in which nothing is wrong, and nothing recorded. */
export const holdsNothing = 'it holds no recorded traffic';

/** Sources of which no entry was read, each with the reason. */
export class UnreadSources {
  readonly #reasons: Map<string, string>;

  /** @param files as `expandSources` names them */
  constructor(files: string[]) {
    this.#reasons = new Map(files.map((file) => [file, holdsNothing]));
  }

  take(entry: RecordedEntry): void {
    if (entry.kind !== 'broken') this.#reasons.delete(entry.position.source);
    else if (this.#reasons.get(entry.source) === holdsNothing)
      this.#reasons.set(entry.source, brokenSentence(entry));
  }

  list(): { file: string; reason: string }[] {
    return [...this.#reasons].map(([file, reason]) => ({ file, reason }));
  }
}
