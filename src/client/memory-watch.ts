import { maxConcurrency } from './target.ts';

/** Number of copies of a body that Playwright's client holds at a time: the received chunks, and the buffer that joins them. */
const copies = 2;
/** Bytes that are allowed for buffers that the garbage collector has not freed yet, whatever `MAX_BODY_MB` is. */
const reserveBytes = 256 * 2 ** 20;
const intervalMs = 20;

/**
 * Watches the memory of this process while a body arrives, because Playwright's client collects a whole body before its size can be
 * read. Calls `onExcess` at each measurement at which the buffers have grown by more than `maxConcurrency` bodies of `maxBodyBytes`
 * need.
 * @returns function that ends the watch
 */
export function watchMemory(maxBodyBytes: number, onExcess: () => void): () => void {
  const allowedBytes = reserveBytes + maxConcurrency * copies * maxBodyBytes;
  let lowestBytes = process.memoryUsage().arrayBuffers;
  const timer = setInterval(() => {
    const { arrayBuffers: currentBytes } = process.memoryUsage();
    lowestBytes = Math.min(lowestBytes, currentBytes);
    if (currentBytes - lowestBytes > allowedBytes) onExcess();
  }, intervalMs);
  return () => clearInterval(timer);
}
