import { maxConcurrency } from './target.ts';

/** Number of copies of a body in Playwright's client: the chunks as received, and their concatenation. */
const copies = 2;
/** Bytes of buffers that the garbage collector has not freed yet, whatever the limit is. */
const reserveBytes = 256 * 2 ** 20;
const intervalMs = 20;

/**
 * Calls `onExcess` if the buffers of this process grow by more than `maxConcurrency` bodies of `maxBodyBytes` need. Watches the
 * memory, because Playwright's client collects a whole body before its size can be read.
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
