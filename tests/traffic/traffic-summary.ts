import { brokenSentence, isNoSource } from './broken-text.ts';
import type { RecordedEntry } from './recorded-entry.ts';
import { type NumberedSource, shownName, shownSource } from './shown-source.ts';
import { sourceTitle } from './source-name.ts';

/** What was read of recorded traffic. Nothing of an exchange is in it. */
export interface Traffic {
  /** What may be shown of the sources, with their numbers; `-` for standard input. */
  sources: string[];
  /** How many exchanges the recording holds, and how many of them were judged. */
  exchanges: number;
  judged: number;
  /** How many were not judged, by reason. */
  skipped: Record<string, number>;
  /** When the first and the last exchange that was judged began, where the recording says so. */
  from?: string;
  until?: string;
  /** How often a record was shown that rules between responses did not compare: there are too many. 0 is left out. */
  notCompared?: number;
  /** Sentences on sources that could not be read to their end. */
  broken: string[];
}

/** Broken places that are listed; the others are counted. */
const maxListed = 5;

const noExchange = 'TRAFFIC holds no recorded exchange: name a recording';

/** Counts what is read. */
export class TrafficCounts {
  readonly #traffic: Traffic;
  #broken = 0;

  constructor(named: string[]) {
    const sources = named.map((source, index) => shownSource({ source, number: String(index + 1) }));
    this.#traffic = { sources, exchanges: 0, judged: 0, skipped: {}, broken: [] };
  }

  skip(reason: string): void {
    const { skipped } = this.#traffic;
    this.#traffic.exchanges += 1;
    skipped[reason] = (skipped[reason] ?? 0) + 1;
  }

  judge(startedAt: string | undefined): void {
    const traffic = this.#traffic;
    traffic.exchanges += 1;
    traffic.judged += 1;
    if (startedAt === undefined) return;
    if (traffic.from === undefined || startedAt < traffic.from) traffic.from = startedAt;
    if (traffic.until === undefined || startedAt > traffic.until) traffic.until = startedAt;
  }

  break(broken: RecordedEntry & { kind: 'broken' }): void {
    const { reason } = broken;
    this.#broken += 1;
    if (this.#broken > maxListed) return;
    const name = sourceTitle(shownSource(broken));
    this.#traffic.broken.push(
      isNoSource(reason)
        ? `${this.#placeOf(broken)}: ${reason}; correct TRAFFIC`
        : `${name}: ${brokenSentence(broken)}; only what can be read was judged`,
    );
  }

  /** Where a source stands in `TRAFFIC`. */
  #placeOf({ source, number }: NumberedSource): string {
    return `TRAFFIC, ${number} of ${this.#traffic.sources.length}: ${shownName(source)}`;
  }

  traffic(): Traffic {
    const more = this.#broken - maxListed;
    const broken = [...this.#traffic.broken, ...(more > 0 ? [`and ${more} more broken places`] : [])];
    const isEmpty = this.#traffic.exchanges === 0 && broken.length === 0;
    return { ...this.#traffic, broken: isEmpty ? [noExchange] : broken };
  }
}
