import { setTimeout as pause } from 'node:timers/promises';

/** Slowest rate, in requests a second. A target that limits even this rate has another reason for HTTP 429. */
const slowestRps = 0.5;

/** Spreads requests evenly over time, and halves their rate after HTTP 429 (RFC 6585 section 4). */
export class Pace {
  readonly #maxRps: number;
  /** Earliest time at which the next request may be sent, in milliseconds of `performance.now()`. */
  #nextTurnAt = performance.now();
  #share = 1;
  /** Turn of the last call of `takeTurn`, after which the next call waits. */
  #lastTurn: Promise<number> = Promise.resolve(1);

  /** @param maxRps rate to begin with, in requests a second */
  constructor(maxRps: number) {
    this.#maxRps = maxRps;
  }

  /**
   * Share of the first rate at which requests are sent: 1 at first, halved after each HTTP 429 (0.5, 0.25…); 0 if even the slowest
   * rate was limited.
   */
  get share(): number {
    return this.#share;
  }

  /**
   * Milliseconds between two requests at the current rate. If the share is 0, the interval of the full rate, because slowing down
   * did not help.
   */
  get intervalMs(): number {
    return 1000 / (this.#maxRps * (this.#share || 1));
  }

  /** Waits until the next request may be sent; calls wait in their order. @returns the share at which the request is sent */
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

  /** Delays the next request, and so all later ones, until at least `delayMs` from now. */
  delayNextTurn(delayMs: number): void {
    this.#nextTurnAt = Math.max(this.#nextTurnAt, performance.now() + delayMs);
  }

  /**
   * Halves the rate after HTTP 429, unless the rate has changed since the request was sent. Sets the share to 0 if half the rate
   * would be below `slowestRps`. Does nothing if the rate is unlimited, or the share is 0.
   * @param sentShare result of `takeTurn` for the request that was answered with HTTP 429
   */
  slowDown(sentShare: number): void {
    const canSlowDown = Number.isFinite(this.#maxRps) && this.#share > 0;
    if (!canSlowDown || sentShare !== this.#share) return;
    const halfShare = sentShare / 2;
    this.#share = this.#maxRps * halfShare < slowestRps ? 0 : halfShare;
    this.delayNextTurn(this.intervalMs);
  }
}
