import { formatNumber } from '../../schemas/counted.ts';

/** Progress of a sweep, as a line on the terminal shows it. */
export interface SweepProgress {
  /** Name of the swept records in the plural, such as `customers`. */
  noun: string;
  /** Number of records that a sweep has judged so far. */
  records: number;
  /** Estimated number of all records that a sweep will judge. */
  of: number;
  /** Number of violations that a sweep has found so far. A record that breaks two requirements counts twice. */
  violations: number;
}

/** Minimum milliseconds between two progress lines of a sweep. A shorter sweep shows only its last line. */
const lineIntervalMs = 5_000;

/** Shows the progress of a sweep on the terminal. */
export class Progress {
  readonly #write: (text: string) => void;
  #nextAt = performance.now() + lineIntervalMs;
  #latest: SweepProgress | undefined;

  constructor(write: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.#write = write;
  }

  /** Writes a sentence about the sweep on a line of its own, at once. */
  say(sentence: string): void {
    this.#write(`  ${sentence}\n`);
  }

  /** Stores the progress of the sweep, and writes it if no line was written in the last `lineIntervalMs`. */
  show(progress: SweepProgress): void {
    this.#latest = progress;
    if (performance.now() >= this.#nextAt) this.flush();
  }

  /** Writes the latest progress of the sweep, unless it was written already. Delays the next line by `lineIntervalMs`. */
  flush(): void {
    this.#nextAt = performance.now() + lineIntervalMs;
    if (!this.#latest) return;
    const { noun, records, of, violations } = this.#latest;
    const extent = `${formatNumber(records)} of about ${formatNumber(of)} ${noun}`;
    this.say(`sweep: ${extent}, violations so far: ${formatNumber(violations)}`);
    this.#latest = undefined;
  }
}
