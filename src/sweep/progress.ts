import { number } from '../../schemas/counted.ts';

/** What a line of progress tells. */
export interface Done {
  noun: string;
  /** Records looked at, and how many there are to look at. */
  records: number;
  of: number;
  violations: number;
}

/** Milliseconds between two lines; on a terminal each is written over the last one. */
const [onTerminalMs, elsewhereMs] = [500, 30_000];

/** Tells how far a sweep is. */
export class Progress {
  readonly #write: (text: string) => void;
  readonly #isTerminal: boolean;
  #began = 0;
  #nextAt = 0;
  #already = 0;

  constructor(write: (text: string) => void, isTerminal: boolean) {
    this.#write = write;
    this.#isTerminal = isTerminal;
  }

  /** A line of its own. */
  say(sentence: string): void {
    this.#write(`  ${sentence}\n`);
  }

  /** @param already records that an earlier run has looked at */
  begin(already: number): void {
    this.#began = performance.now();
    // By the first pages it says how long the rest takes.
    this.#nextAt = this.#began + 2000;
    this.#already = already;
  }

  /** Shows it now and then, and always at the end. */
  show(done: Done, isLast: boolean): void {
    if (!isLast && performance.now() < this.#nextAt) return;
    this.#nextAt = performance.now() + (this.#isTerminal ? onTerminalMs : elsewhereMs);
    this.#write(
      `${this.#isTerminal ? '\r\u001b[2K' : ''}  ${this.#line(done)}${isLast || !this.#isTerminal ? '\n' : ''}`,
    );
  }

  /** "sweep: 120,000 of about 1,000,000 customers (12 %), 9,500 a second, violations so far: 3, 93 s left". */
  #line({ noun, records, of, violations }: Done): string {
    const rate = (records - this.#already) / Math.max(0.001, (performance.now() - this.#began) / 1000);
    const share = of
      ? ` of about ${number(of)} ${noun} (${Math.min(100, Math.floor((100 * records) / of))} %)`
      : ` ${noun}`;
    const left = rate > 0 && records < of ? `, ${duration((of - records) / rate)} left` : '';
    return `sweep: ${number(records)}${share}, ${number(Math.round(rate))} a second, violations so far: ${number(violations)}${left}`;
  }
}

/** Seconds below two minutes, minutes above. */
export const duration = (seconds: number): string =>
  seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
