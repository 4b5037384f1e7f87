import { number } from '../../schemas/counted.ts';

/** What a line of progress tells. */
export interface Done {
  noun: string;
  /** Records looked at, and how many there are to look at. */
  records: number;
  of: number;
  violations: number;
}

/** Milliseconds between two lines; and to the first one, which says by the first pages how long the rest takes. */
const [onTerminalMs, elsewhereMs, firstMs] = [500, 30_000, 2_000];

/** Tells how far a sweep is: on a terminal in one line that is written anew, elsewhere a line every half a minute. */
export class Progress {
  readonly #write: (text: string) => void;
  readonly #isTerminal: boolean;
  #began = performance.now();
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
    this.#nextAt = this.#began + (this.#isTerminal ? onTerminalMs : firstMs);
    this.#already = already;
  }

  update(done: Done): void {
    const now = performance.now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + (this.#isTerminal ? onTerminalMs : elsewhereMs);
    this.#show(done, this.#isTerminal ? '' : '\n');
  }

  end(done: Done): void {
    this.#show(done, '\n');
  }

  #show(done: Done, end: string): void {
    const line = progressText(done, (performance.now() - this.#began) / 1000, this.#already);
    this.#write(`${this.#isTerminal ? '\r\u001b[2K' : ''}  ${line}${end}`);
  }
}

/** "sweep: 120,000 of about 1,000,000 customers (12 %), 9,500 a second, violations so far: 3, 93 s left". */
function progressText({ noun, records, of, violations }: Done, seconds: number, already: number): string {
  const rate = (records - already) / Math.max(0.001, seconds);
  const share = of
    ? ` of about ${number(of)} ${noun} (${Math.min(100, Math.floor((100 * records) / of))} %)`
    : ` ${noun}`;
  const left = of && rate > 0 && records < of ? `, ${duration((of - records) / rate)} left` : '';
  return `sweep: ${number(records)}${share}, ${number(Math.round(rate))} a second, violations so far: ${number(violations)}${left}`;
}

/** Seconds below two minutes, minutes above. */
export const duration = (seconds: number): string =>
  seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
