/** A process that is late by less than this was not busy. */
const tolerableDelayMs = 100;

/**
 * Calls back after a time. When this process was too busy to read meanwhile, the target gets that time on top, but
 * only once: a target can keep a process busy.
 */
export class Deadline {
  readonly #late: () => void;
  #due = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, late: () => void) {
    this.#late = late;
    this.#start(timeoutMs);
  }

  #start(timeoutMs: number): void {
    this.#due = performance.now() + timeoutMs;
    this.#timer = setTimeout(() => {
      const busyMs = performance.now() - this.#due;
      if (busyMs < tolerableDelayMs) this.#late();
      else this.#timer = setTimeout(this.#late, busyMs);
    }, timeoutMs);
  }

  /** Stands still while something else is waited for. */
  async pause(wait: () => Promise<void>): Promise<void> {
    this.stop();
    const leftMs = Math.max(0, this.#due - performance.now());
    await wait();
    this.#start(leftMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
