import { setTimeout as pause } from 'node:timers/promises';

/** Lowest rate, in requests a second, to which HTTP 429 slows the client down. */
const slowestRps = 0.5;

/** Spreads requests evenly over time, and halves their rate after HTTP 429 (RFC 6585 section 4). */
export class Pace {
  readonly #maxRps: number;
  /** Earliest time at which the next request may be sent, in milliseconds of `performance.now()`. */
  #nextTurnAt = performance.now();
  #share = 1;
  /** Result of the last call of `takeTurn`. The next call waits for it, so that requests are sent in the order of the calls. */
  #lastTurn: Promise<number> = Promise.resolve(1);

  /** @param maxRps rate to begin with, in requests a second */
  constructor(maxRps: number) {
    this.#maxRps = maxRps;
  }

  /**
   * Present rate as a share of `maxRps`: 1 at first, halved after each HTTP 429 (0.5, 0.25…). 0 if the rate was too slow to be
   * halved again.
   */
  get share(): number {
    return this.#share;
  }

  /**
   * Milliseconds between two requests at the present rate. If `share` is 0, the interval at `maxRps`, because slowing down did not
   * help.
   */
  get intervalMs(): number {
    return 1000 / (this.#maxRps * (this.#share || 1));
  }

  /**
   * Waits until the next request may be sent. Concurrent calls take turns in the order in which they were made.
   * @returns value of `share` when the request may be sent
   */
  takeTurn(): Promise<number> {
    this.#lastTurn = this.#lastTurn.then(async () => {
      // A loop, because `delayNextTurn` may delay the turn again during the pause.
      while (performance.now() < this.#nextTurnAt)
        await pause(Math.ceil(this.#nextTurnAt - performance.now()));
      this.#nextTurnAt = performance.now() + this.intervalMs;
      return this.#share;
    });
    return this.#lastTurn;
  }

  /** Delays the next request until at least `delayMs` from now. Later requests are sent after it. */
  delayNextTurn(delayMs: number): void {
    this.#nextTurnAt = Math.max(this.#nextTurnAt, performance.now() + delayMs);
  }

  /**
   * Halves the rate after HTTP 429. Does nothing if the rate has changed since the request was sent, so that several HTTP 429 at
   * the same rate halve it once. Sets `share` to 0 if half the rate would be below `slowestRps`. Does nothing if `maxRps` is
   * infinite.
   * @param sentShare result of `takeTurn` for the request that got HTTP 429
   */
  slowDown(sentShare: number): void {
    const canSlowDown = Number.isFinite(this.#maxRps) && this.#share > 0;
    if (!canSlowDown || sentShare !== this.#share) return;
    const halfShare = sentShare / 2;
    this.#share = this.#maxRps * halfShare < slowestRps ? 0 : halfShare;
    this.delayNextTurn(this.intervalMs);
  }
}
