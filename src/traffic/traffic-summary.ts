import type { RecordedExchange, TrafficEntry, UnreadablePart } from './recorded.ts';
import { formatSource, formatSources, formatSourceTitle } from './shown-source.ts';
import { describeBroken } from './sources.ts';

export interface Traffic {
  /** Recordings in `TRAFFIC`, each shown by its number and extension, such as `[1] ….har`. Standard input is shown as `-`. */
  sources: string[];
  exchanges: number;
  judged: number;
  skipped: Record<string, number>;
  /** Number of judged exchanges whose body is missing, cut off or otherwise unusable. Undefined instead of 0. */
  withoutBody?: number | undefined;
  /** Start of the earliest judged exchange (ISO 8601). */
  from?: string;
  /** Start of the latest judged exchange (ISO 8601). */
  until?: string;
  /**
   * Number of records that were not stored, because the suite stores a limited number of records. Later responses were not
   * compared with these records. A record counts again in each response that contains it. Undefined if all records were stored.
   */
  notCompared?: number | undefined;
  /**
   * Sentences about missing or empty recordings, and about unreadable parts of a recording, such as
   * `[2] ….har: no such file; only what can be read was judged`.
   */
  broken: string[];
}

const maxListedParts = 5;

export class TrafficCounts {
  readonly #traffic: Traffic;
  #brokenCount = 0;

  constructor(sourceNames: string[]) {
    this.#traffic = { sources: formatSources(sourceNames), exchanges: 0, judged: 0, skipped: {}, broken: [] };
  }

  add(recorded: TrafficEntry): void {
    if (recorded.kind === 'broken') {
      this.#countBroken(recorded);
      return;
    }
    this.#traffic.exchanges += 1;
    const { skipped } = this.#traffic;
    if (recorded.kind === 'skipped') skipped[recorded.reason] = (skipped[recorded.reason] ?? 0) + 1;
    else this.#countJudged(recorded);
  }

  #countBroken(part: UnreadablePart): void {
    this.#brokenCount += 1;
    if (this.#brokenCount > maxListedParts) return;
    const name = formatSourceTitle(formatSource(part));
    const sentence = `${name}: ${describeBroken(part)}; only what can be read was judged`;
    this.#traffic.broken.push(sentence);
  }

  #countJudged({ exchange, at: { from: startTime } }: RecordedExchange): void {
    const traffic = this.#traffic;
    traffic.judged += 1;
    if (exchange.recorded?.body === 'nothing') traffic.withoutBody = (traffic.withoutBody ?? 0) + 1;
    if (Number.isNaN(startTime)) return;
    const startedAt = new Date(startTime).toISOString();
    if (traffic.from === undefined || startedAt < traffic.from) traffic.from = startedAt;
    if (traffic.until === undefined || startedAt > traffic.until) traffic.until = startedAt;
  }

  summarize(): Traffic {
    const broken = [...this.#traffic.broken];
    const unlistedCount = this.#brokenCount - maxListedParts;
    if (unlistedCount > 0) broken.push(`and ${unlistedCount} more broken places`);
    const isEmpty = this.#traffic.exchanges === 0 && this.#brokenCount === 0;
    if (isEmpty) broken.push('the recorded traffic holds no exchange: name another file');
    return { ...this.#traffic, broken };
  }
}
