/** Runs a task as soon as there is room for it. */
export type Run = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * Lets at most `max` tasks run at a time, in the order in which they were given. Keeps nothing of a task that is done:
 * a result may be 32 MiB.
 */
export function limitConcurrency(max: number): Run {
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
