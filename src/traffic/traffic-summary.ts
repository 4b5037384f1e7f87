import type { Recorded, RecordedExchange } from './recorded.ts';
import { shownSource, shownSources, sourceTitle } from './shown-source.ts';
import { brokenSentence } from './sources.ts';

/** What was read of recorded traffic. Nothing of an exchange is in it. */
export interface Traffic {
  /** What may be shown of the sources, with their numbers; `-` for standard input. */
  sources: string[];
  /** How many exchanges the recording holds, and how many of them were judged. */
  exchanges: number;
  judged: number;
  /** How many were not judged, by reason. */
  skipped: Record<string, number>;
  /** Of how many that were judged the recording lacks the body, or a part of it. 0 is left out. */
  withoutBody?: number | undefined;
  /** When the first and the last exchange that was judged began, where the recording says so. */
  from?: string;
  until?: string;
  /** How often a record was shown that rules between responses did not compare: there are too many. 0 is left out. */
  notCompared?: number | undefined;
  /** Sentences on sources that could not be read to their end. */
  broken: string[];
}

/** Broken places that are listed; the others are counted. */
const maxListed = 5;

/** Counts what is read. */
export class TrafficCounts {
  readonly #traffic: Traffic;
  #broken = 0;

  constructor(named: string[]) {
    this.#traffic = { sources: shownSources(named), exchanges: 0, judged: 0, skipped: {}, broken: [] };
  }

  take(recorded: Recorded): void {
    const traffic = this.#traffic;
    if (recorded.kind === 'broken') {
      const name = sourceTitle(shownSource(recorded));
      const sentence = `${name}: ${brokenSentence(recorded)}; only what can be read was judged`;
      this.#broken += 1;
      if (this.#broken <= maxListed) traffic.broken.push(sentence);
      return;
    }
    traffic.exchanges += 1;
    const { skipped } = traffic;
    if (recorded.kind === 'skipped') skipped[recorded.reason] = (skipped[recorded.reason] ?? 0) + 1;
    else this.#judge(recorded);
  }

  #judge({ exchange, at: { from } }: RecordedExchange): void {
    const traffic = this.#traffic;
    traffic.judged += 1;
    if (exchange.recorded?.body === 'nothing') traffic.withoutBody = (traffic.withoutBody ?? 0) + 1;
    if (Number.isNaN(from)) return;
    const startedAt = new Date(from).toISOString();
    if (traffic.from === undefined || startedAt < traffic.from) traffic.from = startedAt;
    if (traffic.until === undefined || startedAt > traffic.until) traffic.until = startedAt;
  }

  traffic(): Traffic {
    const more = this.#broken - maxListed;
    const broken = [...this.#traffic.broken, ...(more > 0 ? [`and ${more} more broken places`] : [])];
    if (this.#traffic.exchanges === 0 && this.#broken === 0)
      broken.push('TRAFFIC holds no recorded exchange: name a recording');
    return { ...this.#traffic, broken };
  }
}
