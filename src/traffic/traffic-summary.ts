import type { RecordedExchange, TrafficEntry } from './recorded.ts';
import { formatSource, formatSources, formatSourceTitle } from './shown-source.ts';
import { describeBroken } from './sources.ts';

export interface Traffic {
  /** Recordings as reports show them, with hidden file names: `[1] ….har`, or `-` for standard input. */
  sources: string[];
  /** Number of entries, judged or skipped. */
  exchanges: number;
  judged: number;
  skipped: Record<string, number>;
  /** Number of judged exchanges without a complete body; omitted if 0. */
  withoutBody?: number | undefined;
  /** Start of the earliest judged exchange (ISO 8601). */
  from?: string;
  until?: string;
  /** Number of records not compared with other responses, because the suite remembers a limited number of records; omitted if 0. */
  notCompared?: number | undefined;
  /** One sentence for each of the first five unreadable parts of recordings, and one that counts further parts. */
  broken: string[];
}

const maxListedParts = 5;

export class TrafficCounts {
  readonly #traffic: Traffic;
  #broken = 0;

  constructor(sourceNames: string[]) {
    this.#traffic = { sources: formatSources(sourceNames), exchanges: 0, judged: 0, skipped: {}, broken: [] };
  }

  add(recorded: TrafficEntry): void {
    const traffic = this.#traffic;
    if (recorded.kind === 'broken') {
      const name = formatSourceTitle(formatSource(recorded));
      const sentence = `${name}: ${describeBroken(recorded)}; only what can be read was judged`;
      this.#broken += 1;
      if (this.#broken <= maxListedParts) traffic.broken.push(sentence);
      return;
    }
    traffic.exchanges += 1;
    const { skipped } = traffic;
    if (recorded.kind === 'skipped') skipped[recorded.reason] = (skipped[recorded.reason] ?? 0) + 1;
    else this.#countJudged(recorded);
  }

  #countJudged({ exchange, at: { from } }: RecordedExchange): void {
    const traffic = this.#traffic;
    traffic.judged += 1;
    if (exchange.recorded?.body === 'nothing') traffic.withoutBody = (traffic.withoutBody ?? 0) + 1;
    if (Number.isNaN(from)) return;
    const startedAt = new Date(from).toISOString();
    if (traffic.from === undefined || startedAt < traffic.from) traffic.from = startedAt;
    if (traffic.until === undefined || startedAt > traffic.until) traffic.until = startedAt;
  }

  /** Returns the summary of all added entries. If there are none, `broken` says so. */
  summarize(): Traffic {
    const unlistedCount = this.#broken - maxListedParts;
    const broken = [
      ...this.#traffic.broken,
      ...(unlistedCount > 0 ? [`and ${unlistedCount} more broken places`] : []),
    ];
    if (this.#traffic.exchanges === 0 && this.#broken === 0)
      broken.push('TRAFFIC holds no recorded exchange: name a recording');
    return { ...this.#traffic, broken };
  }
}
