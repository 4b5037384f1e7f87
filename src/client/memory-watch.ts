import { maxConcurrency } from './target.ts';

/** Number of copies of a body that Playwright holds at a time: the received chunks, and the buffer that joins them. */
const copiesPerBody = 2;
/** Allowance for buffers that the garbage collector has not freed yet. */
const reserveBytes = 256 * 2 ** 20;
const intervalMs = 20;

/**
 * Checks the buffers of this process every 20 ms, and calls `onExcess` if they have grown too much for `maxConcurrency` bodies of
 * `maxBodyBytes` each. Playwright collects a whole body, however large, before its size can be read.
 * @returns function that stops the watch
 */
export function watchMemory(maxBodyBytes: number, onExcess: () => void): () => void {
  const allowedBytes = reserveBytes + maxConcurrency * copiesPerBody * maxBodyBytes;
  let lowestBytes = process.memoryUsage().arrayBuffers;
  const timer = setInterval(() => {
    const { arrayBuffers: currentBytes } = process.memoryUsage();
    lowestBytes = Math.min(lowestBytes, currentBytes);
    if (currentBytes - lowestBytes > allowedBytes) onExcess();
  }, intervalMs);
  return () => clearInterval(timer);
}
