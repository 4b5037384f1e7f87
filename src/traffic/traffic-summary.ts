import type { RecordedExchange, TrafficEntry } from './recorded.ts';
import { formatSource, formatSources, formatSourceTitle } from './shown-source.ts';
import { describeBroken } from './sources.ts';

/** Summary of recorded traffic for reports: numbers and reasons, but no content of exchanges. */
export interface Traffic {
  /** Recordings that were read, without their file names, such as `[1] ….har`; `-` for standard input. */
  sources: string[];
  /** Number of recorded exchanges, judged and skipped ones. */
  exchanges: number;
  /** Number of recorded exchanges that were judged. */
  judged: number;
  /** Number of skipped exchanges, keyed by reason, such as `redirect`. */
  skipped: Record<string, number>;
  /** Number of judged exchanges of which the recording holds no complete body; omitted if 0. */
  withoutBody?: number | undefined;
  /** Start of the earliest judged exchange in a recording (ISO 8601); omitted if the recording has no times. */
  from?: string;
  /** Start of the latest judged exchange in a recording (ISO 8601); omitted if the recording has no times. */
  until?: string;
  /** Number of records that the rules between responses did not compare, because the recording has too many; omitted if 0. */
  notCompared?: number | undefined;
  /** Sentences about the first places of recordings that could not be read, and one about the number of the others. */
  broken: string[];
}

/** Maximum number of unreadable places of recordings to describe; the others are counted. */
const maxListed = 5;

/** Counts the entries that `readTraffic` yields, one by one, and summarizes them for reports. */
export class TrafficCounts {
  readonly #traffic: Traffic;
  #broken = 0;

  constructor(sourceNames: string[]) {
    this.#traffic = { sources: formatSources(sourceNames), exchanges: 0, judged: 0, skipped: {}, broken: [] };
  }

  /** Counts what `readTraffic` yields: an exchange, a skipped entry, or an unreadable place, which it describes in a sentence. */
  take(recorded: TrafficEntry): void {
    const traffic = this.#traffic;
    if (recorded.kind === 'broken') {
      const name = formatSourceTitle(formatSource(recorded));
      const sentence = `${name}: ${describeBroken(recorded)}; only what can be read was judged`;
      this.#broken += 1;
      if (this.#broken <= maxListed) traffic.broken.push(sentence);
      return;
    }
    traffic.exchanges += 1;
    const { skipped } = traffic;
    if (recorded.kind === 'skipped') skipped[recorded.reason] = (skipped[recorded.reason] ?? 0) + 1;
    else this.#countJudged(recorded);
  }

  /** Counts a judged exchange, and whether its body is missing. Extends `from` and `until` to its start, if that is recorded. */
  #countJudged({ exchange, at: { from } }: RecordedExchange): void {
    const traffic = this.#traffic;
    traffic.judged += 1;
    if (exchange.recorded?.body === 'nothing') traffic.withoutBody = (traffic.withoutBody ?? 0) + 1;
    if (Number.isNaN(from)) return;
    const startedAt = new Date(from).toISOString();
    if (traffic.from === undefined || startedAt < traffic.from) traffic.from = startedAt;
    if (traffic.until === undefined || startedAt > traffic.until) traffic.until = startedAt;
  }

  /**
   * Returns the summary of all counted entries. Adds a sentence to `broken` if the recordings have neither entries nor unreadable
   * places.
   */
  traffic(): Traffic {
    const unlistedPlaces = this.#broken - maxListed;
    const broken = [
      ...this.#traffic.broken,
      ...(unlistedPlaces > 0 ? [`and ${unlistedPlaces} more broken places`] : []),
    ];
    if (this.#traffic.exchanges === 0 && this.#broken === 0)
      broken.push('TRAFFIC holds no recorded exchange: name a recording');
    return { ...this.#traffic, broken };
  }
}
