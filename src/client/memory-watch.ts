import { maxConcurrency } from './target.ts';

/** Number of copies that Playwright holds of each response body. */
// The first copy is the received chunks. The second copy is the buffer into which Playwright joins the chunks.
const copiesPerBody = 2;
/** Memory allowed for buffers that the garbage collector has not freed yet. */
const reserveBytes = 256 * 2 ** 20;
const intervalMs = 20;
/** Multiple of the allowed increase at which the process ends. */
const maxExcessFactor = 3;

/**
 * Ends the process if its buffers take more than `maxBytes`. Playwright decompresses a received Brotli body to its end, even after
 * the request was aborted: 3.6 kB can hold 4 GiB.
 */
function exitAbove(maxBytes: number, currentBytes: number): void {
  if (currentBytes <= maxBytes) return;
  process.stderr.write(
    `compressed responses take more than ${Math.round(maxBytes / 2 ** 20)} MiB of memory\n`,
  );
  process.exit(1);
}

/**
 * Calls `onExcess` whenever the buffers of this process take too much memory. The memory is measured every 20 ms. A measurement
 * may exceed the lowest measurement so far by `reserveBytes`, plus the memory for the response bodies of concurrent requests. At
 * three times this increase, the process ends.
 * @param maxBodyBytes size of the largest permitted body
 * @returns function that ends the measurements
 */
export function watchMemory(maxBodyBytes: number, onExcess: () => void): () => void {
  const allowedIncrease = reserveBytes + maxConcurrency * copiesPerBody * maxBodyBytes;
  // The lowest measurement stands for the memory that the process needs without response bodies.
  let lowestBytes = process.memoryUsage().arrayBuffers;
  const timer = setInterval(() => {
    const { arrayBuffers: currentBytes } = process.memoryUsage();
    exitAbove(maxExcessFactor * allowedIncrease, currentBytes);
    lowestBytes = Math.min(lowestBytes, currentBytes);
    const increase = currentBytes - lowestBytes;
    if (increase > allowedIncrease) onExcess();
  }, intervalMs);
  return () => clearInterval(timer);
}
