import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from '../configuration/target.ts';

/** By how many requests, as `MAX_RPS` paces them, one replica of a target may lag behind another one, and no longer than that. */
const [lagInRequests, maxMs] = [50, 5000];

/** How often a run, or the sweep of a list, waits so long. */
const maxWaits = 12;

/** How long a contradiction is left alone before it is requested again: replicas of a target show a change one after the other. */
export const lagMs = ({ maxRps }: Pick<Target, 'maxRps'>): number =>
  Math.min(maxMs, (lagInRequests * 1000) / maxRps);

/** Waits before contradictions are requested again, until one was confirmed after that: then no lag is the reason. */
export class Lag {
  readonly #ms: number;
  #left = maxWaits;
  #isNone = false;

  constructor(target: Pick<Target, 'maxRps'>) {
    this.#ms = lagMs(target);
  }

  /** @returns whether contradictions can be believed now: not where it was waited too often in vain */
  async pass(): Promise<boolean> {
    if (this.#isNone) return true;
    if (this.#left === 0) return false;
    this.#left -= 1;
    await pause(this.#ms);
    return true;
  }

  /** Takes note that a contradiction was confirmed. */
  exclude(): void {
    this.#isNone = true;
  }
}
