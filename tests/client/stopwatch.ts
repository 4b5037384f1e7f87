/** Measures how long a request takes, without what it waits for on the way. */
export class Stopwatch {
  #startedAt = performance.now();

  restart(): void {
    this.#startedAt = performance.now();
  }

  /** Stands still while something is waited for. */
  async pause(wait: () => Promise<void>): Promise<void> {
    const soFarMs = performance.now() - this.#startedAt;
    await wait();
    this.#startedAt = performance.now() - soFarMs;
  }

  /** Whole milliseconds. */
  get elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}
