import { maxConcurrency } from './target.ts';

/** Number of copies that Playwright holds of each response body. */
// The first copy is the received chunks. The second copy is the buffer into which Playwright joins the chunks.
const copiesPerBody = 2;
/** Memory allowed for buffers that the garbage collector has not freed yet. */
const reserveBytes = 256 * 2 ** 20;
const intervalMs = 20;

/**
 * Calls `onExcess` whenever the buffers of this process take too much memory. The memory is measured every 20 ms. A measurement
 * may exceed the lowest measurement so far by `reserveBytes`, plus the memory for the response bodies of concurrent requests.
 * @param maxBodyBytes size of the largest permitted body
 * @returns function that ends the measurements
 */
export function watchMemory(maxBodyBytes: number, onExcess: () => void): () => void {
  const allowedIncrease = reserveBytes + maxConcurrency * copiesPerBody * maxBodyBytes;
  // The lowest measurement stands for the memory that the process needs without response bodies.
  let lowestBytes = process.memoryUsage().arrayBuffers;
  const timer = setInterval(() => {
    const { arrayBuffers: currentBytes } = process.memoryUsage();
    lowestBytes = Math.min(lowestBytes, currentBytes);
    const increase = currentBytes - lowestBytes;
    if (increase > allowedIncrease) onExcess();
  }, intervalMs);
  return () => clearInterval(timer);
}
