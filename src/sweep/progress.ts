import { formatNumber } from '../../schemas/counted.ts';

export interface SweepProgress {
  /** What is swept, in the plural: `customers`, or `lines of CARD_IDS` for a file of identifiers. */
  noun: string;
  records: number;
  total: number;
  /** Number of violations so far. A record that breaks two requirements counts as two violations. */
  violations: number;
}

const lineIntervalMs = 5_000;

export class Progress {
  readonly #write: (text: string) => void;
  #nextAt = performance.now() + lineIntervalMs;
  #latest: SweepProgress | undefined;

  constructor(write: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.#write = write;
  }

  say(sentence: string): void {
    this.#write(`  ${sentence}\n`);
  }

  /** Prints the progress, unless the last line was printed less than 5 seconds ago (`lineIntervalMs`). */
  show(progress: SweepProgress): void {
    this.#latest = progress;
    if (performance.now() >= this.#nextAt) this.flush();
  }

  /** Prints the latest progress that `show` received, unless it has been printed already. */
  flush(): void {
    this.#nextAt = performance.now() + lineIntervalMs;
    if (!this.#latest) return;
    const { noun, records, total, violations } = this.#latest;
    const extent = `${formatNumber(records)} of about ${formatNumber(total)} ${noun}`;
    this.say(`sweep: ${extent}, violations so far: ${formatNumber(violations)}`);
    this.#latest = undefined;
  }
}
