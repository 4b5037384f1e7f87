import { formatNumber } from '../../schemas/counted.ts';

export interface SweepProgress {
  noun: string;
  records: number;
  total: number;
  /** Number of broken records, counted once for each requirement that they break. */
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

  show(progress: SweepProgress): void {
    this.#latest = progress;
    if (performance.now() >= this.#nextAt) this.flush();
  }

  flush(): void {
    this.#nextAt = performance.now() + lineIntervalMs;
    if (!this.#latest) return;
    const { noun, records, total, violations } = this.#latest;
    const extent = `${formatNumber(records)} of about ${formatNumber(total)} ${noun}`;
    this.say(`sweep: ${extent}, violations so far: ${formatNumber(violations)}`);
    this.#latest = undefined;
  }
}
