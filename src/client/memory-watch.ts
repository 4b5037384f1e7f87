import { maxConcurrency } from './target.ts';

/** Number of copies of a body that Playwright's client holds at a time: the received chunks, and their concatenation. */
const copies = 2;
/** Bytes for buffers that the garbage collector has not freed yet; the same for every `MAX_BODY_MB`. */
const reserveBytes = 256 * 2 ** 20;
/** Milliseconds between two looks at the memory. */
const intervalMs = 20;

/**
 * Calls `onExcess`, again at each look, while the buffers of this process have grown by more than `maxConcurrency` bodies of
 * `maxBodyBytes` need. Playwright's client collects a whole body before its size can be read, so only the memory shows a huge one.
 * @returns function that ends the watch
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
