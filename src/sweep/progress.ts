import { number } from '../../schemas/counted.ts';

/** What a line of progress tells. */
export interface Done {
  noun: string;
  /** Records looked at, and how many there are to look at. */
  records: number;
  of: number;
  violations: number;
}

/** Milliseconds between two lines; a sweep that is done by then shows no line but its last one. */
const everyMs = 5_000;

/** Tells how far a sweep is. */
export class Progress {
  readonly #write: (text: string) => void;
  #nextAt = performance.now() + everyMs;
  #last: Done | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** A line of its own. */
  say(sentence: string): void {
    this.#write(`  ${sentence}\n`);
  }

  /** Shows it now and then. */
  show(done: Done): void {
    this.#last = done;
    if (performance.now() >= this.#nextAt) this.end();
  }

  /** Shows how far a sweep has come, at its end and where it is interrupted. */
  end(): void {
    if (this.#last) this.say(lineOf(this.#last));
    this.#last = undefined;
    this.#nextAt = performance.now() + everyMs;
  }
}

/** "sweep: 120,000 of about 1,000,000 customers, violations so far: 3". */
const lineOf = ({ noun, records, of, violations }: Done): string =>
  `sweep: ${number(records)} of about ${number(of)} ${noun}, violations so far: ${number(violations)}`;
