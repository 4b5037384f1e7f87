import { setTimeout as pause } from 'node:timers/promises';

/** Lowest rate that `slowDown` sets, in requests per second. */
const slowestRps = 0.5;

/** Spreads requests evenly over time. At most `maxRps` requests are sent per second. */
export class Pace {
  readonly #maxRps: number;
  #nextTurnAt = performance.now();
  /**
   * Request rate as a share of `maxRps`. For example, 0.5 is half of `maxRps`. The value 0 means that the target sent HTTP 429
   * even at the lowest rate. From then on, `maxRps` applies again.
   */
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

  /** Milliseconds until the next request may be sent. */
  get plannedDelayMs(): number {
    return Math.max(0, this.#nextTurnAt - performance.now());
  }

  /**
   * Waits until the rate permits the next request. Several callers get their turns in the order of their calls.
   * @returns value of `share` at this turn. If the request gets HTTP 429, the caller passes the value to `slowDown`.
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
   * Halves the rate after a response with HTTP 429 (RFC 6585 section 4). If half the rate is below `slowestRps`, restores `maxRps`
   * permanently. Changes nothing if `maxRps` is infinite, or if the rate has changed since the request was sent.
   * @param shareWhenSent result of `takeTurn` for the request that got HTTP 429
   */
  slowDown(shareWhenSent: number): void {
    // With a share of 0, no lower rate is left to try.
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
