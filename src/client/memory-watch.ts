import { maxConcurrency } from './target.ts';

/** Copies of a body that Playwright's client holds: the chunks as they arrived, and their concatenation. */
const copies = 2;
/** Buffers that the garbage collector leaves for a while, whatever the limit is. */
const reserveBytes = 256 * 2 ** 20;
const intervalMs = 20;

/**
 * Calls `onExcess` once the buffers of this process grow by more than the requests of a run need that receive `maxBodyBytes`
 * each. Playwright's client collects a body before anybody can learn its size, so that only the memory shows that it is too large.
 * @returns a function that ends the watch
 */
export function watchMemory(maxBodyBytes: number, onExcess: () => void): () => void {
  const allowedBytes = reserveBytes + maxConcurrency * copies * maxBodyBytes;
  let lowest = process.memoryUsage().arrayBuffers;
  const timer = setInterval(() => {
    const { arrayBuffers } = process.memoryUsage();
    lowest = Math.min(lowest, arrayBuffers);
    if (arrayBuffers - lowest > allowedBytes) onExcess();
  }, intervalMs);
  return () => clearInterval(timer);
}
