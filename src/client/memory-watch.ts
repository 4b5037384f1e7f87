import { maxConcurrency } from './target.ts';

/** Number of copies that Playwright holds of each body: the received chunks, and the buffer into which it joins the chunks. */
const copiesPerBody = 2;
/** Memory allowed in addition to that of the bodies, for buffers that the garbage collector has not freed yet. */
const reserveBytes = 256 * 2 ** 20;
const intervalMs = 20;

/**
 * Checks every 20 ms whether buffers take too much memory. If so, calls `onExcess`, usually before all of a huge body has arrived.
 * @param maxBodyBytes size of the largest permitted body
 * @returns function that stops the checks
 */
export function watchMemory(maxBodyBytes: number, onExcess: () => void): () => void {
  const allowedIncrease = reserveBytes + maxConcurrency * copiesPerBody * maxBodyBytes;
  let lowestBytes = process.memoryUsage().arrayBuffers;
  const timer = setInterval(() => {
    const { arrayBuffers: currentBytes } = process.memoryUsage();
    lowestBytes = Math.min(lowestBytes, currentBytes);
    const increase = currentBytes - lowestBytes;
    if (increase > allowedIncrease) onExcess();
  }, intervalMs);
  return () => clearInterval(timer);
}
