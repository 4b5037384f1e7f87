import { setTimeout as pause } from 'node:timers/promises';

/** Lowest rate that `slowDown` sets, in requests per second. Instead of a lower rate, `slowDown` restores `maxRps`. */
const slowestRps = 0.5;

/** Spreads requests evenly over time, at most `maxRps` a second. `slowDown` may halve the rate after HTTP 429 (RFC 6585 section 4). */
export class Pace {
  readonly #maxRps: number;
  #nextTurnAt = performance.now();
  /** Request rate as a share of `maxRps`, which `slowDown` halves. 0: `slowDown` gave up, and the rate is `maxRps`. */
  share = 1;
  #lastTurn: Promise<number> = Promise.resolve(1);

  constructor(maxRps: number) {
    this.#maxRps = maxRps;
  }

  get intervalMs(): number {
    const hasGivenUp = this.share === 0;
    const requestsPerSecond = hasGivenUp ? this.#maxRps : this.#maxRps * this.share;
    return 1000 / requestsPerSecond;
  }

  /** Milliseconds until the next request may be sent, or 0. `delayNextTurn` may still increase this delay. */
  get plannedDelayMs(): number {
    return Math.max(0, this.#nextTurnAt - performance.now());
  }

  /**
   * Waits until the next request may be sent. Concurrent calls take turns in their order.
   * @returns `share`, to be passed to `slowDown` after HTTP 429
   */
  takeTurn(): Promise<number> {
    this.#lastTurn = this.#lastTurn.then(() => this.#waitForNextTurn());
    return this.#lastTurn;
  }

  async #waitForNextTurn(): Promise<number> {
    // A loop, because `delayNextTurn` may delay the turn again during the pause.
    while (performance.now() < this.#nextTurnAt) await pause(Math.ceil(this.#nextTurnAt - performance.now()));
    this.#nextTurnAt = performance.now() + this.intervalMs;
    return this.share;
  }

  delayNextTurn(delayMs: number): void {
    this.#nextTurnAt = Math.max(this.#nextTurnAt, performance.now() + delayMs);
  }

  /**
   * Halves a finite rate after HTTP 429. Instead of a rate below `slowestRps`, restores `maxRps` for good. Ignores requests sent at an
   * earlier rate.
   * @param shareWhenSent result of `takeTurn` for the request that got HTTP 429
   */
  slowDown(shareWhenSent: number): void {
    const canSlowDown = Number.isFinite(this.#maxRps) && this.share > 0;
    // Another request that was sent at the same rate has changed the rate already.
    const hasRateChanged = shareWhenSent !== this.share;
    if (!canSlowDown || hasRateChanged) return;
    const halfShare = this.share / 2;
    const isTooSlow = this.#maxRps * halfShare < slowestRps;
    this.share = isTooSlow ? 0 : halfShare;
    this.delayNextTurn(this.intervalMs);
  }
}
