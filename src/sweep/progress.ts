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

  constructor(write: (text: string) => void = (text) => void process.stdout.write(text)) {
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

  /** Shows how far a sweep has come. */
  end(): void {
    this.#nextAt = performance.now() + everyMs;
    if (!this.#last) return;
    const { noun, records, of, violations } = this.#last;
    const extent = `${number(records)} of about ${number(of)} ${noun}`;
    this.say(`sweep: ${extent}, violations so far: ${number(violations)}`);
    this.#last = undefined;
  }
}
