/** Copies of a body that Playwright's client holds: the chunks as they arrived, and their concatenation. */
const copies = 2;
/** Buffers that the garbage collector leaves for a while, whatever the limit is. */
const reserveBytes = 256 * 2 ** 20;
const intervalMs = 20;

/**
 * Calls `onExcess` once the buffers of this process grow by more than some requests need that receive `maxBodyBytes` each.
 * Playwright's client collects a body before anybody can learn its size, so that only the memory shows that a body is too large.
 * @returns a function that ends the watch
 */
export function watchMemory(maxBodyBytes: number, requests: number, onExcess: () => void): () => void {
  const allowedBytes = reserveBytes + requests * copies * maxBodyBytes;
  let lowest = process.memoryUsage().arrayBuffers;
  const timer = setInterval(() => {
    const { arrayBuffers } = process.memoryUsage();
    lowest = Math.min(lowest, arrayBuffers);
    if (arrayBuffers - lowest > allowedBytes) onExcess();
  }, intervalMs);
  return () => clearInterval(timer);
}
