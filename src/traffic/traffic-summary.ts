import type { RecordedExchange, TrafficEntry } from './recorded.ts';
import { formatSource, formatSources, formatSourceTitle } from './shown-source.ts';
import { describeBroken } from './sources.ts';

/** Summary of recorded traffic for reports: numbers and reasons, but no content of exchanges. */
export interface Traffic {
  /** Sources without their file names, such as `[1] ….har`; `-` for standard input. */
  sources: string[];
  /** Number of entries in the recordings, also of skipped ones. */
  exchanges: number;
  judged: number;
  /** Number of skipped entries, keyed by reason, such as `redirect`. */
  skipped: Record<string, number>;
  /** Number of judged exchanges without their complete body; omitted if 0. */
  withoutBody?: number | undefined;
  /** Start of the first judged exchange (ISO 8601); unset if the recording has no times. */
  from?: string;
  /** Start of the last judged exchange (ISO 8601). */
  until?: string;
  /** Number of records that relations did not compare, because there were too many; omitted if 0. */
  notCompared?: number | undefined;
  /** Sentences about the first places that could not be read, and about how many others there are. */
  broken: string[];
}

/** Maximum number of broken places to list; the others are counted. */
const maxListed = 5;

/** Counts the entries of recordings one by one, and summarizes them. */
export class TrafficCounts {
  readonly #traffic: Traffic;
  #broken = 0;

  constructor(sourceNames: string[]) {
    this.#traffic = { sources: formatSources(sourceNames), exchanges: 0, judged: 0, skipped: {}, broken: [] };
  }

  /** Counts an exchange, a skipped entry or a broken place. */
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
    else this.#judge(recorded);
  }

  /** Counts a judged exchange, and notes its start. */
  #judge({ exchange, at: { from } }: RecordedExchange): void {
    const traffic = this.#traffic;
    traffic.judged += 1;
    if (exchange.recorded?.body === 'nothing') traffic.withoutBody = (traffic.withoutBody ?? 0) + 1;
    if (Number.isNaN(from)) return;
    const startedAt = new Date(from).toISOString();
    if (traffic.from === undefined || startedAt < traffic.from) traffic.from = startedAt;
    if (traffic.until === undefined || startedAt > traffic.until) traffic.until = startedAt;
  }

  /** Returns the summary of all that was counted. Recordings without any entry count as broken. */
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
