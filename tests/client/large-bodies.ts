import { freeMemory } from '../../schemas/free-memory.ts';
import { limitConcurrency, type Slot, slotIn } from './concurrency.ts';
import { ClientError } from './reasons.ts';

/**
 * Milliseconds of processor time that a body of 32 MiB with nothing unusual in it may take, on a slow machine too: a
 * target that ignores `limit` answers many requests with its whole list.
 */
const usualMs = 10_000;
/** Milliseconds beyond that, of all bodies of a run together. */
const maxExcessMs = 60_000;

const processorTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Lets one large body at a time be read and judged. Once bodies that are slow to judge have taken their share of a run,
 * no further large one is read, so that no target decides how long a run takes.
 */
export class LargeBodies {
  readonly #run = limitConcurrency(1);
  readonly #now: () => number;
  #leftMs = maxExcessMs;

  /** @param now the processor time of this process, in milliseconds */
  constructor(now = processorTime) {
    this.#now = now;
  }

  /** @throws {ClientError} from `enter`, when the time is used up. */
  slot(): Slot {
    let enteredAt: number | undefined;
    const slot = slotIn(this.#run, freeMemory);
    const enter = async () => {
      await slot.enter();
      if (this.#leftMs <= 0) throw new ClientError('large bodies');
      enteredAt = this.#now();
    };
    const leave = () => {
      if (enteredAt !== undefined) this.#leftMs -= Math.max(0, this.#now() - enteredAt - usualMs);
      enteredAt = undefined;
      slot.leave();
    };
    return { enter, leave };
  }
}
