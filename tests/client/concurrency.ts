/** Runs a task as soon as there is room for it. */
export type RunTask = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * Lets at most `max` tasks run at a time, in the order in which they were given. Keeps nothing of a task that is done:
 * a result may be 32 MiB.
 */
export function limitConcurrency(max: number): RunTask {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < max) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** Room for one at a time: `enter` waits for it; `leave` gives it up, or the wait for it, or nothing. */
export interface Slot {
  enter(): Promise<void>;
  leave(): void;
}

/** A slot that is taken as soon as `run` has room. `cleanUp` is called at the end of one that was taken. */
export function slotIn(run: RunTask, cleanUp: () => void): Slot {
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const enter = () =>
    new Promise<void>((entered) => {
      void run(async () => {
        entered();
        await left;
        cleanUp();
      });
    });
  return { enter, leave };
}
