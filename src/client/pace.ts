import { setTimeout as pause } from 'node:timers/promises';

/** Lowest rate, in requests a second. Instead of halving the rate to less than this, `slowDown` gives up: it restores `maxRps`. */
const slowestRps = 0.5;

/** Spreads requests evenly over time, and halves their rate after HTTP 429 (RFC 6585 section 4). */
export class Pace {
  readonly #maxRps: number;
  #nextTurnAt = performance.now();
  /** Request rate as a share of `maxRps`: 1 at first, halved by `slowDown`. 0 means that this did not help: the rate is `maxRps`. */
  share = 1;
  /** Result of the latest `takeTurn` call. The next call waits for it, so that requests are sent in the order of the calls. */
  #lastTurn: Promise<number> = Promise.resolve(1);

  constructor(maxRps: number) {
    this.#maxRps = maxRps;
  }

  /** Milliseconds between two requests. If `share` is 0, requests are as frequent as at first, because slowing down did not help. */
  get intervalMs(): number {
    const rps = this.share === 0 ? this.#maxRps : this.#maxRps * this.share;
    return 1000 / rps;
  }

  /**
   * Waits until the next request may be sent. Concurrent calls take turns in their order.
   * @returns value of `share` when the request may be sent
   */
  takeTurn(): Promise<number> {
    this.#lastTurn = this.#lastTurn.then(async () => {
      // A loop, because `delayNextTurn` may delay the turn again during the pause.
      while (performance.now() < this.#nextTurnAt)
        await pause(Math.ceil(this.#nextTurnAt - performance.now()));
      this.#nextTurnAt = performance.now() + this.intervalMs;
      return this.share;
    });
    return this.#lastTurn;
  }

  delayNextTurn(delayMs: number): void {
    this.#nextTurnAt = Math.max(this.#nextTurnAt, performance.now() + delayMs);
  }

  /**
   * Halves the rate after HTTP 429, but only once for all requests that were sent at the same rate.
   * @param shareWhenSent result of `takeTurn` for the request that got HTTP 429
   */
  slowDown(shareWhenSent: number): void {
    const canSlowDown = Number.isFinite(this.#maxRps) && this.share > 0;
    const hasRateChanged = shareWhenSent !== this.share;
    if (!canSlowDown || hasRateChanged) return;
    const halfShare = this.share / 2;
    this.share = this.#maxRps * halfShare < slowestRps ? 0 : halfShare;
    this.delayNextTurn(this.intervalMs);
  }
}
