import { formatNumber } from '../../schemas/counted.ts';

/** Progress of a sweep, as a line shows it. */
export interface SweepProgress {
  /** Name of the records in the plural, such as `customers`. */
  noun: string;
  /** Number of records judged so far; `of` is the estimated number of all records to judge. */
  records: number;
  of: number;
  violations: number;
}

/** Milliseconds between two progress lines. A shorter sweep shows only its last line. */
const lineIntervalMs = 5_000;

/** Shows the progress of a sweep on the terminal. */
export class Progress {
  readonly #write: (text: string) => void;
  #nextAt = performance.now() + lineIntervalMs;
  #latest: SweepProgress | undefined;

  constructor(write: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.#write = write;
  }

  /** Writes a sentence on a line of its own. */
  say(sentence: string): void {
    this.#write(`  ${sentence}\n`);
  }

  /** Keeps the progress, and writes it if the last line is at least five seconds old. */
  show(progress: SweepProgress): void {
    this.#latest = progress;
    if (performance.now() >= this.#nextAt) this.flush();
  }

  /** Writes the latest progress, unless it is written already. */
  flush(): void {
    this.#nextAt = performance.now() + lineIntervalMs;
    if (!this.#latest) return;
    const { noun, records, of, violations } = this.#latest;
    const extent = `${formatNumber(records)} of about ${formatNumber(of)} ${noun}`;
    this.say(`sweep: ${extent}, violations so far: ${formatNumber(violations)}`);
    this.#latest = undefined;
  }
}
